package statedir

import (
	"bytes"
	mathrand "math/rand/v2"
	"reflect"
	"testing"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/fault"
)

// marked is a pack of any length that random books refer to.
var marked = Mark{Length: 1 << 30}

// fuzzed returns files to decode: data as it is, and with a first line and checksum that
// fit, so that what lies behind them is reached.
func fuzzed(magic string, data []byte) [][]byte {
	return [][]byte{data, seal(append([]byte(magic), data...))}
}

func FuzzAnIndexIsDecodedOrRefused(f *testing.F) {
	store := &offset{}
	for i := range 6 {
		data := encodeBooks(randomBooks(f, store, mathrand.New(mathrand.NewPCG(uint64(i), 1)), i*3))
		f.Add(data)
		f.Add(data[len(indexMagic) : len(data)-4])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, data := range fuzzed(indexMagic, data) {
			b, err := decodeBooks("index-1", data, marked)
			if err != nil {
				if !fault.Is(err, fault.StepFailed, fault.ReasonState) {
					t.Fatalf("got %v, want a refusal", err)
				}
				continue
			}
			again, err := decodeBooks("index-1", encodeBooks(b), marked)
			if err != nil {
				t.Fatalf("what was decoded can't be encoded: %v", err)
			}
			wantBooks(t, again, b)
		}
	})
}

func FuzzAJournalIsDecodedOrRefused(f *testing.F) {
	store := &offset{}
	for _, entry := range []*Entry{nil, {Invocation: []byte("x")}, {Write: someOps(store, f)}} {
		data := journal{number: 3, index: 2, pack: marked, boot: "b", progress: []byte("{}"), entry: entry}.encode()
		f.Add(data)
		f.Add(data[len(journalMagic) : len(data)-4])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, data := range fuzzed(journalMagic, data) {
			j, err := decodeJournal(data)
			if err != nil {
				if !fault.Is(err, fault.StepFailed, fault.ReasonState) {
					t.Fatalf("got %v, want a refusal", err)
				}
				continue
			}
			again, err := decodeJournal(j.encode())
			if err != nil || !reflect.DeepEqual(again, j) {
				t.Fatalf("got %+v, %v, want %+v", again, err, j)
			}
		}
	})
}

// Whatever is flipped, the checksum notices.
func TestNoFlippedBitIsDecodedSilently(t *testing.T) {
	data := encodeBooks(randomBooks(t, &offset{}, mathrand.New(mathrand.NewPCG(1, 1)), 5))
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 1 << (i % 8)
		if _, err := decodeBooks("index-1", bad, marked); err == nil {
			t.Fatalf("a flipped bit at %d went unnoticed", i)
		}
		if _, err := decodeBooks("index-1", data[:i], marked); err == nil {
			t.Fatalf("a cut at %d went unnoticed", i)
		}
	}
}

// offset is a content.Store whose places lie where those of a pack do.
type offset struct{ content.Memory }

func (o *offset) Put(b []byte) (content.Ref, error) {
	r, err := o.Memory.Put(b)
	r.Off += packHeader
	return r, err
}
