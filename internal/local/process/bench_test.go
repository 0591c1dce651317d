package process

import (
	"context"
	"os/exec"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/internal/driver"
	"github.com/fettle-dev/fettle/internal/shim/wire"
)

// BenchmarkRun measures what the shim adds to a tool that does nothing; the floor is the
// bare process. Both alternate in one loop, so that the machine's mood hits both.
func BenchmarkRun(b *testing.B) {
	d, err := New(options(b.TempDir(), b.TempDir()))
	if err != nil {
		b.Fatal(err)
	}
	request := driver.Request{Engine: "true", Command: []string{"true"}, Passing: wire.Passing{As: wire.None}}
	var floor, subject stopwatch
	for b.Loop() {
		floor.time(func() {
			if err := exec.Command("true").Run(); err != nil {
				b.Fatal(err)
			}
		})
		subject.time(func() {
			if _, err := d.Run(context.Background(), request); err != nil {
				b.Fatal(err)
			}
		})
	}
	b.ReportMetric(float64(subject.total.Microseconds())/float64(b.N)/1000, "ms/run")
	b.ReportMetric(float64(floor.total.Microseconds())/float64(b.N)/1000, "ms/floor")
}

type stopwatch struct{ total time.Duration }

func (s *stopwatch) time(f func()) {
	start := time.Now()
	f()
	s.total += time.Since(start)
}
