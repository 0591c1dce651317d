package sidecar

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/strictfs"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
)

func aSession() *session {
	s := &session{}
	s.config.Acquire.Bounds.MaxDepth = 4
	return s
}

func TestAnItemsPathGoesThroughTheDoorOfLiterals(t *testing.T) {
	for _, tt := range []struct {
		path string
		want string
		kind fault.Reason // "" is fine
	}{
		{"src/app.ts", "src/app.ts", ""},
		{"./src//app.ts", "src/app.ts", ""},
		{"a/b/../c", "a/c", ""},
		{"../app.ts", "", fault.ClassEscape},
		{"src/../../app.ts", "", fault.ClassEscape},
		{"~/app.ts", "", fault.ClassHome},
		{"a\x00b", "", fault.ClassNUL},
		{"a/b/c/d/e", "", fault.ClassDepth},
		{"..", "", fault.ClassEscape},
	} {
		t.Run(strings.ReplaceAll(tt.path, "\x00", "NUL"), func(t *testing.T) {
			got, err := aSession().filesOf(v1alpha1.ConfigMapSource{Items: []v1alpha1.ConfigMapItem{{Key: "k", Path: v1alpha1.Path(tt.path)}}})
			if tt.kind != "" {
				if !fault.Is(err, fault.PathRefused, tt.kind) {
					t.Errorf("error = %v, want a path refused as %s", err, tt.kind)
				}
				return
			}
			if want := []keyFile{{"k", tt.path, tt.want}}; err != nil || !cmp.Equal(got, want, cmp.AllowUnexported(keyFile{})) {
				t.Errorf("files = %+v, %v, want %+v", got, err, want)
			}
		})
	}
}

func TestItemsThatGetInEachOthersWayAreRefused(t *testing.T) {
	for _, items := range [][2]string{{"a", "a"}, {"a", "a/b"}, {"a/b", "a"}} {
		memory, err := treemem.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		dirs := map[string]bool{tree.Root: true}
		if err := makeFile(memory, keyFile{key: "one", path: items[0]}, nil, dirs); err != nil {
			t.Fatal(err)
		}
		err = makeFile(memory, keyFile{key: "two", path: items[1]}, nil, dirs)
		if !fault.Is(err, fault.InvalidPipeline, fault.ReasonType) || !strings.Contains(err.Error(), "item two") {
			t.Errorf("%v: error = %v, want the second item refused", items, err)
		}
	}
}

func TestEmptyingATreeFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	outside, root := filepath.Join(dir, "outside"), filepath.Join(dir, "root")
	for _, d := range []string{outside, filepath.Join(root, "a", "b")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"link": "../outside", "a/dangling": "nowhere", "a/b/up": ".."} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(outside, "kept"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	held, err := strictfs.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := empty(held, tree.Root); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(root); err != nil || len(left) != 0 {
		t.Errorf("the tree holds %v, %v, want nothing", left, err)
	}
	if _, err := os.Stat(filepath.Join(outside, "kept")); err != nil {
		t.Errorf("what a link led to is gone: %v", err)
	}
}

func TestTheShimIsCopiedWholeAndExecutable(t *testing.T) {
	image, bin := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(image, shimName), []byte("the shim"), 0o700); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a hook may run twice
		if err := CopyShim(filepath.Join(image, "fettle"), bin); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(bin)
	if err != nil || len(entries) != 1 || entries[0].Name() != shimName {
		t.Errorf("the directory holds %v, %v, want the shim alone", entries, err)
	}
	info, err := os.Stat(filepath.Join(bin, shimName))
	if err != nil || info.Mode() != 0o755 || info.Size() != int64(len("the shim")) {
		t.Errorf("the shim is %v, %v", info, err)
	}
}

func TestAShimThatCannotBeCopiedLeavesNothing(t *testing.T) {
	bin := t.TempDir()
	if err := CopyShim(filepath.Join(t.TempDir(), "fettle"), bin); err == nil || !strings.Contains(err.Error(), "copy the shim") {
		t.Errorf("error = %v, want one about the shim", err)
	}
	image := t.TempDir()
	if err := os.Mkdir(filepath.Join(image, shimName), 0o700); err != nil { // can be opened, not read
		t.Fatal(err)
	}
	if err := CopyShim(filepath.Join(image, "fettle"), bin); err == nil {
		t.Error("a directory was copied")
	}
	if entries, err := os.ReadDir(bin); err != nil || len(entries) != 0 {
		t.Errorf("the directory holds %v, %v, want nothing", entries, err)
	}
}
