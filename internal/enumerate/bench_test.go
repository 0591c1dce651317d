package enumerate

import (
	"context"
	"testing"

	"github.com/fettle-dev/fettle/internal/corpus"
	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/strictfs"
)

// Performance notes, P1: listing under globs costs at most 1.5 times the CPU of a plain
// getdents walk.
func BenchmarkWalk(b *testing.B) {
	root := b.TempDir()
	if _, err := corpus.Write(root, corpus.Gen30k()); err != nil {
		b.Fatal(err)
	}
	fs, err := strictfs.Open(root)
	if err != nil {
		b.Fatal(err)
	}
	defer fs.Close()
	list, err := glob.ParseEntries(glob.DefaultExclude(), glob.Exclude, 32)
	if err != nil {
		b.Fatal(err)
	}
	for name, globs := range map[string][]string{"all": {"**"}, "typical": {"**/*.ts", "**/*.tsx", "**/*.go", "*.md"}} {
		b.Run(name, func(b *testing.B) {
			q := Query{Region: glob.NewRegion(entries(b, globs), nil), Exclude: glob.NewExclusion(list), MaxDepth: 32}
			var floor, subject corpus.Meter
			files := 0
			for b.Loop() {
				if err := floor.Time(func() error { _, err := corpus.Floor{}.Run(root); return err }); err != nil {
					b.Fatal(err)
				}
				files = 0
				err := subject.Time(func() error {
					_, err := q.Run(context.Background(), fs, Visitor{File: func(File) bool { files++; return true }})
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(files), "files")
			b.ReportMetric(subject.CPU.Seconds()/floor.CPU.Seconds(), "x-floor-cpu")
			b.ReportMetric(subject.Wall.Seconds()/floor.Wall.Seconds(), "x-floor-wall")
			b.ReportMetric(subject.CPU.Seconds()*1e3/float64(b.N), "cpu-ms/op")
		})
	}
}

// Performance notes, P12: at most one allocation for each file.
func TestAnEnumerationAllocatesAtMostOncePerFile(t *testing.T) {
	root := t.TempDir()
	if _, err := corpus.Write(root, corpus.Small()); err != nil {
		t.Fatal(err)
	}
	fs, err := strictfs.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer fs.Close()
	q := Query{Region: glob.NewRegion(entries(t, []string{"**"}), nil), Exclude: exclusion(t, glob.DefaultExclude()...), MaxDepth: 32}
	files := 0
	allocs := testing.AllocsPerRun(10, func() {
		files = 0
		if _, err := q.Run(context.Background(), fs, Visitor{File: func(File) bool { files++; return true }}); err != nil {
			t.Error(err)
		}
	})
	if files != corpus.Small().Files || allocs > float64(files) {
		t.Errorf("got %.0f allocations for %d files, want at most one each for %d", allocs, files, corpus.Small().Files)
	}
}
