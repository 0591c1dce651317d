package treetest

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/tree"
)

func writeNewChecks() []check {
	return []check{
		{"WriteNew makes a file with exactly these bytes", func(t *testing.T, s Subject) {
			s.Dir("d")
			for path, data := range map[string]string{"a": "", "d/b": "x\x00\xff", "d/c": strings.Repeat("0123456789", 100_000)} {
				id, kept, err := s.Tree().WriteNew(path, []byte(data), tree.Attr{Mode: 0o644})
				if err != nil || !kept {
					t.Fatalf("write %q: kept %v, %v", path, kept, err)
				}
				wantFile(t, s, path, data)
				if want := stat(t, s, path); id != want {
					t.Errorf("write %q: identity = %+v, want %+v", path, id, want)
				}
			}
		}},
		{"WriteNew keeps no hold of the bytes", func(t *testing.T, s Subject) {
			data := []byte("abc")
			if _, _, err := s.Tree().WriteNew("f", data, tree.Attr{Mode: 0o644}); err != nil {
				t.Fatal(err)
			}
			data[0] = 'X'
			wantFile(t, s, "f", "abc")
		}},
		{"WriteNew sets exactly this mode", func(t *testing.T, s Subject) {
			for path, mode := range map[string]uint32{"a": 0o644, "b": 0o755, "c": 0o600, "d": 0o666, "e": 0o777, "f": 0o400, "g": 0} {
				id, _, err := s.Tree().WriteNew(path, []byte("x"), tree.Attr{Mode: mode})
				if err != nil || id.Mode != mode || stat(t, s, path).Mode != mode {
					t.Errorf("write %q: mode = %o, then %o, %v; want %o", path, id.Mode, stat(t, s, path).Mode, err, mode)
				}
			}
		}},
		{"WriteNew onto anything that is there is ErrExists and leaves it", func(t *testing.T, s Subject) {
			s.File("f", "old", 0o644)
			s.Dir("d")
			s.FIFO("p")
			s.Link("l", "f")
			s.Link("dangling", "nowhere")
			before := stat(t, s, ".")
			for _, path := range []string{"f", "d", "p", "l", "dangling"} {
				_, _, err := s.Tree().WriteNew(path, []byte("new"), tree.Attr{Mode: 0o644})
				wantError(t, path, err, tree.ErrExists)
			}
			wantFile(t, s, "f", "old")
			wantLink(t, s, "l", "f")
			wantLink(t, s, "dangling", "nowhere")
			wantAbsent(t, s, "nowhere")
			if after := stat(t, s, "."); after != before {
				t.Errorf("directory is %+v, want %+v", after, before)
			}
		}},
		{"an owner that is asked for is kept or said not to be", func(t *testing.T, s Subject) {
			own, _, err := s.Tree().WriteNew("own", nil, tree.Attr{Mode: 0o644})
			if err != nil {
				t.Fatal(err)
			}
			asked := tree.Attr{Mode: 0o640, UID: own.UID, GID: own.GID, KeepOwner: true}
			if _, kept, err := s.Tree().WriteNew("mine", nil, asked); err != nil || !kept {
				t.Errorf("own owner: kept %v, %v; want kept", kept, err)
			}
			asked.UID, asked.GID = 4321, 8765
			id, kept, err := s.Tree().WriteNew("other", nil, asked)
			if err != nil {
				t.Fatal(err)
			}
			if is := id.UID == 4321 && id.GID == 8765; is != kept {
				t.Errorf("owner = %d:%d, said to be kept %v", id.UID, id.GID, kept)
			}
			if !kept && (id.UID != own.UID || id.GID != own.GID) {
				t.Errorf("owner = %d:%d, want the caller's %d:%d", id.UID, id.GID, own.UID, own.GID)
			}
			if id.Mode != 0o640 {
				t.Errorf("mode = %o, want 640", id.Mode)
			}
		}},
		{"an owner that isn't asked for isn't set", func(t *testing.T, s Subject) {
			own, _, err := s.Tree().WriteNew("own", nil, tree.Attr{Mode: 0o644})
			if err != nil {
				t.Fatal(err)
			}
			id, kept, err := s.Tree().WriteNew("f", nil, tree.Attr{Mode: 0o644, UID: 4321, GID: 8765})
			if err != nil || !kept || id.UID != own.UID || id.GID != own.GID {
				t.Errorf("owner = %d:%d, kept %v, %v; want %d:%d", id.UID, id.GID, kept, err, own.UID, own.GID)
			}
		}},
	}
}
