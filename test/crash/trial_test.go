package crash

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/test/rig"
)

// trial is one kill and what comes after it.
type trial struct {
	testing.TB
	*golden
	*rig.World
	kill    kill
	reports []report.Report // of all runs that ended, or were closed, in order
	struck  bool            // the kill hit: the program made as many calls
}

// try makes a trial with programs and says what went wrong.
func (g *golden) try(p rig.Programs, k kill) (problems []string, struck bool) {
	problems = rig.Try(func(tb testing.TB) {
		t := &trial{TB: tb, golden: g, World: g.world(tb, p, pipeline(0, len(steps), k.retries)), kill: k}
		defer func() { struck = t.struck }()
		t.run()
	})
	return problems, struck
}

func (t *trial) run() {
	ran, fettleDied := t.killed(t.kill, t.RunArgs()...)
	switch {
	case fettleDied && t.kill.then == resume:
		t.resume()
	case fettleDied:
		t.anew()
	case ran.Exit == 0:
		t.wantWhole(ran)
	default:
		// The tool's end was fettle's to account for.
		t.wantCrash(ran)
		t.account(ran.Report(t))
		t.anew()
	}
	if diff := rig.Diff(rig.Look(t, t.Outside), t.outside); diff != "" {
		t.Errorf("outside the root:\n%s", diff)
	}
	for path := range rig.Look(t, t.State) {
		if !stays.MatchString(path) {
			t.Errorf("the state directory still holds %q", path)
		}
	}
}

// stays says what a state directory may hold after a run that has ended.
var stays = regexp.MustCompile(`^(\.|fettle(/reports(/[a-z][^/]*\.jsonl\.gz)?|/roots(/[0-9a-f]+(/(lock|pack|invocations))?)?)?)$`)

// killed runs fettle with a kill, and holds what the dead leave behind to the rules.
func (t *trial) killed(k kill, args ...string) (ran rig.Ran, fettleDied bool) {
	result, ran := t.Killed(t, k.point(t.World), args...)
	if len(result.Left) > 0 {
		t.Errorf("these were left alive: %v", result.Left)
	}
	t.struck = t.struck || result.Killed
	fettleDied = result.Killed && k.hits(fettle)
	if !fettleDied && ran.Exit < 0 {
		t.Errorf("fettle ended by a signal that nobody sent it:\n%s", ran.Stderr)
	}
	t.wantOldOrNew()
	return ran, fettleDied
}

// wantOldOrNew holds the tree, at any moment, to this: of a file that every step leaves
// where it is a reader sees the bytes before or after a step, never a part, and never
// nothing; and what isn't the run's is as it was.
func (t *trial) wantOldOrNew() {
	t.Helper()
	now := rig.Look(t, t.Root)
	for path, contents := range t.known {
		e, ok := now[path]
		if !ok {
			t.Errorf("after the kill %q is gone", path)
			continue
		}
		if !contains(contents, e.Data) {
			t.Errorf("after the kill %q holds %s, which no step makes of it", path, e)
		}
	}
}

func contains(list []string, s string) bool {
	for _, one := range list {
		if one == s {
			return true
		}
	}
	return false
}

// wantWhole wants the run to have ended as if undisturbed.
func (t *trial) wantWhole(ran rig.Ran) {
	t.Helper()
	ran.Want(t, 0)
	if diff := cmp.Diff(settled(t.whole.report), settled(ran.Report(t))); diff != "" {
		t.Errorf("the report differs from that of the undisturbed run (-want +got):\n%s", diff)
	}
	t.wantTree(t.whole.tree)
}

func (t *trial) wantTree(want rig.Tree) {
	t.Helper()
	if diff := rig.Diff(rig.Look(t, t.Root), want); diff != "" {
		t.Errorf("the tree differs from that of the undisturbed run:\n%s", diff)
	}
}

// wantCrash wants a run whose tool was killed to say so.
func (t *trial) wantCrash(ran rig.Ran) {
	t.Helper()
	ran.Want(t, 2, "StepFailed", "crash")
	if !t.struck {
		t.Errorf("nobody was killed, and yet the run failed:\n%s", ran.Stderr)
	}
}

// resume goes on with the run until it has ended, killed once more if the trial says so.
func (t *trial) resume() {
	args := t.RunArgs("--resume")
	if t.kill.again != nil {
		ran, died := t.killed(*t.kill.again, args...)
		if !died {
			t.resumed(ran)
			return
		}
	}
	t.resumed(t.Do(t, args...))
}

// resumed judges what a resume came to. If there was nothing to resume the kill came
// before the first effect or after the last.
func (t *trial) resumed(ran rig.Ran) {
	switch ran.Exit {
	case 0:
		t.wantWhole(ran)
	case 3:
		ran.Want(t, 3, "no interrupted run to resume")
		if rig.Diff(rig.Look(t, t.Root), t.base) == "" {
			t.wantWhole(t.Run(t))
			return
		}
		t.wantWhole(t.Do(t, "report", "-o", "json"))
	default: // a tool was killed in the resumed run
		t.wantCrash(ran)
		t.account(ran.Report(t))
		t.kill.again = nil
		t.anew()
	}
}

// anew runs the steps that work on disk alone, until they have all run. Each new run
// first closes the one before.
func (t *trial) anew() {
	t.ended()
	t.SetPipeline(t, pipeline(written, len(steps), t.kill.retries))
	if t.kill.again != nil {
		ran, died := t.killed(*t.kill.again, t.RunArgs()...)
		t.closed(ran)
		if !died {
			if ran.Exit != 0 {
				t.wantCrash(ran)
			}
			t.account(ran.Report(t))
		}
		if ran.Exit == 0 {
			t.wantSum()
			return
		}
		t.ended()
	}
	ran := t.Run(t)
	ran.Want(t, 0)
	t.closed(ran)
	t.account(ran.Report(t))
	t.wantSum()
}

var closedRun = regexp.MustCompile(`the run (\S+) had (?:not )?ended`)

// closed takes up the report of a run that this one has closed.
func (t *trial) closed(ran rig.Ran) {
	t.Helper()
	m := closedRun.FindStringSubmatch(ran.Stderr)
	if m == nil {
		return
	}
	kept := t.Do(t, "report", m[1], "-o", "json")
	kept.Want(t, 0)
	t.account(kept.Report(t))
}

// ended takes up the report of a run that had ended when its process was killed: nothing
// is left of it to close.
func (t *trial) ended() {
	if kept := t.Do(t, "report", "-o", "json"); kept.Exit == 0 {
		t.account(kept.Report(t))
	}
}

// account takes up a report, once.
func (t *trial) account(r report.Report) {
	for i := range t.reports {
		if t.reports[i].Run == r.Run {
			return
		}
	}
	t.reports = append(t.reports, r)
}
