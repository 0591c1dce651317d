package pathdoor

import (
	"testing"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/vectortest"
)

// maxDepth is what the vectors assume.
const maxDepth = 32

type doorVerdict struct {
	OK      string       `json:"ok"`
	Refused fault.Reason `json:"refused"`
}

type doorRow struct {
	ID      string      `json:"id"`
	Rule    string      `json:"rule"`
	Title   string      `json:"title"`
	Note    string      `json:"note"`
	Input   string      `json:"input"`
	Literal doorVerdict `json:"literal"`
	Facade  doorVerdict `json:"facade"`
	Strict  doorVerdict `json:"strict"`
}

func TestVectorPathLexical(t *testing.T) {
	members := vectortest.Load(t, "runtime", "path-lexical", "vectors")
	for _, row := range vectortest.Rows[doorRow](t, members, "vectors") {
		t.Run(row.ID, func(t *testing.T) {
			checkDoor(t, "literal", Literal, row.Input, row.Literal)
			checkDoor(t, "façade", Facade, row.Input, row.Facade)
			checkDoor(t, "strict", Strict, row.Input, row.Strict)
		})
	}
}

func checkDoor(t *testing.T, name string, door func(string, int) (string, error), input string, want doorVerdict) {
	t.Helper()
	got, err := door(input, maxDepth)
	if want.Refused == "" {
		if err != nil || got != want.OK {
			t.Errorf("%s door on %q: got %q, %v; want %q", name, input, got, err, want.OK)
		}
		return
	}
	if !fault.Is(err, fault.PathRefused, want.Refused) {
		t.Errorf("%s door on %q: got %q, %v; want PathRefused (%s)", name, input, got, err, want.Refused)
	}
}
