package corpus

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"
)

func TestPlanIsTheSameForTheSameSeed(t *testing.T) {
	a, dirsA := Small().Plan()
	b, dirsB := Small().Plan()
	if len(a) != len(b) || len(dirsA) != len(dirsB) {
		t.Fatalf("two plans of one seed have %d and %d files, %d and %d directories", len(a), len(b), len(dirsA), len(dirsB))
	}
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("file %d: got %+v and %+v from one seed", i, a[i], b[i])
		}
	}
	other := Small()
	other.Seed++
	c, _ := other.Plan()
	if a[0] == c[0] && a[1] == c[1] {
		t.Errorf("another seed gives the same first files: %+v", a[:2])
	}
}

func TestGen30kHasTheShapeOfThePerformanceGoals(t *testing.T) {
	files, dirs := Gen30k().Plan()
	if len(files) != 30_000 || len(dirs) != 4_400 {
		t.Fatalf("got %d files in %d directories, want 30000 in 4400", len(files), len(dirs))
	}
	total := 0
	for _, f := range files {
		total += f.Size
	}
	if mean := float64(total) / float64(len(files)); math.Abs(mean-9_000) > 500 {
		t.Errorf("mean size is %.0f bytes, want about 9000", mean)
	}
}

func TestWriteMakesExactlyThePlan(t *testing.T) {
	root := t.TempDir()
	files, err := Write(root, Small())
	if err != nil {
		t.Fatal(err)
	}
	text := NewText(Small())
	for _, f := range files {
		got, err := os.ReadFile(filepath.Join(root, f.Path))
		if err != nil {
			t.Fatal(err)
		}
		if want := f.Content(text, nil); !bytes.Equal(got, want) || len(got) != f.Size {
			t.Fatalf("%s: got %d bytes, want the %d of the plan", f.Path, len(got), f.Size)
		}
	}
	if _, err := Write(root, Small()); err == nil {
		t.Error("writing over a tree that is there: got no error, want one")
	}
}

func TestFloorsMeetEveryFileOfTheTree(t *testing.T) {
	root := t.TempDir()
	files, err := Write(root, Small())
	if err != nil {
		t.Fatal(err)
	}
	total := int64(0)
	for _, f := range files {
		total += int64(f.Size)
	}
	for _, floor := range []Floor{{}, {Stat: true}, {Read: true}} {
		seen, err := floor.Run(root)
		if err != nil {
			t.Fatal(err)
		}
		if seen.Files != len(files) || seen.Dirs != Small().Dirs+1 || floor.Read && seen.Bytes != total {
			t.Errorf("%+v: got %+v, want %d files of %d bytes in %d directories", floor, seen, len(files), total, Small().Dirs+1)
		}
	}
}
