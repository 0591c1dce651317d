// Package inorder does independent work in parallel and takes the results in order, so
// that a parallel reader is as deterministic as a sequential one. It knows nothing of
// what the work is.
package inorder

import (
	"context"
	"runtime"
	"sync"
)

// chunk is how many items in a row a worker takes at a time: enough that taking turns
// costs little beside reading a file, few enough that results in flight stay few.
const chunk = 8

// maxWorkers bounds results in flight on machines with many processors.
const maxWorkers = 8

// Run calls work(s, i) for every i from 0 to n-1, several at a time, and commit(s, i)
// for each in order, one at a time. s is the slot of an item: commit finds there what
// work left, and the slot is then used for another item. There are at most 64 slots.
//
// The first error of commit ends the run and is returned; so does the end of ctx.
func Run[S any](ctx context.Context, n int, work func(s *S, i int), commit func(s *S, i int) error) error {
	workers := min(runtime.GOMAXPROCS(0), maxWorkers, (n+chunk-1)/chunk)
	r := &run{n: n}
	r.turn.L = &r.mu
	var group sync.WaitGroup
	for range workers {
		group.Go(func() { worker(ctx, r, work, commit) })
	}
	group.Wait()
	return r.err
}

type run struct {
	n int

	mu    sync.Mutex
	turn  sync.Cond
	taken int // items that some worker has taken
	done  int // items that are committed
	err   error
}

func worker[S any](ctx context.Context, r *run, work func(s *S, i int), commit func(s *S, i int) error) {
	slots := make([]S, chunk)
	for {
		from, to := r.take(ctx)
		if from == to {
			return
		}
		for i := from; i < to; i++ {
			work(&slots[i-from], i)
		}
		if !r.await(from) {
			return
		}
		var err error
		for i := from; i < to && err == nil; i++ {
			err = commit(&slots[i-from], i)
		}
		r.pass(to, err)
	}
}

// take takes the next items; none if all are taken or the run has ended.
func (r *run) take(ctx context.Context) (from, to int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := ctx.Err(); err != nil && r.err == nil && r.taken < r.n {
		r.err = err
		r.turn.Broadcast()
	}
	if r.err != nil {
		return 0, 0
	}
	from = r.taken
	r.taken = min(from+chunk, r.n)
	return from, r.taken
}

// await waits until all items before from are committed; it reports false if the run
// has ended.
func (r *run) await(from int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.done != from && r.err == nil {
		r.turn.Wait()
	}
	return r.err == nil
}

// pass says that the items before to are committed, or why they aren't.
func (r *run) pass(to int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done = to
	if r.err == nil {
		r.err = err
	}
	r.turn.Broadcast()
}
