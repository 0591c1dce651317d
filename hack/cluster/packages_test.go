package main

import (
	"slices"
	"testing"
)

func TestOnlyPackagesOfMissingProgramsAreInstalled(t *testing.T) {
	got := missing([]requirement{
		{"sh", "dash"},
		{"no-such-program", "one"},
		{"/no/such/file", "two"},
		{"/etc/passwd", "base"},
	})
	if want := []string{"one", "two"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
