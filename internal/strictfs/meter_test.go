package strictfs

import (
	"math/rand/v2"
	"time"

	"golang.org/x/sys/unix"
)

// meter runs its runners in turns and sums what each costs, of the process's CPU and
// of time.
type meter struct {
	runners   []func()
	cpu, wall []time.Duration
}

func newMeter(runners ...func()) *meter {
	return &meter{runners, make([]time.Duration, len(runners)), make([]time.Duration, len(runners))}
}

func (m *meter) round(times int) {
	for _, i := range rand.Perm(len(m.runners)) {
		used, start := cpuUsed(), time.Now()
		for range times {
			m.runners[i]()
		}
		m.cpu[i] += cpuUsed() - used
		m.wall[i] += time.Since(start)
	}
}

func (m *meter) ratio(i, of int) float64 { return float64(m.cpu[i]) / float64(m.cpu[of]) }

func (m *meter) wallRatio(i, of int) float64 { return float64(m.wall[i]) / float64(m.wall[of]) }

func cpuUsed() time.Duration {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
