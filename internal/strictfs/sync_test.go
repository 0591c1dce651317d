package strictfs

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/fettle-dev/fettle/internal/tree"
)

func TestEveryOneIsCalledAndTheFirstErrorReturned(t *testing.T) {
	for _, n := range []int{0, 1, syncWorkers, 3*syncWorkers + 1} {
		var calls atomic.Int64
		if err := inParallel(n, func(int) error { calls.Add(1); return nil }); err != nil || int(calls.Load()) != n {
			t.Errorf("%d: %d calls, %v", n, calls.Load(), err)
		}
		calls.Store(0)
		err := inParallel(n, func(i int) error { calls.Add(1); return fmt.Errorf("error %d", i) })
		if int(calls.Load()) != n || n > 0 && (err == nil || err.Error() != "error 0") {
			t.Errorf("%d that fail: %d calls, %v; want the error of the first", n, calls.Load(), err)
		}
	}
}

func TestSyncReachesTheFilesOfEachBatch(t *testing.T) {
	s := newSubject(t)
	var files []string
	for i := range syncBatch + 2 {
		files = append(files, fmt.Sprintf("f%d", i))
		s.File(files[i], "x", 0o644)
	}
	for _, i := range []int{0, syncBatch - 1, syncBatch, syncBatch + 1} {
		with := append([]string(nil), files...)
		with[i] = "d"
		s.Dir("d")
		if err := s.root.Sync(with, nil); !errors.Is(err, tree.ErrNotRegular) {
			t.Errorf("directory as file %d: error = %v, want %v", i, err, tree.ErrNotRegular)
		}
	}
}
