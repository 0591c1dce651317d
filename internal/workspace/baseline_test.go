package workspace

import (
	"math"
	"testing"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/tree"
)

func TestPersistedKeepsEveryIdentityExactly(t *testing.T) {
	usual := tree.Identity{
		Dev: 7, Ino: math.MaxUint64, Size: 9, Mtime: -1, Ctime: math.MaxInt64,
		Mode: 0o755, UID: 1000, GID: 2000, Nlink: 1, Kind: tree.Regular,
	}
	with := func(change func(*tree.Identity)) tree.Identity {
		id := usual
		change(&id)
		return id
	}
	tests := []struct {
		name string
		id   tree.Identity
	}{
		{"usual", usual},
		{"a size that isn't the content's", with(func(id *tree.Identity) { id.Size = 10 })},
		{"another device", with(func(id *tree.Identity) { id.Dev = math.MaxUint64 })},
		{"another owner", with(func(id *tree.Identity) { id.UID, id.GID = math.MaxUint32, math.MaxUint32 })},
		{"many links", with(func(id *tree.Identity) { id.Nlink = math.MaxUint32 })},
		{"bits beyond the permissions", with(func(id *tree.Identity) { id.Mode = math.MaxUint32 })},
		{"another kind", with(func(id *tree.Identity) { id.Kind = tree.Other })},
		{"nothing known", tree.Identity{}},
	}
	b := NewBaselines(0)
	for _, tt := range tests {
		b.PutPersisted("overwritten", Persisted{Content: content.Ref{Off: 3, Len: 9}, ID: tt.id})
		b.PutPersisted(tt.name, Persisted{Content: content.Ref{Off: 3, Len: 9}, ID: tt.id})
		if got, _ := b.Persisted("overwritten"); got.ID != tt.id {
			t.Errorf("%s: after an overwrite got %+v, want %+v", tt.name, got.ID, tt.id)
		}
	}
	c := b.Clone()
	b.DropPersisted("usual")
	for _, tt := range tests {
		got, ok := c.Persisted(tt.name)
		if want := (Persisted{Content: content.Ref{Off: 3, Len: 9}, ID: tt.id}); !ok || got != want {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, want)
		}
	}
	if _, ok := b.Persisted("usual"); ok {
		t.Error("a dropped entry is still there")
	}
}
