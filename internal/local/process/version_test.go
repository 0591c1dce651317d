package process

import (
	"context"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	for _, tt := range []struct {
		name    string
		command []string
		want    string
	}{
		{"the first line, trimmed", sh(`echo '  v1.2.3  '; echo more`), "v1.2.3"},
		{"nothing without a command", nil, ""},
		{"nothing if it fails", sh(`echo v1; exit 1`), ""},
		{"nothing if it isn't there", []string{"no-such-tool"}, ""},
		{"at most 200 bytes, whole characters", sh(`printf 'x'; for i in $(seq 150); do printf 'ä'; done`), "x" + strings.Repeat("ä", 99)},
		{"invalid UTF-8 is replaced", sh(`printf 'v\377'`), "v\uFFFD"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := newDriver(t).Version(context.Background(), "tool", tt.command); got != tt.want {
				t.Errorf("Version = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAVersionIsAskedOncePerEngine(t *testing.T) {
	d := newDriver(t)
	command := sh(`echo x >>asked; wc -l <asked`)
	for range 3 {
		if got := d.Version(context.Background(), "tool", command); got != "1" {
			t.Errorf("Version = %q, want the first answer", got)
		}
	}
	if got := d.Version(context.Background(), "other", command); got != "2" {
		t.Errorf("Version of another engine = %q, want it asked too", got)
	}
}
