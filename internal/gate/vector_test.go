package gate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/vectortest"
)

const depth = 32

// list parses entries; nil stays nil.
func list(t testing.TB, place glob.Place, raws []string) glob.Entries {
	t.Helper()
	entries, err := glob.ParseEntries(raws, place, depth)
	if err != nil {
		t.Fatalf("parse %q: %v", raws, err)
	}
	return entries
}

func TestVectorGate(t *testing.T) {
	type row struct {
		ID, Rule, Title, Note string
		Invocations           []struct {
			Scope    []string
			ReadOnly bool
		}
		Selector []string
		Expected []Create
	}
	members := vectortest.Load(t, "runtime", "gate", "vectors")
	for _, r := range vectortest.Rows[row](t, members, "vectors") {
		t.Run(r.ID, func(t *testing.T) {
			var invocations []engine.Invocation
			for _, i := range r.Invocations {
				invocations = append(invocations, engine.Invocation{
					Scope:    list(t, glob.Scope, i.Scope),
					Selector: list(t, glob.Paths, r.Selector),
					ReadOnly: i.ReadOnly,
				})
			}
			if diff := cmp.Diff(r.Expected, Invocations(invocations)); diff != "" {
				t.Errorf("mayCreate (-want +got):\n%s", diff)
			}
		})
	}
}
