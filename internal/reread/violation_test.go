package reread_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/reread"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
	"github.com/fettle-dev/fettle/internal/workspace"
)

const (
	failPolicy    = `{"write": {"allow": ["**"], "deny": ["v/**"]}}`
	restorePolicy = `{"write": {"allow": ["**"], "deny": ["v/**"]}, "onViolation": "Restore"}`
)

// governed is a run under a policy that lets nothing below v be written.
func governed(t *testing.T, rules string) (*world, *treemem.Tree) {
	t.Helper()
	disk, err := treemem.New(map[string]treemem.Entry{
		"a.ts": {Data: "a\n"}, "v/1.ts": {Data: "one\n", Mode: 0o755, Owner: "7:8"}, "v/d/2.ts": {Data: "two\n"},
	})
	if err != nil {
		t.Fatal(err)
	}
	x := governedBy(t, disk, rules)
	x.env.Now = longAfter
	return x, disk
}

// governedBy is a run over a tree under a policy; "" allows everything.
func governedBy(t *testing.T, disk tree.Tree, rules string) *world {
	t.Helper()
	return newWorld(t, disk, parsePolicy(t, []byte(rules)), workspace.DefaultBounds(), glob.DefaultExclude(), "**")
}

// Spec §13.10: what is a violation and what isn't.
func TestWhatIsAViolation(t *testing.T) {
	tests := []struct {
		name string
		tool func(d *treemem.Tree) error
		want bool
	}{
		{"other bytes", func(d *treemem.Tree) error { return d.Write("v/1.ts", "ONE\n") }, true},
		{"more bytes than a file may have", func(d *treemem.Tree) error { return d.Write("v/1.ts", strings.Repeat("x", 100)) }, true},
		{"no bytes", func(d *treemem.Tree) error { return d.Write("v/1.ts", "") }, true},
		{"gone", func(d *treemem.Tree) error { return d.Delete("v/1.ts") }, true},
		{"gone with its directory", func(d *treemem.Tree) error { return d.Delete("v") }, true},
		{"a link", func(d *treemem.Tree) error { return d.Put("v/1.ts", treemem.Entry{Target: "d/2.ts"}) }, true},
		{"behind a link", func(d *treemem.Tree) error {
			return errors.Join(d.Move("v", "w"), d.Put("v", treemem.Entry{Target: "w"}))
		}, true},
		{"a directory", func(d *treemem.Tree) error { return d.Put("v/1.ts", treemem.Entry{Kind: tree.Directory}) }, true},
		{"a pipe", func(d *treemem.Tree) error { return d.Put("v/1.ts", treemem.Entry{Kind: tree.Other}) }, true},
		{"a new file", func(d *treemem.Tree) error { return d.Write("v/new.ts", "n\n") }, true},
		{"a new file that couldn't be admitted anyway", func(d *treemem.Tree) error { return d.Write("v/new.png", "\x00") }, true},
		{"the same bytes", func(d *treemem.Tree) error { return d.Write("v/1.ts", "one\n") }, false},
		{"a mode", func(d *treemem.Tree) error { return d.Chmod("v/1.ts", 0o600) }, false},
		{"an owner", func(d *treemem.Tree) error { return d.Chown("v/1.ts", "0:0") }, false},
		{"a file that can't be read", func(d *treemem.Tree) error {
			d.FailRead("v/1.ts", errDisk)
			return d.Chmod("v/1.ts", 0)
		}, false},
		{"a file that can't be looked at", func(d *treemem.Tree) error { d.Unlookable("v/1.ts", true); return nil }, false},
		{"a new link", func(d *treemem.Tree) error { return d.Put("v/l.ts", treemem.Entry{Target: "1.ts"}) }, false},
		{"another file", func(d *treemem.Tree) error { return d.Write("a.ts", "A\n") }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x, disk := governed(t, failPolicy)
			x.env.Bounds.MaxBytesPerFile = 50
			_, _, res := x.invoke(everything, func() reread.End { do(t, tt.tool(disk)); return reread.End{} })
			if got := fault.Is(errOf(res), fault.StepFailed, fault.ReasonPolicyViolation); got != tt.want || len(res.Violations) > 0 != tt.want {
				t.Fatalf("got %v and %+v, want a violation: %t", res.Err, res.Violations, tt.want)
			}
			for _, d := range res.Errors {
				if d.Restored != nil {
					t.Errorf("%+v speaks of restoring, which the policy doesn't", d)
				}
			}
			if tt.want && (res.Err.Hint == "" || res.Err.Engine != "tool" || res.Violations[0].Rule != "v/**") {
				t.Errorf("the error %v names no way out, no engine or no rule", res.Err)
			}
		})
	}
}

func TestAFileThatWasUnreadableBeforeHasNoBaselineToViolate(t *testing.T) {
	x, disk := governed(t, failPolicy)
	x.invoke(everything, func() reread.End { do(t, disk.Write("v/1.ts", "\x00")); return reread.End{} })
	for _, tool := range []func() error{
		func() error { return disk.Write("v/1.ts", "\x00\x00") },
		func() error { return disk.Put("v/1.ts", treemem.Entry{Target: "2.ts"}) },
		func() error { return disk.Delete("v/1.ts") },
	} {
		_, _, res := x.invoke(everything, func() reread.End { do(t, tool()); return reread.End{} })
		if res.Err != nil {
			t.Errorf("got %v, want no violation", res.Err)
		}
	}
}

func TestRestoringPutsTheTreeBackAsItWas(t *testing.T) {
	x, disk := governed(t, restorePolicy)
	before := disk.Snapshot()
	_, _, res := x.invoke(everything, func() reread.End {
		do(t, disk.Delete("v"), disk.Write("v/new.ts", "n\n"), disk.Write("v/1.ts", "ONE\n"))
		return reread.End{}
	})
	for path, want := range before {
		if got := disk.Snapshot()[path]; got != want && want.Kind != tree.Directory {
			t.Errorf("%s is %+v, want it back as %+v", path, got, want)
		}
	}
	if got := disk.Files(); len(got) != 3 {
		t.Errorf("the disk holds %d files, want the 3 of before and no temporary: %v", len(got), got)
	}
	if want := []string{"delete v/new.ts", "write v/1.ts", "write v/d/2.ts"}; !slices.Equal(x.undid, want) {
		t.Errorf("undone in the order %q, want %q", x.undid, want)
	}
	if want := []string{"v/1.ts", "v/d/2.ts"}; !slices.Equal(res.Changed, want) || !fault.Is(errOf(res), fault.StepFailed, fault.ReasonPolicyViolation) {
		t.Errorf("changed %q, %v; want %q and a failed step all the same", res.Changed, res.Err, want)
	}
	if f, ok := x.w.File("v/1.ts"); !ok || f.Mode != 0o755 || f.Content.Len != 4 || len(res.Notes) > 0 {
		t.Errorf("v/1.ts is %+v with notes %+v, want it as before", f, res.Notes)
	}
	_, _, res = x.invoke(everything, func() reread.End { return reread.End{} })
	if res.Err != nil || len(res.Changed) > 0 {
		t.Errorf("the next invocation finds %q, %v; want nothing", res.Changed, res.Err)
	}
}

func TestWhatCannotBeRestoredStaysAsItWasFound(t *testing.T) {
	for name, tool := range map[string]func(d *treemem.Tree) error{
		"a link": func(d *treemem.Tree) error { return d.Put("v/1.ts", treemem.Entry{Target: "../a.ts"}) },
		"behind a link": func(d *treemem.Tree) error {
			return errors.Join(d.Move("v", "w"), d.Put("v", treemem.Entry{Target: "w"}))
		},
		"a directory": func(d *treemem.Tree) error { return d.Put("v/1.ts", treemem.Entry{Kind: tree.Directory}) },
		"a file where its directory was": func(d *treemem.Tree) error {
			return errors.Join(d.Delete("v"), d.Write("v", "file\n"))
		},
	} {
		x, disk := governed(t, restorePolicy)
		_, _, res := x.invoke(reread.Invocation{Engine: "tool", Scope: globs(t, []string{"v/1.ts"})}, func() reread.End { do(t, tool(disk)); return reread.End{} })
		held := disk.Snapshot()
		if len(x.undid) > 0 || len(res.Violations) != 1 || res.Violations[0].Restored || res.Errors[0].Restored == nil || *res.Errors[0].Restored {
			t.Errorf("%s: undid %q, got %+v, want restored false", name, x.undid, res.Violations)
		}
		if a := held["a.ts"]; a.Data != "a\n" {
			t.Errorf("%s: something was written through it: a.ts is %+v", name, a)
		}
	}
}

// recording is told before anything is undone.
type recording struct {
	reread.Restorer
	told *[]reread.Violation
	t    *testing.T
}

func (r recording) Restore(ctx context.Context, undo []reread.Undo) []error {
	if len(*r.told) != len(undo) {
		r.t.Errorf("undoing %d things after %d were announced", len(undo), len(*r.told))
	}
	return r.Restorer.Restore(ctx, undo)
}

func TestViolationsAreAnnouncedBeforeTheyAreUndone(t *testing.T) {
	x, disk := governed(t, restorePolicy)
	var told []reread.Violation
	x.env.Restorer = recording{x.env.Restorer, &told, t}
	x.env.BeforeRestore = func(v []reread.Violation) error { told = v; return nil }
	x.invoke(everything, func() reread.End {
		do(t, disk.Write("v/1.ts", "ONE\n"), disk.Write("v/n.ts", "n\n"))
		return reread.End{}
	})
	want := []reread.Violation{{Path: "v/n.ts", Rule: "v/**", New: true}, {Path: "v/1.ts", Rule: "v/**"}}
	if !slices.Equal(told, want) {
		t.Errorf("announced %+v, want %+v", told, want)
	}

	p := x.prepare(everything)
	s, _, err := x.env.Snapshot(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	do(t, disk.Write("v/1.ts", "ONE\n"))
	x.env.BeforeRestore = func([]reread.Violation) error { return errDisk }
	if _, err := x.env.Reread(context.Background(), p, s, reread.End{}); !errors.Is(err, errDisk) || disk.Files()["v/1.ts"].Data != "ONE\n" {
		t.Errorf("got %v with v/1.ts %+v, want the error and nothing undone", err, disk.Files()["v/1.ts"])
	}
}

// A runtime that died between undoing and committing finds nothing left to see.
func TestViolationsThatAnEarlierAttemptUndidStillCount(t *testing.T) {
	x, disk := governed(t, restorePolicy)
	undone := []reread.Violation{{Path: "v/1.ts", Rule: "v/**"}, {Path: "v/n.ts", Rule: "v/**", New: true}, {Path: "v/d/2.ts", Rule: "v/**"}}
	_, _, res := x.invoke(everything, func() reread.End {
		do(t, disk.Write("v/1.ts", "one\n"), disk.Write("v/d/2.ts", "TWO\n"))
		return reread.End{Undone: undone}
	})
	want := []reread.Violation{
		{Path: "v/1.ts", Rule: "v/**", Restored: true}, {Path: "v/d/2.ts", Rule: "v/**", Restored: true},
		{Path: "v/n.ts", Rule: "v/**", New: true, Restored: true},
	}
	if !slices.Equal(res.Violations, want) || !slices.Equal(x.undid, []string{"write v/d/2.ts"}) {
		t.Errorf("got %+v having undone %q, want %+v having undone what was left", res.Violations, x.undid, want)
	}
	wantOutcome(t, res, "v/1.ts", reread.PolicyViolation)
	wantOutcome(t, res, "v/d/2.ts", reread.PolicyViolation)
	wantOutcome(t, res, "v/n.ts", reread.NotAdmitted)
	if len(res.Errors) != 3 || !slices.Equal(res.Changed, []string{"v/1.ts", "v/d/2.ts"}) {
		t.Errorf("errors %+v, changed %q; want one error for each and the known two", res.Errors, res.Changed)
	}
}

func TestWithoutARestorerNothingIsUndone(t *testing.T) {
	x, disk := governed(t, restorePolicy)
	x.env.Restorer = nil
	_, _, res := x.invoke(everything, func() reread.End { do(t, disk.Write("v/1.ts", "ONE\n")); return reread.End{} })
	if len(res.Violations) != 1 || res.Violations[0].Restored || res.Errors[0].Restored == nil || *res.Errors[0].Restored {
		t.Errorf("got %+v, want one violation, restored false", res.Violations)
	}
}

// A policy that changed under the tool: the file that the façade moved is put back, so
// its destination is a new file after all.
func TestAKeptMoveWhoseSourceIsPutBackIsNoMove(t *testing.T) {
	for _, rules := range []string{failPolicy, restorePolicy} {
		x, disk := governed(t, rules)
		_, _, res := x.invoke(everything, func() reread.End {
			do(t, disk.Move("v/1.ts", "z.ts"))
			return reread.End{Moves: map[string]string{"v/1.ts": "z.ts"}}
		})
		want := map[string]string{failPolicy: "v/1.ts", restorePolicy: ""}[rules]
		if f, ok := x.w.File("z.ts"); !ok || f.Origin != want {
			t.Errorf("%s: z.ts is %+v, want origin %q", rules, f, want)
		}
		if _, ok := x.w.File("v/1.ts"); ok != (rules == restorePolicy) {
			t.Errorf("%s: v/1.ts is in the workspace: %t", rules, ok)
		}
		wantOutcome(t, res, "v/1.ts", reread.PolicyViolation)
		if len(res.Violations) != 1 || len(res.Errors) != 1 {
			t.Errorf("%s: got %+v and %+v, want one of each", rules, res.Violations, res.Errors)
		}
	}
}

func TestAViolationOutranksHowTheInvocationEnded(t *testing.T) {
	x, disk := governed(t, failPolicy)
	_, _, res := x.invoke(everything, func() reread.End {
		do(t, disk.Write("v/1.ts", "ONE\n"))
		return reread.End{Reason: fault.ReasonDeadline, Cause: context.DeadlineExceeded}
	})
	if res.Err.Reason != fault.ReasonPolicyViolation || !errors.Is(res.Err, context.DeadlineExceeded) {
		t.Errorf("got %v, want policy-violation caused by the deadline", res.Err)
	}
	inner := fault.As(errors.Unwrap(res.Err))
	if inner == nil || inner.Reason != fault.ReasonDeadline {
		t.Errorf("the cause is %v, want the deadline", inner)
	}
}

// unreadableStore loses what it keeps.
type unreadableStore struct{ content.Store }

func (unreadableStore) Get(content.Ref, []byte) ([]byte, error) { return nil, errDisk }

func TestAStoreThatLosesBytesFailsTheReread(t *testing.T) {
	for _, path := range []string{"a.ts", "v/1.ts"} {
		x, disk := governed(t, failPolicy)
		p := x.prepare(everything)
		s, _, err := x.env.Snapshot(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		do(t, disk.Write(path, strings.ToUpper(disk.Files()[path].Data)))
		x.env.Store = unreadableStore{x.env.Store}
		if _, err := x.env.Reread(context.Background(), p, s, reread.End{}); !errors.Is(err, errDisk) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, want the store's error", path, err)
		}
	}
}
