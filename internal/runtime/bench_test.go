package runtime

import (
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/internal/acquire"
	"github.com/fettle-dev/fettle/internal/corpus"
	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/strictfs"
	"github.com/fettle-dev/fettle/internal/text"
	"github.com/fettle-dev/fettle/internal/workspace"
	"github.com/fettle-dev/fettle/internal/workspace/statedir"
)

// idle is a Driver whose tools do nothing.
type idle struct{}

func (idle) Invoke(context.Context, Call) Outcome {
	return Outcome{Ended: report.EndedOK, Started: true}
}
func (idle) Version(context.Context, engine.Engine) string { return "" }

// BenchmarkRun measures whole runs over 30,000 files whose tools do nothing, state kept
// on disk, against listing, stat'ing and reading the tree once (P5). The metrics are
// ratios of processor time.
func BenchmarkRun(b *testing.B) {
	root := b.TempDir()
	if _, err := corpus.Write(root, corpus.Gen30k()); err != nil {
		b.Fatal(err)
	}
	tree, err := strictfs.Open(root)
	if err != nil {
		b.Fatal(err)
	}
	defer tree.Close()
	for _, steps := range []int{1, 5} {
		b.Run(fmt.Sprintf("%dsteps", steps), func(b *testing.B) {
			w := newBench(b, steps)
			w.Tree, w.FileTime = tree, tree.Now
			var floor, subject corpus.Meter
			for b.Loop() {
				if err := floor.Time(func() error { _, err := corpus.Floor{Read: true}.Run(root); return err }); err != nil {
					b.Fatal(err)
				}
				if err := subject.Time(func() error { return runOnce(b, w, root) }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(subject.CPU)/float64(floor.CPU), "cpu/floor")
			b.ReportMetric(float64(subject.CPU.Milliseconds())/float64(b.N), "cpu-ms/op")
		})
	}
}

func newBench(b *testing.B, steps int) Config {
	types, err := text.NewTypes(text.Overrides{})
	if err != nil {
		b.Fatal(err)
	}
	everything, err := policy.Parse([]policy.Spec{{Write: policy.Axis{Allow: []string{"**"}}}}, 32)
	if err != nil {
		b.Fatal(err)
	}
	c := Config{
		Run: "bench", Pipeline: "bench", Policy: policy.Fixed(everything), Deadline: time.Minute,
		Driver: idle{}, Gate: never{}, Observer: Silent{}, Now: time.Now, Random: rand.Reader,
		Acquire: acquire.Request{Entries: []string{"**"}, Types: types, Bounds: workspace.Bounds{
			MaxFiles: 1 << 20, MaxBytesPerFile: 1 << 24, MaxTotalBytes: 1 << 34, MaxDepth: 32,
		}},
	}
	if c.Engines, err = engine.NewRegistry(nil, engine.Driver{Modes: []engine.Mode{engine.InPlace}, Accesses: []engine.Access{engine.Mount}}, 32); err != nil {
		b.Fatal(err)
	}
	for i := range steps {
		c.Plan.Steps = append(c.Plan.Steps, mustStep(b, fmt.Sprintf(`{"name":"s%d","run":{"command":["true"],"scope":["**"]}}`, i)))
	}
	return c
}

func runOnce(b *testing.B, c Config, root string) error {
	dir, err := statedir.Open(b.Context(), statedir.Options{Dir: filepath.Join(b.TempDir(), "state"), Root: root, Random: rand.Reader})
	if err != nil {
		return err
	}
	defer dir.Close()
	if _, err := dir.Load(); err != nil {
		return err
	}
	c.State = StateIn(dir)
	if r := Run(b.Context(), c); r.Error != nil || len(r.Changes) > 0 {
		return fmt.Errorf("the run failed or changed something: %+v", r.Error)
	}
	return nil
}
