package strictfs

import (
	"errors"
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/tree"
)

func TestNamesMoveBetweenTwoTrees(t *testing.T) {
	a, b := newSubject(t), newSubject(t)
	a.File("d/new", "new", 0o644)
	b.File("e/old", "old", 0o644)
	b.Link("link", "e")
	for name, try := range map[string]struct {
		err  error
		want error
	}{
		"to a name that exists":         {a.root.RenameTo("d/new", b.root, "e/old"), tree.ErrExists},
		"through a link":                {a.root.RenameTo("d/new", b.root, "link/x"), tree.ErrLink},
		"over a file through a link":    {a.root.ReplaceIn("d/new", b.root, "link/old"), tree.ErrLink},
		"to no directory":               {a.root.RenameTo("d/new", b.root, "none/x"), tree.ErrAbsent},
		"swapped with what isn't there": {a.root.ExchangeWith("d/new", b.root, "e/none"), tree.ErrAbsent},
		"outside":                       {a.root.RenameTo("d/new", b.root, "../x"), tree.ErrInvalid},
	} {
		if !errors.Is(try.err, try.want) {
			t.Errorf("%s: got %v, want %v", name, try.err, try.want)
		}
	}
	a.must(a.root.ExchangeWith("d/new", b.root, "e/old"))
	checkFile(t, a, "d/new", "old")
	checkFile(t, b, "e/old", "new")
	a.must(a.root.RenameTo("d/new", b.root, "e/moved"))
	checkFile(t, b, "e/moved", "old")
	b.must(b.root.ReplaceIn("e/moved", a.root, "d/new"))
	a.File("d/other", "other", 0o644)
	a.must(a.root.ReplaceIn("d/other", b.root, "e/old"))
	checkFile(t, b, "e/old", "other")
}

func checkFile(t *testing.T, s subject, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(s.at(path)); err != nil || string(got) != want {
		t.Errorf("%s: got %q, %v, want %q", path, got, err, want)
	}
}

func TestAFileIsReadAsAStream(t *testing.T) {
	s := newSubject(t)
	s.File("a", "content", 0o644)
	s.Link("l", "a")
	s.must(unix.Mkfifo(s.at("fifo"), 0o600))
	f, id, err := s.root.OpenFile("a")
	s.must(err)
	data, err := io.ReadAll(f)
	if err != nil || string(data) != "content" || id.Size != 7 || id.Kind != tree.Regular {
		t.Errorf("got %q, %+v, %v", data, id, err)
	}
	s.must(f.Close())
	for path, want := range map[string]error{"l": tree.ErrLink, "fifo": tree.ErrNotRegular, ".": tree.ErrInvalid, "none": tree.ErrAbsent} {
		if _, _, err := s.root.OpenFile(path); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", path, err, want)
		}
	}
}

func TestALinkIsReadButNotFollowed(t *testing.T) {
	s := newSubject(t)
	s.File("d/a", "", 0o644)
	s.Link("d/l", "../nowhere")
	s.Link("ld", "d")
	if got, err := s.root.ReadLink("d/l"); got != "../nowhere" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	for path, want := range map[string]error{"d/a": tree.ErrNotRegular, "d": tree.ErrNotRegular, "ld/l": tree.ErrLink, "none": tree.ErrAbsent} {
		if _, err := s.root.ReadLink(path); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", path, err, want)
		}
	}
}
