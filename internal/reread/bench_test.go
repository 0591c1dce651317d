package reread_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/internal/corpus"
	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/reread"
	"github.com/fettle-dev/fettle/internal/strictfs"
	"github.com/fettle-dev/fettle/internal/workspace"
	"github.com/fettle-dev/fettle/internal/workspace/statedir"
)

// settle is longer than the margin within which a stamp proves nothing.
const settle = 25 * time.Millisecond

// bench is a run over gen30k on disk, its bytes in a pack.
type bench struct {
	*world
	root  string
	files []corpus.File
	inv   reread.Invocation
	round int // of rewriting
}

func newBench(b *testing.B) *bench {
	root := b.TempDir()
	files, err := corpus.Write(root, corpus.Gen30k())
	if err != nil {
		b.Fatal(err)
	}
	fs, err := strictfs.Open(root)
	if err != nil {
		b.Fatal(err)
	}
	pack, err := statedir.CreatePack(filepath.Join(b.TempDir(), "pack"), rand.Reader)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := pack.Close(); err != nil {
			b.Error(err)
		}
		if err := fs.Close(); err != nil {
			b.Error(err)
		}
	})
	rules, err := policy.Parse([]policy.Spec{{Write: policy.Axis{Allow: []string{"**"}}}}, 32)
	if err != nil {
		b.Fatal(err)
	}
	bounds := workspace.DefaultBounds()
	bounds.MaxFiles = 2 * len(files)
	x := newWorldIn(b, fs, pack, rules, bounds, glob.DefaultExclude(), "**")
	x.env.Now = fs.Now
	time.Sleep(settle)
	return &bench{world: x, root: root, files: files, inv: reread.Invocation{Engine: "tool"}}
}

func (x *bench) snapshot(b *testing.B) (*reread.Prepared, *reread.Snapshot) {
	p := x.prepare(x.inv)
	s, _, err := x.env.Snapshot(context.Background(), p)
	if err != nil {
		b.Fatal(err)
	}
	return p, s
}

// time re-reads under a meter and checks how much was found.
func (x *bench) time(b *testing.B, m *corpus.Meter, env reread.Env, p *reread.Prepared, s *reread.Snapshot, changed int) *reread.Result {
	var res *reread.Result
	err := m.Time(func() (err error) {
		res, err = env.Reread(context.Background(), p, s, reread.End{})
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	if len(res.Changed) != changed || len(res.Outcomes) != len(x.files) {
		b.Fatalf("found %d changed of %d, want %d of %d", len(res.Changed), len(res.Outcomes), changed, len(x.files))
	}
	return res
}

func (x *bench) floor(b *testing.B, m *corpus.Meter) {
	if err := m.Time(func() error { _, err := corpus.Floor{Stat: true}.Run(x.root); return err }); err != nil {
		b.Fatal(err)
	}
}

// Performance notes, P3: a re-read that finds nothing costs at most the CPU of a plain
// getdents-and-fstatat walk and 0.3 of the wall time of reading and comparing all.
// P4: with one file in a hundred changed, at most 1.3 times the CPU of that.
func BenchmarkReread(b *testing.B) {
	x := newBench(b)
	b.Run("0pct", x.nothing)
	b.Run("1pct", x.onePercent)
}

func (x *bench) nothing(b *testing.B) {
	full := x.env
	full.FullCompare = true
	p, s := x.snapshot(b)
	var floor, subject, compare corpus.Meter
	for b.Loop() {
		x.floor(b, &floor)
		x.time(b, &subject, x.env, p, s, 0)
		x.time(b, &compare, full, p, s, 0)
	}
	b.ReportMetric(subject.CPU.Seconds()/floor.CPU.Seconds(), "x-floor-cpu")
	b.ReportMetric(subject.Wall.Seconds()/compare.Wall.Seconds(), "x-full-wall")
	b.ReportMetric(subject.CPU.Seconds()*1e3/float64(b.N), "cpu-ms/op")
}

func (x *bench) onePercent(b *testing.B) {
	var nothing, subject corpus.Meter
	for b.Loop() {
		p, s := x.snapshot(b)
		x.time(b, &nothing, x.env, p, s, 0)
		changed := x.rewrite(b)
		res := x.time(b, &subject, x.env, p, s, changed)
		x.w, x.b = res.Workspace, res.Baselines
		time.Sleep(settle)
	}
	b.ReportMetric(subject.CPU.Seconds()/nothing.CPU.Seconds(), "x-nothing-cpu")
	b.ReportMetric(subject.CPU.Seconds()*1e3/float64(b.N), "cpu-ms/op")
}

// rewrite gives one file in a hundred a new first line, in place.
func (x *bench) rewrite(b *testing.B) int {
	x.round++
	n := 0
	for i := x.round % 100; i < len(x.files); i += 100 {
		f, err := os.OpenFile(filepath.Join(x.root, x.files[i].Path), os.O_WRONLY, 0)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := fmt.Fprintf(f, "// %08d round\n", x.round); err != nil {
			b.Fatal(err)
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
		n++
	}
	return n
}
