package statedir

import (
	"crypto/sha256"

	"github.com/fettle-dev/fettle/internal/persist"
)

const journalMagic = "fettle-journal 1\n"

// journal is the file that says what counts: which index, how much of the pack, and what
// is under way. It is replaced as a whole, and with it the state of the run.
type journal struct {
	number   uint64            // of this journal
	index    uint64            // number of the index file
	indexSum [sha256.Size]byte // its digest: another file of that name doesn't do
	pack     Mark
	boot     string // of the machine, when it was written
	progress []byte
	entry    *Entry
}

// Kinds of entries.
const (
	noEntry = iota
	writeEntry
	invocationEntry
)

func (j journal) encode() []byte {
	e := &encoder{out: []byte(journalMagic)}
	e.uint(j.number)
	e.uint(j.index)
	e.out = append(e.out, j.indexSum[:]...)
	e.out = append(e.out, j.pack.ID[:]...)
	e.uint(uint64(j.pack.Length))
	e.string(j.boot)
	e.bytes(j.progress)
	switch {
	case j.entry == nil:
		e.byte(noEntry)
	case j.entry.Invocation != nil:
		e.byte(invocationEntry)
		e.bytes(j.entry.Invocation)
	default:
		e.byte(writeEntry)
		e.uint(uint64(len(j.entry.Write)))
		for _, op := range j.entry.Write {
			e.op(op)
		}
	}
	return seal(e.out)
}

func decodeJournal(data []byte) (journal, error) {
	body, err := unseal(journalName, journalMagic, data)
	if err != nil {
		return journal{}, err
	}
	d := &booksDecoder{decoder: decoder{in: body}}
	j := journal{number: d.uint(), index: d.uint(), indexSum: d.sum()}
	for i := range j.pack.ID {
		j.pack.ID[i] = d.byte()
	}
	j.pack.Length = int64(min(d.uint(), 1<<62))
	d.pack = j.pack.Length
	j.boot = d.string()
	j.progress = append([]byte(nil), d.bytes()...)
	switch d.byte() {
	case noEntry:
	case invocationEntry:
		j.entry = &Entry{Invocation: append([]byte{}, d.bytes()...)}
	case writeEntry:
		j.entry = &Entry{}
		for range d.start() {
			j.entry.Write = append(j.entry.Write, d.op())
		}
	default:
		d.fail()
	}
	return j, d.end(journalName)
}

func (e *encoder) op(op persist.Op) {
	e.byte(byte(op.Kind))
	for _, p := range []string{op.Path, op.From, op.Key, op.Temp} {
		e.string(p)
	}
	for _, want := range []persist.Expected{op.Before, op.Over, op.After} {
		e.byte(byte(want.Want))
		e.ref(want.Content)
		e.out = append(e.out, want.Sum[:]...)
		e.uint(uint64(want.Mode))
	}
	cycle := byte(0)
	if op.Cycle {
		cycle = 1
	}
	e.byte(cycle)
}

func (d *booksDecoder) op() persist.Op {
	op := persist.Op{Kind: persist.Kind(d.byte())}
	for _, p := range []*string{&op.Path, &op.From, &op.Key, &op.Temp} {
		*p = d.string()
	}
	for _, want := range []*persist.Expected{&op.Before, &op.Over, &op.After} {
		want.Want = persist.Want(d.byte())
		want.Content = d.ref()
		want.Sum = d.sum()
		want.Mode = d.uint32()
	}
	op.Cycle = d.byte() != 0
	if op.Kind < persist.Rename || op.Kind > persist.Write || op.Path == "" {
		d.fail()
	}
	return op
}

func (d *decoder) sum() (sum [sha256.Size]byte) {
	if len(d.in) < len(sum) {
		d.fail()
		return sum
	}
	d.in = d.in[copy(sum[:], d.in):]
	return sum
}
