package runtime

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/reread"
	"github.com/fettle-dev/fettle/internal/workspace/statedir"
)

// mortal is a State that kills the process at its n-th Save, after it was made.
type mortal struct {
	State
	saves, dieAt int
}

func (m *mortal) Save(c Checkpoint) error {
	if err := m.State.Save(c); err != nil {
		return err
	}
	if m.saves++; m.saves == m.dieAt {
		panic(errKilled)
	}
	return nil
}

func TestAnotherProcessResumesFromTheStateDirectory(t *testing.T) {
	whole := eventful(t)
	want := whole.ok().Comparable()
	wantTree := whole.tree.Files()
	for n := 1; n < whole.state.saves; n++ {
		options := statedir.Options{
			Dir: filepath.Join(t.TempDir(), "state"), Root: t.TempDir(), Random: rand.NewChaCha8([32]byte{2}), Boot: "boot",
		}
		w := eventful(t)
		first := openState(t, options)
		w.config.State = &mortal{State: first.state, dieAt: n}
		if !survive(t, func() { Run(t.Context(), w.config) }) {
			t.Fatalf("checkpoint %d: the run wasn't killed", n)
		}
		first.close()
		second := openState(t, options)
		w.config.State = second.state
		r, err := Resume(t.Context(), w.config)
		if err != nil {
			t.Fatalf("checkpoint %d: %v", n, err)
		}
		second.close()
		if diff := cmp.Diff(want, r.Comparable()); diff != "" {
			t.Errorf("checkpoint %d: the report differs (-want +got):\n%s", n, diff)
		}
		if diff := cmp.Diff(wantTree, w.tree.Files()); diff != "" {
			t.Errorf("checkpoint %d: the tree differs (-want +got):\n%s", n, diff)
		}
	}
}

type opened struct {
	state State
	close func()
}

func openState(t *testing.T, o statedir.Options) opened {
	t.Helper()
	dir, err := statedir.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Load(); err != nil {
		t.Fatal(err)
	}
	return opened{StateIn(dir), func() {
		if err := dir.Close(); err != nil {
			t.Error(err)
		}
	}}
}

func TestAnOpenInvocationSurvivesItsEncodingWhateverNamesItHolds(t *testing.T) {
	want := &OpenInvocation{
		Step: 3, Index: 1, Engine: "fmt", Kind: "format", Scope: []string{"**"}, Files: 7, Attempts: 2, Lost: 1, Seed: "s",
		Undone:   violations{{Path: "a\xff\nb", Rule: "vendor", New: true}},
		Snapshot: &reread.Snapshot{Started: 5, Files: []string{"x\xfe"}, Dirs: []string{}, Stamps: []reread.DirStamp{}},
	}
	raw, err := want.encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := decodeOpen(raw)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Undone, got.Undone); diff != "" {
		t.Errorf("undone differs:\n%s", diff)
	}
	if got.Engine != want.Engine || got.Attempts != want.Attempts || got.Lost != want.Lost || !cmp.Equal(got.Snapshot.Files, want.Snapshot.Files) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for n := range raw {
		if _, err := decodeOpen(raw[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes decode", n, len(raw))
		}
	}
}
