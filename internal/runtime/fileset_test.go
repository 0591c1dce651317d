package runtime

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAFileSetComesBackFromItsDifference(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func() []string {
		set := []string{}
		for c := 'a'; c < 'h'; c++ {
			if rng.IntN(2) == 0 {
				set = append(set, string(c))
			}
		}
		return set
	}
	for range 500 {
		set, now := draw(), draw()
		kept := slices.Clone(now)
		if got := difference(set, now).from(now); !cmp.Equal(got, set) {
			t.Fatalf("set %v over %v came back as %v", set, now, got)
		}
		if !cmp.Equal(now, kept) {
			t.Fatalf("from changed what it was given: %v, was %v", now, kept)
		}
	}
}
