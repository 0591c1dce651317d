package vectors

import (
	"reflect"
	"testing"

	"github.com/fettle-dev/fettle/internal/vectortest"
)

type encodingRow struct {
	ID, Rule, Title, Note, Path string
	Before                      entry
	Op                          operation
	Expected                    struct {
		Disk  map[string]entry
		Error *stepError
	}
}

// Spec §3, §8.3, §8.4, §8.11. The rows of detect are run by internal/text.
func TestVectorEncodingSteps(t *testing.T) {
	members := vectortest.Load(t, "runtime", "encoding", "detect", "steps")
	for _, row := range vectortest.Rows[encodingRow](t, members, "steps") {
		t.Run(row.ID, func(t *testing.T) {
			x := newWorld(t, map[string]entry{row.Path: row.Before}, nil, []string{row.Path})
			err := x.do(row.Op)
			if got := errorOf(err); !reflect.DeepEqual(got, row.Expected.Error) {
				t.Fatalf("error %v, want %+v", err, row.Expected.Error)
			}
			if err == nil {
				if err := x.write(nil); err != nil {
					t.Fatal(err)
				}
			}
			x.wantDisk(row.Expected.Disk)
		})
	}
}
