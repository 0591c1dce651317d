package gate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/glob"
)

func draw(r *rand.Rand, alphabet []string) string {
	segments := make([]string, 1+r.IntN(3))
	for i := range segments {
		segments[i] = alphabet[r.IntN(len(alphabet))]
	}
	return strings.Join(segments, "/")
}

// TestMayCreateIsWhatTheReReadWouldAdmit: a new file is admitted where the region of some
// invocation that isn't read-only matches, and shown by some entry of mayCreate.
func TestMayCreateIsWhatTheReReadWouldAdmit(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	patterns, names := []string{"**", "*", "a", "*b", "a*", ".c", ".*"}, []string{"a", "b", "ab", ".c", "x"}
	admitted := 0
	for range 1500 {
		var invocations []engine.Invocation
		var selector glob.Entries
		if r.IntN(2) == 0 {
			selector = list(t, glob.Paths, []string{draw(r, patterns), draw(r, patterns)})
		}
		for range 1 + r.IntN(3) {
			inv := engine.Invocation{Selector: selector, ReadOnly: r.IntN(4) == 0}
			if r.IntN(5) > 0 {
				inv.Scope = list(t, glob.Scope, []string{draw(r, patterns), draw(r, patterns)})
			}
			invocations = append(invocations, inv)
		}
		shown := Invocations(invocations)
		for range 40 {
			path := draw(r, names)
			want := false
			for _, inv := range invocations {
				want = want || !inv.ReadOnly && inv.Region().Match(path)
			}
			got := false
			for _, c := range shown {
				got = got || matches(t, c.Scope, path) && (c.Selector == "" || matches(t, c.Selector, path))
			}
			if got != want {
				t.Fatalf("%q would be admitted: %v, and is shown: %v, by %+v", path, want, got, shown)
			}
			if want {
				admitted++
			}
		}
	}
	if admitted < 1000 {
		t.Errorf("only %d paths were admitted: the test shows little", admitted)
	}
}

func matches(t testing.TB, entry, path string) bool {
	t.Helper()
	return list(t, glob.Paths, []string{entry}).Match(path)
}

func TestEveryPairThatIsShownHoldsAPath(t *testing.T) {
	shown := Invocations([]engine.Invocation{{Scope: list(t, glob.Scope, []string{"src/**", "lib/*.ts"}), Selector: list(t, glob.Paths, []string{"lib/a.js", "src/.x", "lib/*"})}})
	want := "[{ lib/*.ts lib/*}]"
	if got := fmt.Sprint(shown); got != want {
		t.Errorf("mayCreate = %s, want %s", got, want)
	}
}

func TestPathsAreSortedAndShownOnce(t *testing.T) {
	if got, want := fmt.Sprint(Paths([]string{"b", "a", "b"})), "[{a  } {b  }]"; got != want {
		t.Errorf("mayCreate = %s, want %s", got, want)
	}
	if Paths(nil) == nil || Invocations(nil) == nil {
		t.Error("a mayCreate of nothing is nil, which would say that the step has none")
	}
}
