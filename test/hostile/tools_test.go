package hostile

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/shim/shimtest"
	"github.com/fettle-dev/fettle/test/rig"
)

// three is a small repository; beside is not the workspace's.
func three() rig.Tree {
	return rig.Tree{
		"src/a.ts":    rig.File("a\n"),
		"src/b.ts":    {Mode: 0o755, Data: "b\n"},
		"src/d/c.ts":  rig.File("c\n"),
		"src/pic.png": rig.File("\x89PNG"),
		"beside":      rig.File("not yours\n"),
	}
}

func TestARewriteOfTheSameSizeWithItsTimePutBackIsFound(t *testing.T) {
	t.Parallel()
	w := world(t, three(), steps(misfit("disguise")))
	before := rig.Look(t, w.Root)
	ran := w.Run(t)
	ran.Want(t, 0)
	wantRows(t, ran.Report(t), "M src/a.ts", "M src/b.ts", "M src/d/c.ts")
	wantTree(t, w, with(before, rig.Tree{"src/a.ts": rig.File("X\n"), "src/b.ts": rig.File("X\n"), "src/d/c.ts": rig.File("X\n")}))
}

func TestAToolThatTouchesEverythingAndChangesNothingHasNoRow(t *testing.T) {
	t.Parallel()
	w := world(t, three(), steps(misfit("touch")))
	before := rig.Look(t, w.Root)
	ran := w.Run(t)
	ran.Want(t, 0)
	r := ran.Report(t)
	wantRows(t, r)
	if len(r.Invocations) != 1 || r.Invocations[0].Changed != 0 || len(r.Identity) != 0 {
		t.Errorf("invocations %+v, identity %+v; want nothing changed", r.Invocations, r.Identity)
	}
	wantTree(t, w, before)
}

func TestAToolThatNeverEndsIsEndedAtItsDeadlineAndAccountedFor(t *testing.T) {
	for _, how := range []string{"", "deaf:"} {
		t.Run("hold "+how, func(t *testing.T) {
			t.Parallel()
			life := shimtest.NewLifeline(t)
			w := world(t, three(), steps(misfit("hold, '"+how+life.Path+"'", "deadline: 1s")))
			before := rig.Look(t, w.Root)
			ran := w.Run(t)
			ran.Want(t, 2, "deadline", "misfit", "1s", "raise")
			life.WaitDead()
			r := ran.Report(t)
			wantRows(t, r, "M src/a.ts", "M src/b.ts", "M src/d/c.ts")
			if len(r.Invocations) != 1 || r.Invocations[0].Ended != report.EndedDeadline {
				t.Errorf("invocations %+v, want one that ended by its deadline", r.Invocations)
			}
			wantTree(t, w, with(before, rig.Tree{
				"src/a.ts": rig.File("a\nappended\n"), "src/b.ts": rig.File("b\nappended\n"), "src/d/c.ts": rig.File("c\nappended\n"),
			}))
		})
	}
}

func TestAFloodOfOutputIsBoundedInMemoryAndCutInTheReport(t *testing.T) {
	t.Parallel()
	w := world(t, three(), steps(misfit("flood, '200000000'", noPaths)))
	ran := w.Run(t)
	ran.Want(t, 0)
	in := ran.Report(t).Invocations[0]
	if in.Stdout == nil || in.Stdout.Dropped < 199_000_000 || !strings.HasSuffix(in.Stdout.Text, "no play\n") || len(in.Stdout.Text) > 1<<20 {
		t.Errorf("the report keeps %.100v of standard output", in.Stdout)
	}
	if in.Stderr == nil || in.Stderr.Dropped < 199_000_000 {
		t.Errorf("the report keeps %.100v of standard error", in.Stderr)
	}
	if limit := int64(240 << 20); ran.MaxRSS > limit {
		t.Errorf("fettle, shim and tool took up to %d MiB each, want at most %d", ran.MaxRSS>>20, limit>>20)
	}
}

func TestADaemonThatAToolLeavesIsKilledBeforeItWrites(t *testing.T) {
	t.Parallel()
	life, signal := shimtest.NewLifeline(t), shimtest.NewLifeline(t)
	w := world(t, three(), steps(misfit("daemon, "+life.Path+", "+signal.Path+", src/late.ts", noPaths)))
	before := rig.Look(t, w.Root)
	ran := w.Run(t)
	ran.Want(t, 0)
	life.WaitDead()
	r := ran.Report(t)
	wantRows(t, r)
	if in := r.Invocations[0]; in.LeftProcesses != 1 {
		t.Errorf("%d processes are said to have been left, want 1", in.LeftProcesses)
	}
	wantTree(t, w, before)
}

func TestAToolThatDiesBySignalFailsTheStepAndWhatItDidIsThere(t *testing.T) {
	for _, name := range []string{"KILL", "SEGV", "TERM"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := `[sh, -c, 'for file; do echo appended >>"$file"; done; kill -` + name + ` $$', sh]`
			w := world(t, three(), steps("  - {name: fixer, run: {command: "+command+`, scope: ["src/**"]}}`+"\n"))
			ran := w.Run(t)
			ran.Want(t, 2, "crash", "fixer", "SIG"+name)
			r := ran.Report(t)
			wantRows(t, r, "M src/a.ts", "M src/b.ts", "M src/d/c.ts")
			if in := r.Invocations[0]; in.Signal != "SIG"+name || in.ExitCode != nil || in.Ended != report.EndedCrash {
				t.Errorf("the invocation is %+v, want one that %s ended", in, name)
			}
		})
	}
}

func TestAToolThatFailsIsQuotedInTheReportOnly(t *testing.T) {
	t.Parallel()
	w := world(t, three(), steps(misfit("fail, my reasons", noPaths)))
	ran := w.Run(t)
	ran.Want(t, 2, "engine-error", "misfit exited with code 97", "in the report")
	if in := ran.Report(t).Invocations[0]; in.Stderr == nil || !strings.Contains(in.Stderr.Text, "my reasons") {
		t.Errorf("the invocation is %+v, want what the tool said", in)
	}
	if strings.Contains(ran.Stderr, "my reasons") {
		t.Errorf("output of a tool is on the screen: %s", ran.Stderr)
	}
}

func TestAToolThatDeletesEverythingInScopeDeletesNothingElse(t *testing.T) {
	t.Parallel()
	w := world(t, three(), steps(misfit("clear, src", noPaths)))
	ran := w.Run(t)
	ran.Want(t, 0)
	wantRows(t, ran.Report(t), "D src/a.ts", "D src/b.ts", "D src/d/c.ts")
	wantTree(t, w, rig.Tree{".": rig.Dir(), "beside": rig.File("not yours\n")})
}

func TestTwoFixersComposeInOneStepAndAnEditInMemoryIsNeverLost(t *testing.T) {
	t.Parallel()
	engine := func(name, from, to string) string {
		return "  - name: " + name + "\n    inline:\n      image: registry.example.com/t:1\n      lints:\n" +
			"      - {extensions: [ts], mode: InPlace, fixable: true, scope: [\"src/**\"], command: [misfit, replace, " + from + ", " + to + "]}\n"
	}
	engines := "  engines:\n" + engine("first", "a", "bb") + engine("second", "bb", "ccc")
	w := world(t, three(), pipeline(openPolicy, engines,
		"  - {name: edit, edit: {path: src/b.ts, edits: [{find: b, replace: edited}]}}\n",
		"  - {name: fix, lint: {fix: true}}\n",
		"  - {name: save, write: {}}\n"))
	before := rig.Look(t, w.Root)
	ran := w.Run(t)
	ran.Want(t, 0)
	r := ran.Report(t)
	wantRows(t, r, "M src/a.ts", "M src/b.ts")
	wantTree(t, w, with(before, rig.Tree{"src/a.ts": rig.File("ccc\n"), "src/b.ts": rig.File("edited\n")}))
	if len(r.Withheld) != 1 || r.Withheld[0] != "src/b.ts" {
		t.Errorf("withheld %q, want src/b.ts", r.Withheld)
	}
}

// denied is what the policy keeps from being written.
func denied() (rig.Tree, string) {
	tree := with(three(), rig.Tree{"src/vendor/lib.ts": rig.File("vendored\n")})
	return tree, `{write: {allow: ["src/**"], deny: ["src/vendor/**"]}`
}

func TestAToolThatWritesWhatThePolicyDeniesFailsAndTheRuleIsNamed(t *testing.T) {
	t.Parallel()
	tree, policy := denied()
	w := world(t, tree, pipeline(policy+"}", "", misfit("write, bad, src/vendor/lib.ts, src/vendor/new.ts, src/new.ts", noPaths)))
	before := rig.Look(t, w.Root)
	ran := w.Run(t)
	ran.Want(t, 2, "policy-violation", "src/vendor/**", "misfit", "narrow the scope")
	r := ran.Report(t)
	wantDiagnostic(t, r, "policy-violation", "src/vendor/lib.ts", "src/vendor/**")
	wantDiagnostic(t, r, "policy", "src/vendor/new.ts", "src/vendor/**")
	wantRows(t, r, "A src/new.ts", "M src/vendor/lib.ts")
	bad := rig.Entry{Mode: 0o644, Data: "bad"}
	wantTree(t, w, with(before, rig.Tree{"src/vendor/lib.ts": bad, "src/vendor/new.ts": bad, "src/new.ts": bad}))
}

func TestRestorePutsBackWhatThePolicyDenies(t *testing.T) {
	t.Parallel()
	tree, policy := denied()
	w := world(t, tree, pipeline(policy+", onViolation: Restore}", "", misfit("write, bad, src/vendor/lib.ts, src/vendor/new.ts, src/new.ts", noPaths)))
	before := rig.Look(t, w.Root)
	ran := w.Run(t)
	ran.Want(t, 2, "policy-violation", "src/vendor/**")
	r := ran.Report(t)
	wantRows(t, r, "A src/new.ts")
	for _, d := range r.Diagnostics {
		if d.Reason == "policy-violation" && (d.Restored == nil || !*d.Restored) {
			t.Errorf("%+v isn't said to be restored", d)
		}
	}
	wantTree(t, w, with(before, rig.Tree{"src/new.ts": {Mode: 0o644, Data: "bad"}}))
}

func TestAToolThatChangesTheModeOfTheRootIsNoReasonToLoseTheTree(t *testing.T) {
	t.Parallel()
	w := world(t, three(), steps(misfit("chmod, '500', .", noPaths), "  - {name: edit, edit: {path: src/a.ts, edits: [{find: a, replace: edited}]}}\n", "  - {name: save, write: {}}\n"))
	before := rig.Look(t, w.Root)
	ran := w.Run(t)
	ran.Want(t, 0)
	wantRows(t, ran.Report(t), "M src/a.ts")
	wantTree(t, w, with(before, rig.Tree{".": {Mode: fs.ModeDir | 0o500}, "src/a.ts": rig.File("edited\n")}))
}
