package hostile

import (
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/test/rig"
)

// odd are names that a workspace can hold, and ones that it can't.
var (
	odd = []string{
		"new\nline.ts", " lead.ts", "-dash.ts", "a b'c\"d$(x)`y`.ts", "st*r.ts", "~tilde.ts", "C:drive.ts", "%2e%2e.ts", "tab\t.ts",
		"\u00e9-composed.ts", "e\u0301-combined.ts", "\u202ertl.ts", "\U0001F469\u200d\U0001F680.ts", "\x1b[31mred.ts", "\u65e5\u672c/\u8a9e.ts", "#,;&|<>?!.ts", "...ts.ts",
	}
	unaddressable = []string{"back\\slash.ts", "bytes\xff\xfe.ts", "trail.ts ", "end.ts\n"}
)

func oddTree() rig.Tree {
	tree := rig.Tree{"beside": rig.File("not yours\n")}
	for _, name := range slices.Concat(odd, unaddressable) {
		tree["src/"+name] = rig.File("x\n")
	}
	return tree
}

func TestOddNamesGoThroughAsTheyAre(t *testing.T) {
	for _, as := range []string{"Arguments", "Stdin"} {
		t.Run(as, func(t *testing.T) {
			t.Parallel()
			command := misfit("append")
			if as == "Stdin" {
				command = `  - {name: fixer, run: {command: [xargs, "-0", misfit, append], passPaths: {as: Stdin}, scope: ["src/**"]}}` + "\n"
			}
			w := world(t, oddTree(), steps(command))
			before := rig.Look(t, w.Root)
			ran := w.Run(t)
			ran.Want(t, 0)
			r := ran.Report(t)
			var want []string
			changes := rig.Tree{}
			for _, name := range odd {
				if strings.HasPrefix(name, ".") { // hidden: "**" doesn't match it
					continue
				}
				want = append(want, "M src/"+name)
				changes["src/"+name] = rig.File("x\nappended\n")
			}
			slices.Sort(want)
			wantRows(t, r, want...)
			wantTree(t, w, with(before, changes))
			wantSkipped(t, ran, len(unaddressable))
			wantSafe(t, w.Do(t, "report"))
			wantSafe(t, rig.Ran{Stderr: ran.Stderr})
		})
	}
}

func wantSkipped(t *testing.T, ran rig.Ran, count int) {
	t.Helper()
	for _, s := range ran.Report(t).Acquisition.Skipped {
		if s.Reason == "unaddressable" {
			if s.Count != count {
				t.Errorf("%d unaddressable files were skipped, want %d", s.Count, count)
			}
			return
		}
	}
	t.Errorf("nothing was skipped as unaddressable, want %d", count)
}

// wantSafe wants nothing on the screen that steers a terminal.
func wantSafe(t *testing.T, ran rig.Ran) {
	t.Helper()
	if i := strings.IndexAny(ran.Stdout+ran.Stderr, "\x1b\u202e\r\x00"); i >= 0 {
		t.Errorf("the screen could be steered: %q", (ran.Stdout + ran.Stderr)[max(0, i-40):])
	}
}

// A list file has one path a line, so a name with a line feed can't stand in it.
func TestANameWithALineFeedIsRefusedWhereToolsTakeAListFile(t *testing.T) {
	t.Parallel()
	w := world(t, oddTree(), steps(misfit("count", "passPaths: {as: File}")))
	before := rig.Look(t, w.Root)
	ran := w.Run(t)
	ran.Want(t, 2, "engine-error", "misfit", "line feed")
	wantTree(t, w, before)
	wantSafe(t, rig.Ran{Stderr: ran.Stderr})
}

func TestAToolThatMakesANameThatNobodyCanAddressIsToldOf(t *testing.T) {
	t.Parallel()
	command := `[sh, -c, 'printf x > "$(printf "src/made\377.ts")"; printf y > "$(printf "src/line\n2.ts")"']`
	w := world(t, three(), steps("  - {name: fixer, run: {command: "+command+`, `+noPaths+`, scope: ["src/**"]}}`+"\n"))
	before := rig.Look(t, w.Root)
	ran := w.Run(t)
	r := ran.Report(t)
	wantRows(t, r, "A src/line\n2.ts")
	wantTree(t, w, with(before, rig.Tree{"src/made\xff.ts": {Mode: 0o644, Data: "x"}, "src/line\n2.ts": {Mode: 0o644, Data: "y"}}))
	ran.Want(t, 1)
	found := false
	for _, d := range r.Diagnostics {
		found = found || strings.Contains(d.Path+d.Message, "made") && d.Severity == "error"
	}
	if !found {
		t.Errorf("nothing is said of the file that can't be addressed: %+v", r.Diagnostics)
	}
	wantSafe(t, w.Do(t, "report"))
}
