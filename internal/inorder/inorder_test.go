package inorder

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

func TestResultsComeInOrderWhateverTheWorkTakes(t *testing.T) {
	for _, n := range []int{0, 1, chunk, chunk + 1, 1000} {
		var worked atomic.Int64
		next := 0
		err := Run(context.Background(), n,
			func(s *int, i int) {
				for range i % 7 * 1000 { // uneven
					worked.Add(1)
				}
				*s = i * i
			},
			func(s *int, i int) error {
				if i != next || *s != i*i {
					t.Errorf("n %d: commit %d with %d, want %d with %d", n, i, *s, next, next*next)
				}
				next++
				return nil
			})
		if err != nil || next != n {
			t.Errorf("n %d: committed %d, %v", n, next, err)
		}
	}
}

func TestTheFirstErrorEndsTheRun(t *testing.T) {
	errStop := errors.New("stop")
	for _, at := range []int{0, 3, 500, 999} {
		last := -1
		err := Run(context.Background(), 1000, func(*struct{}, int) {}, func(_ *struct{}, i int) error {
			last = i
			if i == at {
				return errStop
			}
			return nil
		})
		if !errors.Is(err, errStop) || last != at {
			t.Errorf("stopping at %d: last commit %d, %v", at, last, err)
		}
	}
}

func TestACancelledContextEndsTheRun(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	commits := 0
	err := Run(ctx, 100_000, func(*struct{}, int) {}, func(*struct{}, int) error {
		if commits++; commits == 100 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || commits == 100_000 {
		t.Errorf("got %d commits, %v; want an early end by the context", commits, err)
	}
}

func TestACancelledContextIsNoErrorOfWorkThatIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	err := Run(ctx, 5, func(*struct{}, int) {}, func(_ *struct{}, i int) error {
		if i == 4 {
			cancel()
		}
		return nil
	})
	if err != nil {
		t.Errorf("got %v, want none: everything was committed", err)
	}
}
