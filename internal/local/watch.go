package local

import (
	"slices"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/policy"
)

// Watch remembers what some files and directories are, so that a change of them is
// noticed without reading them. Directories show that files came or went.
type Watch struct {
	paths []string
	seen  []stamp
}

// stamp is what stat says of a path; the zero value is one that can't be looked at.
type stamp struct {
	dev, ino     uint64
	size         int64
	mtime, ctime unix.Timespec
}

// NewWatch looks at paths, before they are read.
func NewWatch(paths []string) *Watch {
	w := &Watch{paths: slices.Clone(paths)}
	w.seen = w.look()
	return w
}

func (w *Watch) look() []stamp {
	stamps := make([]stamp, len(w.paths))
	for i, path := range w.paths {
		var st unix.Stat_t
		if unix.Stat(path, &st) == nil {
			stamps[i] = stamp{dev: st.Dev, ino: st.Ino, size: st.Size, mtime: st.Mtim, ctime: st.Ctim}
		}
	}
	return stamps
}

// Policy returns the source of a policy that is kept in the watched files (spec §6.5).
// First it is p; whenever one of the files has changed it is what load returns, and
// unavailable while load fails: a policy that is gone or doesn't parse allows nothing.
// Whoever asks waits for load.
func (w *Watch) Policy(p *policy.Policy, load func() (*policy.Policy, error)) policy.Source {
	var mu sync.Mutex
	return func() *policy.Policy {
		mu.Lock()
		defer mu.Unlock()
		now := w.look()
		if slices.Equal(now, w.seen) {
			return p
		}
		w.seen = now
		loaded, err := load()
		if err != nil {
			loaded = policy.NotAvailable(err)
		}
		p = loaded
		return p
	}
}
