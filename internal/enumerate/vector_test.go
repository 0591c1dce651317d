package enumerate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/vectortest"
)

// Spec §5.6, §12.4: where an enumeration starts.
func TestVectorEnumeration(t *testing.T) {
	type start struct {
		Path string `json:"path"`
		Kind string `json:"kind"`
	}
	type row struct {
		ID, Rule, Title, Note string
		Scope                 []string
		Selector              []string
		Starts                []start
	}
	members := vectortest.Load(t, "runtime", "enumeration", "starts")
	for _, r := range vectortest.Rows[row](t, members, "starts") {
		t.Run(r.ID, func(t *testing.T) {
			region := glob.NewRegion(entries(t, r.Scope), entries(t, r.Selector))
			got := []start{}
			for _, s := range region.Starts() {
				got = append(got, start{Path: s.Path, Kind: string(s.Kind)})
			}
			if diff := cmp.Diff(r.Starts, got); diff != "" {
				t.Errorf("starts (-want +got):\n%s", diff)
			}
		})
	}
}

func entries(t testing.TB, raws []string) glob.Entries {
	t.Helper()
	list, err := glob.ParseEntries(raws, glob.Paths, 64)
	if err != nil {
		t.Fatal(err)
	}
	return list
}
