package persist

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"path"
	"slices"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// order turns what is pending into operations, in the order of spec §16.4: renames,
// deletions that nothing supersedes, contents.
func (wr *Writer) order(p pending, books *Books) ([]Op, error) {
	o := &orderer{wr: wr, books: books, pending: p}
	o.renames()
	o.deletions()
	o.contents()
	return o.ops, o.err
}

// orderer gathers operations; the first error ends it.
type orderer struct {
	wr      *Writer
	books   *Books
	pending pending
	ops     []Op
	err     error
}

func (o *orderer) renames() {
	left := maps.Clone(o.pending.renames)
	for len(left) > 0 && o.err == nil {
		sources := map[string]bool{}
		for _, from := range left {
			sources[from] = true
		}
		var ready []string
		for to := range left {
			if !sources[to] {
				ready = append(ready, to)
			}
		}
		if len(ready) == 0 {
			to := slices.Min(slices.Collect(maps.Keys(left)))
			left[to] = o.breakCycle(to, left[to])
			continue
		}
		slices.Sort(ready)
		for _, to := range ready {
			o.rename(to, left[to], false)
			delete(left, to)
		}
	}
}

// breakCycle moves the file that is to go to a path out of the way, and returns where.
func (o *orderer) breakCycle(to, from string) string {
	temp := o.temp(to)
	o.rename(to, from, true)
	last := &o.ops[len(o.ops)-1]
	last.Path, last.Over, last.Cycle = temp, Expected{Want: Nothing}, true
	return temp
}

func (o *orderer) rename(to, from string, cycle bool) {
	f, _ := o.books.Workspace.File(to)
	op := Op{Kind: Rename, Key: to, Path: to, From: from, Before: o.persisted(f.Disk, Bytes), Over: Expected{Want: Nothing}}
	if _, ok := o.pending.deletions[to]; ok && !cycle {
		op.Over = o.persisted(to, BytesOrNothing)
		op.Temp = o.temp(to)
	}
	o.ops = append(o.ops, op)
}

func (o *orderer) deletions() {
	for _, disk := range slices.Sorted(maps.Keys(o.pending.deletions)) {
		_, taken := o.pending.renames[disk]
		if taken || o.pending.contents[disk] {
			continue // superseded
		}
		o.ops = append(o.ops, Op{Kind: Delete, Path: disk, Temp: o.temp(disk), Before: o.persisted(disk, BytesOrNothing)})
	}
}

func (o *orderer) contents() {
	for _, p := range slices.Sorted(maps.Keys(o.pending.contents)) {
		f, _ := o.books.Workspace.File(p)
		op := Op{Kind: Write, Path: p, Temp: o.temp(p), Before: Expected{Want: Nothing}}
		if f.Disk != "" {
			op.Before = o.persisted(f.Disk, Bytes)
		} else if _, ok := o.pending.deletions[p]; ok {
			op.Before = o.persisted(p, BytesOrNothing)
		}
		op.After = o.expect(p, Bytes, workspace.Persisted{Content: f.Content})
		op.After.Mode = f.Mode
		o.ops = append(o.ops, op)
	}
}

// persisted is what a disk path holds by the persisted baseline: anything if it has no
// entry.
func (o *orderer) persisted(disk string, want Want) Expected {
	p, ok := o.books.Baselines.Persisted(disk)
	if !ok {
		return Expected{Want: Anything}
	}
	return o.expect(disk, want, p)
}

func (o *orderer) expect(p string, want Want, is workspace.Persisted) Expected {
	data, err := o.wr.Store.Get(is.Content, nil)
	if err != nil {
		o.fail(ioError(p, err, "its content can't be had from the store"))
		return Expected{}
	}
	return Expected{Want: want, Content: is.Content, Sum: sha256.Sum256(data), Mode: is.ID.Mode}
}

// tempPrefix is what the name of every temporary begins with.
const tempPrefix = ".fettle-"

// tempAttempts is how many names are tried for a temporary (spec §1.3).
const tempAttempts = 8

// temp returns a fresh sibling of a path, checked absent.
func (o *orderer) temp(sibling string) string {
	var random [8]byte
	for range tempAttempts {
		if _, err := io.ReadFull(o.wr.Random, random[:]); err != nil {
			o.fail(ioError(sibling, err, "no temporary name can be drawn"))
			return ""
		}
		name := path.Join(path.Dir(sibling), tempPrefix+hex.EncodeToString(random[:]))
		if _, err := o.wr.Tree.Stat(name); err != nil {
			return name // absent; what else may be wrong here the preflight says of the sibling
		}
	}
	o.fail(fault.New(fault.StepFailed, fault.ReasonIO, sibling, "no free name for a temporary beside it after %d attempts", tempAttempts).
		WithHint("remove what is named .fettle-* in that directory"))
	return ""
}

func (o *orderer) fail(err error) {
	if o.err == nil {
		o.err = err
	}
}
