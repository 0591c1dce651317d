package local

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/fault"
)

func TestARootIsAnExistingDirectoryAndNoLink(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o644))
	must(t, os.Mkdir(filepath.Join(dir, "real"), 0o755))
	must(t, os.Mkdir(filepath.Join(dir, "real", "below"), 0o755))
	must(t, os.Mkdir(filepath.Join(dir, "w\xff"), 0o755))
	must(t, os.Symlink("real", filepath.Join(dir, "link")))
	must(t, os.Symlink("nowhere", filepath.Join(dir, "dangling")))
	for _, tc := range []struct {
		name, root string
		wantReason fault.Reason // "" is accepted
		wantText   string
	}{
		{"a directory", "real", "", ""},
		{"a directory with a slash at its end", "real/", "", ""},
		{"a directory below a link", "link/below", "", ""},
		{"one that isn't there", "absent", fault.ReasonAbsent, "doesn't exist"},
		{"a file", "file", fault.ReasonType, "not a directory"},
		{"something below a file", "file/x", fault.ReasonIO, "can't be looked at: not a directory"},
		{"a link", "link", fault.ClassLink, "symbolic link"},
		{"a link with a slash at its end", "link/", fault.ClassLink, "symbolic link"},
		{"a dangling link", "dangling", fault.ClassLink, "symbolic link"},
		{"a name that isn't UTF-8", "w\xff", fault.ReasonType, "not UTF-8"},
		{"a name with NUL", "a\x00b", fault.ClassNUL, "NUL"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			root, err := FindRoot(dir + "/" + tc.root)
			if tc.wantReason != "" {
				if !fault.Is(err, fault.BadArgument, tc.wantReason) || !strings.Contains(err.Error(), tc.wantText) {
					t.Fatalf("error = %v, want BadArgument %s with %q", err, tc.wantReason, tc.wantText)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			wantPath := filepath.Join(dir, strings.Replace(tc.root, "link", "real", 1))
			if want := (Root{Given: filepath.Join(dir, tc.root), Path: wantPath}); root != want {
				t.Errorf("root = %+v, want %+v", root, want)
			}
		})
	}
	if _, err := FindRoot(""); !fault.Is(err, fault.BadArgument, fault.ClassEmpty) {
		t.Errorf("an empty name: error = %v, want BadArgument empty", err)
	}
}

func TestTheWorkingDirectoryIsARootWhereverALinkLedThere(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "real"), 0o755))
	must(t, os.Symlink("real", filepath.Join(dir, "link")))
	t.Chdir(filepath.Join(dir, "link"))
	root, err := FindRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	if want := (Root{Given: filepath.Join(dir, "link"), Path: filepath.Join(dir, "real")}); root != want {
		t.Errorf("root = %+v, want %+v", root, want)
	}
}

func TestStateAndRootLieApart(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "home", "repo"), 0o755))
	must(t, os.Symlink("home", filepath.Join(dir, "link")))
	for _, tc := range []struct {
		name, state, root string
		want              bool // refused
	}{
		{"beside each other", "state", "home", false},
		{"a name that merely begins alike", "home2/state", "home", false},
		{"state in the root", "home/.local/state", "home", true},
		{"state in the root by way of a link", "link/.local/state", "home", true},
		{"root in the state", "home", "home/repo", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			root, err := FindRoot(filepath.Join(dir, tc.root))
			must(t, err)
			err = root.apart(Home{dir: filepath.Join(dir, tc.state)})
			if refused := fault.Is(err, fault.BadArgument, ""); refused != tc.want {
				t.Errorf("error = %v, want refused: %v", err, tc.want)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
