package treetest

import (
	"testing"

	"github.com/fettle-dev/fettle/internal/tree"
)

func attrChecks() []check {
	return []check{
		{"SetAttr sets the mode and keeps the bytes", func(t *testing.T, s Subject) {
			s.File("f", "x", 0o644)
			for _, mode := range []uint32{0o755, 0o600, 0o400, 0o200, 0o644} {
				kept, err := s.Tree().SetAttr("f", tree.Attr{Mode: mode})
				if err != nil || !kept {
					t.Fatalf("set mode %o: kept %v, %v", mode, kept, err)
				}
				if got := stat(t, s, "f").Mode; got != mode {
					t.Errorf("mode = %o, want %o", got, mode)
				}
			}
			wantFile(t, s, "f", "x")
		}},
		{"SetAttr sets the owner or says that it didn't", func(t *testing.T, s Subject) {
			s.File("f", "x", 0o644)
			own := stat(t, s, "f")
			asked := tree.Attr{Mode: 0o644, UID: own.UID, GID: own.GID, KeepOwner: true}
			if kept, err := s.Tree().SetAttr("f", asked); err != nil || !kept {
				t.Errorf("own owner: kept %v, %v; want kept", kept, err)
			}
			asked.Mode, asked.UID, asked.GID = 0o751, 4321, 8765
			kept, err := s.Tree().SetAttr("f", asked)
			if err != nil {
				t.Fatal(err)
			}
			id := stat(t, s, "f")
			if is := id.UID == 4321 && id.GID == 8765; is != kept || id.Mode != 0o751 {
				t.Errorf("owner = %d:%d, said to be set %v; mode %o, want 751", id.UID, id.GID, kept, id.Mode)
			}
		}},
		{"SetAttr sets no owner that isn't asked for", func(t *testing.T, s Subject) {
			s.File("f", "x", 0o644)
			own := stat(t, s, "f")
			kept, err := s.Tree().SetAttr("f", tree.Attr{Mode: 0o600, UID: 4321, GID: 8765})
			if err != nil || !kept {
				t.Fatalf("set mode: kept %v, %v", kept, err)
			}
			if id := stat(t, s, "f"); id.UID != own.UID || id.GID != own.GID {
				t.Errorf("owner = %d:%d, want %d:%d", id.UID, id.GID, own.UID, own.GID)
			}
		}},
		{"SetAttr of anything but a regular file is refused", func(t *testing.T, s Subject) {
			s.File("f", "x", 0o644)
			s.Dir("d")
			s.FIFO("p")
			s.Link("l", "f")
			before := [3]tree.Identity{stat(t, s, "f"), stat(t, s, "d"), stat(t, s, "p")}
			for path, want := range map[string]error{"d": tree.ErrNotRegular, "p": tree.ErrNotRegular, "l": tree.ErrLink, "no": tree.ErrAbsent} {
				_, err := s.Tree().SetAttr(path, tree.Attr{Mode: 0o777})
				wantError(t, path, err, want)
			}
			if after := [3]tree.Identity{stat(t, s, "f"), stat(t, s, "d"), stat(t, s, "p")}; after != before {
				t.Errorf("identities = %+v, want %+v", after, before)
			}
		}},
	}
}
