package reread

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// However many workers share a survey, it sees the same in the same order.
func TestASurveySeesTheSameWithAnyNumberOfWorkers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	disk, err := treemem.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	e := Env{
		Tree: disk, Store: &content.Memory{}, Policy: policy.Fixed(nil), Bounds: workspace.DefaultBounds(),
		Now: func() (int64, error) { return 1 << 62, nil },
	}
	w, b := workspace.New(0), workspace.NewBaselines(0)
	path := func(i int) string { return fmt.Sprintf("d%02d/f%03d.ts", i/7, i) }
	for i := range 200 {
		if err := disk.Write(path(i), "x"); err != nil {
			t.Fatal(err)
		}
		id, err := disk.Stat(path(i))
		if err != nil {
			t.Fatal(err)
		}
		w.Put(path(i), workspace.File{Content: content.Ref{Len: 1}, Origin: path(i), Disk: path(i)})
		b.PutPersisted(path(i), workspace.Persisted{Content: content.Ref{Len: 1}, ID: id})
	}
	p, err := e.Prepare(w, b, Invocation{})
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := e.Snapshot(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < 200; i += 9 {
		if err := disk.Put(path(i), treemem.Entry{Kind: tree.Kind(1 + i%4), Data: "y", Target: "z"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := disk.Delete("d03"); err != nil {
		t.Fatal(err)
	}
	r := &round{env: e, p: p, snap: s, known: p.known, w: w, b: b}
	want, err := r.survey(context.Background(), 1000)
	if err != nil || len(want.probes) == 0 || len(want.again) == 0 || len(want.gone) == 0 {
		t.Fatalf("got %+v, %v; want something of everything", want, err)
	}
	for _, share := range []int{1, 30, 50, 100} {
		got, err := r.survey(context.Background(), share)
		if err != nil {
			t.Fatal(err)
		}
		compare := cmp.Options{cmp.AllowUnexported(surveyed{}, probe{}), cmp.Comparer(func(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) })}
		if diff := cmp.Diff(want, got, compare); diff != "" {
			t.Errorf("%d paths for each worker (-one +several):\n%s", share, diff)
		}
	}
}
