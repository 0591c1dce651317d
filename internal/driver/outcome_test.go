package driver

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/shim/wire"
)

func TestTheEndOfSeveralBatchesIsThatOfAllOfThem(t *testing.T) {
	batch := func(head, tail string, total int64) Output {
		return Output{Stdout: wire.Output{Head: []byte(head), Tail: []byte(tail), Total: total}}
	}
	long := strings.Repeat("x", TailBytes)
	for _, tc := range []struct {
		name    string
		batches []Output
		want    *report.Tail
	}{
		{"nothing", []Output{batch("", "", 0)}, nil},
		{"all of it where it fits", []Output{batch("a", "", 1), batch("b", "c", 2)}, &report.Tail{Text: "abc"}},
		{"nothing that isn't next to the end", []Output{batch("a", "", 1), batch(long, "z", int64(len(long)+1))}, &report.Tail{Text: long[1:] + "z", Dropped: 2}},
		{"nothing from before a gap", []Output{batch("a", "", 1), batch("b", "d", 3)}, &report.Tail{Text: "d", Dropped: 3}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := tail(tc.batches, func(o Output) wire.Output { return o.Stdout })
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("tail (-want +got):\n%s", diff)
			}
		})
	}
}
