package reread

import (
	"testing"
	"time"

	"github.com/fettle-dev/fettle/internal/tree"
)

func TestAStampSettlesAfterTheMarginOfItsClock(t *testing.T) {
	const fine, whole = int64(1_700_000_000_123_456_789), int64(1_700_000_000_000_000_000)
	tests := []struct {
		name    string
		ctime   int64
		started int64
		want    bool
	}{
		{"within the margin", fine, fine + int64(20*time.Millisecond), false},
		{"beyond the margin", fine, fine + int64(20*time.Millisecond) + 1, true},
		{"whole seconds, within two of them", whole, whole + int64(2*time.Second), false},
		{"whole seconds, beyond two of them", whole, whole + int64(2*time.Second) + 1, true},
		{"in the future", fine + 1, fine, false},
		{"an unknown time", fine, 0, false},
	}
	for _, tt := range tests {
		if got := settled(tt.ctime, tt.started); got != tt.want {
			t.Errorf("%s: got %t, want %t", tt.name, got, tt.want)
		}
	}
}

func TestEveryPartOfAnIdentityButTheNumberOfNamesCounts(t *testing.T) {
	base := tree.Identity{Dev: 1, Ino: 2, Size: 3, Mtime: 4, Ctime: 5, Mode: 0o644, UID: 6, GID: 7, Nlink: 1, Kind: tree.Regular}
	for name, change := range map[string]func(*tree.Identity){
		"device": func(id *tree.Identity) { id.Dev++ }, "inode": func(id *tree.Identity) { id.Ino++ },
		"size": func(id *tree.Identity) { id.Size++ }, "modification": func(id *tree.Identity) { id.Mtime-- },
		"change": func(id *tree.Identity) { id.Ctime-- }, "mode": func(id *tree.Identity) { id.Mode = 0o755 },
		"user": func(id *tree.Identity) { id.UID++ }, "group": func(id *tree.Identity) { id.GID++ },
		"kind": func(id *tree.Identity) { id.Kind = tree.Link },
	} {
		other := base
		change(&other)
		if sameFile(base, other) {
			t.Errorf("another %s: got the same file", name)
		}
	}
	other := base
	other.Nlink++
	if !sameFile(base, other) {
		t.Error("another name for the file: got another file")
	}
}
