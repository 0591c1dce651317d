package crash

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/test/rig"
)

// The harness must find faults that are planted for it, within as many kills as it gives
// the real programs. None of them shows in an undisturbed run.
func TestPlantedFaultsAreFound(t *testing.T) {
	g := newGolden(t)
	tr := g.trace(t, pipeline(0, len(steps), "0"))
	for _, tt := range []struct {
		name   string
		fault  rig.Fault
		want   string // in what is found
		soaked bool   // looked for when there is time only
	}{
		{
			name:  "a write begins before its journal entry is durable",
			fault: rig.Fault{File: "internal/persist/persist.go", Old: "if wr.Journal != nil {", New: "if wr.Journal == nil {"},
			want:  "drift",
		},
		{
			name: "a file is removed before its successor is put in place",
			fault: rig.Fault{
				File: "internal/persist/route.go",
				Old:  "err = s.Tree.Exchange(op.Temp, op.Path)\n\t}",
				New:  "if err = s.Tree.Remove(op.Path); err == nil {\n\t\t\terr = s.Tree.Rename(op.Temp, op.Path)\n\t\t}\n\t\told = nil\n\t}",
			},
			want: "is gone",
		},
		{
			name: "a replay leaves temporaries behind",
			fault: rig.Fault{
				File: "internal/persist/replay.go",
				Old:  "if op.Temp == \"\" {",
				New:  "if op.Temp == \"\" || op.Kind == Write {",
			},
			want:   ".fettle-",
			soaked: true,
		},
		{
			name: "a resumed tool gets a snapshot of its own",
			fault: rig.Fault{
				File: "internal/runtime/run.go",
				Old:  "x.entry.Invocation.Lost++",
				New:  "x.entry = nil",
			},
			want: "generated.ts",
		},
		{
			name: "a report is given up before it is kept",
			fault: rig.Fault{
				File: "internal/local/run.go",
				Old:  "if err := s.options.Home.Reports().Save(r); err != nil {",
				New:  "if err := s.config.State.Clear(); err != nil {\n\t\treturn err\n\t}\n\tif err := s.options.Home.Reports().Save(r); err != nil {",
			},
			want:   "report",
			soaked: true,
		},
	} {
		if tt.soaked && !soaking() {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			planted, err := programs.Plant(t.TempDir(), tt.fault)
			if err != nil {
				t.Fatal(err)
			}
			rnd := rand.New(rand.NewPCG(1, 0))
			kills := append(tr.everyBoundary(), tr.draw(rnd, drawn())...)
			rnd.Shuffle(len(kills), func(i, j int) { kills[i], kills[j] = kills[j], kills[i] })
			if problems, _ := g.try(planted, kill{target: "nobody", n: 1, retries: "0"}); len(problems) > 0 {
				t.Fatalf("the fault shows without any kill: %s", problems)
			}
			tried, found := 0, ""
			g.tryAll(planted, kills, func(k kill, problems []string, _ bool) bool {
				tried++
				if all := strings.Join(problems, "\n"); len(problems) > 0 && strings.Contains(all, tt.want) {
					found = k.String() + ":\n" + all
				}
				return found == ""
			})
			if found == "" {
				t.Fatalf("%d kills didn't find it", tried)
			}
			t.Logf("found by kill %d, %.600s", tried, found)
		})
	}
}
