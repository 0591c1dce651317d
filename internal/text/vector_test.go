package text

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/fettle-dev/fettle/internal/vectortest"
)

func mustTypes(t testing.TB, overrides Overrides) *Types {
	t.Helper()
	types, err := NewTypes(overrides)
	if err != nil {
		t.Fatalf("types with %+v: %v", overrides, err)
	}
	return types
}

func TestVectorMIME(t *testing.T) {
	type row struct {
		ID, Rule, Title, Note, Path string
		Overrides                   Overrides
		MIME                        *string
		Refused                     bool
	}
	members := vectortest.Load(t, "runtime", "mime", "vectors", "overrides", "textual")
	for _, member := range []string{"vectors", "overrides"} {
		for _, r := range vectortest.Rows[row](t, members, member) {
			t.Run(r.ID, func(t *testing.T) {
				want := ""
				if r.MIME != nil {
					want = *r.MIME
				}
				got, ok := mustTypes(t, r.Overrides).Resolve(r.Path)
				if got != want || ok == r.Refused {
					t.Errorf("%q: got %q, %v; want %q, %v", r.Path, got, ok, want, !r.Refused)
				}
			})
		}
	}
	type textualRow struct {
		ID, Rule, Title, Note, MIME string
		Textual                     bool
	}
	for _, r := range vectortest.Rows[textualRow](t, members, "textual") {
		t.Run(r.ID, func(t *testing.T) {
			if got := Textual(r.MIME); got != r.Textual {
				t.Errorf("%q: got %v; want %v", r.MIME, got, r.Textual)
			}
		})
	}
}

// The rows of "steps" run whole steps on a workspace: internal/workspace runs them.
func TestVectorEncoding(t *testing.T) {
	type row struct {
		ID, Rule, Title, Note string
		B64                   []byte
		Text                  bool
		Encoding              Encoding
		BOM                   bool
		EOL                   EOL
		FinalNewline          json.RawMessage
	}
	members := vectortest.Load(t, "runtime", "encoding", "detect", "steps")
	for _, r := range vectortest.Rows[row](t, members, "detect") {
		t.Run(r.ID, func(t *testing.T) {
			form, ok := Detect(r.B64)
			if ok != r.Text || Valid(r.B64) != r.Text {
				t.Fatalf("got text %v, valid %v; want %v", ok, Valid(r.B64), r.Text)
			}
			if !ok {
				return
			}
			want := Form{Encoding: r.Encoding, BOM: r.BOM, EOL: r.EOL}
			if err := json.Unmarshal(r.FinalNewline, &want.FinalNewline); err != nil {
				t.Fatalf("finalNewline %s: %v", r.FinalNewline, err)
			}
			if !reflect.DeepEqual(form, want) {
				t.Errorf("got %+v; want %+v", form, want)
			}
		})
	}
}
