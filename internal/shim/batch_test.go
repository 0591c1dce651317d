package shim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/shim/wire"
)

func TestBatchesKeepOrderAndFitTheSpace(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		fixed, env := []string{"tool", "--flag"}, []string{"A=" + strings.Repeat("e", rnd.IntN(5000))}
		paths := make([]string, rnd.IntN(400))
		for i := range paths {
			paths[i] = fmt.Sprint(i, strings.Repeat("p", rnd.IntN(4000)))
		}
		space := 64<<10 + rnd.IntN(256<<10)
		all, f := batches(fixed, env, paths, space)
		if f != nil {
			t.Fatalf("batches: %+v", f)
		}
		for i, b := range all {
			if used := footprints(fixed) + footprints(env) + footprints(b) + argMargin; used > space {
				t.Errorf("a batch takes %d of %d bytes", used, space)
			}
			if i > 0 && footprints(all[i-1])+footprint(b[0])+footprints(fixed)+footprints(env)+argMargin <= space && footprints(all[i-1])+footprint(b[0]) <= batchBytes {
				t.Errorf("the first path of batch %d would have fitted the one before", i)
			}
		}
		if got := slices.Concat(all...); !slices.Equal(got, paths) {
			t.Fatalf("batches hold %d paths, want all %d in order", len(got), len(paths))
		}
	}
}

func TestBatchesDontDependOnAnOrdinaryEnvironment(t *testing.T) {
	paths := make([]string, 40_000)
	for i := range paths {
		paths[i] = fmt.Sprintf("%060d", i)
	}
	small, _ := batches([]string{"tool"}, nil, paths, 2<<20)
	large, _ := batches([]string{"tool"}, []string{strings.Repeat("x", 100_000)}, paths, 6<<20)
	if len(small) != len(large) || len(small) < 2 {
		t.Errorf("%d and %d batches, want the same number, several", len(small), len(large))
	}
}

func TestWithoutPathsThereIsOneBatch(t *testing.T) {
	all, f := batches([]string{"tool"}, nil, nil, 1<<20)
	if f != nil || len(all) != 1 || len(all[0]) != 0 {
		t.Errorf("batches = %v, %+v, want one of no paths", all, f)
	}
}

func TestWhatNoBatchCanHoldIsRefused(t *testing.T) {
	for _, tt := range []struct {
		name              string
		fixed, env, paths []string
	}{
		{"a path beyond the limit of one string", nil, nil, []string{strings.Repeat("x", maxString)}},
		{"a variable beyond the limit of one string", nil, []string{strings.Repeat("x", maxString)}, nil},
		{"fixed arguments beyond the space", slices.Repeat([]string{strings.Repeat("x", 60<<10)}, 3), nil, nil},
		{"a path beyond the room that is left", []string{strings.Repeat("x", 60<<10)}, nil, []string{strings.Repeat("x", 60<<10)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if all, f := batches(tt.fixed, tt.env, tt.paths, 128<<10); f == nil || f.Cause != wire.TooLong {
				t.Errorf("batches = %d, %+v, want TooLong", len(all), f)
			}
		})
	}
}
