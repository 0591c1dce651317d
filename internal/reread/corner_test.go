package reread_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/reread"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
)

func TestCancellationNeverSkipsTheReread(t *testing.T) {
	x, disk := memory(t, map[string]string{"a.ts": "a\n"})
	p := x.prepare(everything)
	s, _, err := x.env.Snapshot(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	do(t, disk.Write("a.ts", "A\n"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	res, err := x.env.Reread(ctx, p, s, reread.End{Reason: fault.ReasonCancelled, Cause: context.Canceled, Claims: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(res.Changed, []string{"a.ts"}) || !errors.Is(res.Err, context.Canceled) || res.Err.Reason != fault.ReasonCancelled || res.Err.Engine != "tool" {
		t.Errorf("changed %q, error %v; want a.ts and the cancellation", res.Changed, res.Err)
	}
	if res.Advisory != nil {
		t.Errorf("an invocation that didn't end well was compared: %+v", res.Advisory)
	}
}

func TestWithoutADeltaNothingIsCompared(t *testing.T) {
	x, disk := memory(t, map[string]string{"a.ts": "a\n"})
	_, _, res := x.invoke(everything, func() reread.End { do(t, disk.Write("a.ts", "A\n")); return reread.End{} })
	if res.Advisory != nil || len(res.Warnings) > 0 {
		t.Errorf("got %+v and %+v, want no comparison", res.Advisory, res.Warnings)
	}
	_, _, res = x.invoke(everything, func() reread.End {
		do(t, disk.Write("a.ts", "B\n"))
		return reread.End{Claims: []byte(`{"changed": {"b.ts": "", "c.ts": "", "d.ts": "", "e.ts": ""}, "deleted": 1}`)}
	})
	if len(res.Warnings) != 1 || res.Warnings[0].EngineID != "tool" || res.Warnings[0].Path != "" {
		t.Fatalf("got %+v, want one warning of the engine without path", res.Warnings)
	}
	for _, part := range []string{"claimedUnchanged 4 (b.ts, c.ts, d.ts, …)", "changedUnclaimed 1 (a.ts)", "unparseable 1 (deleted)"} {
		if !strings.Contains(res.Warnings[0].Message, part) {
			t.Errorf("warning %q doesn't say %q", res.Warnings[0].Message, part)
		}
	}
}

func TestTheWorkspaceBeforeIsUntouched(t *testing.T) {
	x, disk := memory(t, map[string]string{"a.ts": "a\n", "b.ts": "b\n"})
	before, baselines := x.w, x.b
	a, _ := before.File("a.ts")
	x.invoke(everything, func() reread.End {
		do(t, disk.Write("a.ts", "A\n"), disk.Delete("b.ts"), disk.Write("c.ts", "c\n"))
		return reread.End{}
	})
	if got, _ := before.File("a.ts"); got != a || before.Len() != 2 {
		t.Errorf("the workspace before has %d files, a.ts %+v; want 2 and %+v", before.Len(), got, a)
	}
	if got, ok := baselines.Persisted("b.ts"); !ok || got.Content.Len != 2 {
		t.Errorf("the baseline before lost b.ts: %+v", got)
	}
}

// failing is a store that keeps nothing more.
type failing struct{ content.Store }

func (failing) Put([]byte) (content.Ref, error) { return content.Ref{}, errDisk }

func TestAFullStoreFailsTheRereadAndChangesNothing(t *testing.T) {
	x, disk := memory(t, map[string]string{"a.ts": "a\n"})
	p := x.prepare(everything)
	s, _, err := x.env.Snapshot(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"a.ts", "new.ts"} {
		do(t, disk.Write(path, "A\n"))
		env := x.env
		env.Store = failing{x.env.Store}
		if _, err := env.Reread(context.Background(), p, s, reread.End{}); !errors.Is(err, errDisk) || !strings.Contains(err.Error(), path) {
			t.Errorf("got %v, want the store's error about %s", err, path)
		}
		do(t, disk.Write("a.ts", "a\n"))
	}
}

func TestAFileLosesItsPlaceToOneBeforeItThatGrew(t *testing.T) {
	x, disk := memory(t, map[string]string{"a.ts": "a\n", "b.ts": "bbbb\n", "c.ts": "c\n"})
	x.env.Bounds.MaxTotalBytes = 9
	_, _, res := x.invoke(everything, func() reread.End { do(t, disk.Write("a.ts", "aaaaa\n")); return reread.End{} })
	wantOutcome(t, res, "a.ts", reread.Updated)
	wantOutcome(t, res, "b.ts", reread.Unreadable)
	wantOutcome(t, res, "c.ts", reread.Unchanged)
	if len(res.Errors) != 1 || res.Errors[0].Path != "b.ts" || res.Errors[0].Reason != "maxTotalBytes" {
		t.Errorf("errors %+v, want maxTotalBytes of b.ts", res.Errors)
	}
	if _, ok := x.b.Persisted("b.ts"); ok {
		t.Error("an unreadable file kept its persisted baseline")
	}
	_, _, res = x.invoke(everything, func() reread.End { do(t, disk.Write("a.ts", "a\n")); return reread.End{} })
	wantOutcome(t, res, "b.ts", reread.Recovered)
	if f, _ := x.w.File("b.ts"); f.Origin != "b.ts" || f.Content.Len != 5 {
		t.Errorf("b.ts came back as %+v, want with its identity", f)
	}
}

func TestAFileThatGrewGetsNoRoomOfOneBeforeIt(t *testing.T) {
	x, disk := memory(t, map[string]string{"a.ts": "aaaa\n", "b.ts": "b\n"})
	x.env.Bounds.MaxTotalBytes = 9
	x.env.Now = longAfter
	_, _, res := x.invoke(everything, func() reread.End { do(t, disk.Write("b.ts", "bbbbb\n")); return reread.End{} })
	wantOutcome(t, res, "a.ts", reread.Unchanged)
	wantOutcome(t, res, "b.ts", reread.Unreadable)
}

func TestFilesThatAreLookedPastTakeTheirRoomFirst(t *testing.T) {
	text := "mine\n"
	for name, setUp := range map[string]func(x *world) reread.Invocation{
		"withheld": func(x *world) reread.Invocation { x.patch([]patchOp{{Update: "a.ts", Text: &text}}); return everything },
		"outside the envelope": func(*world) reread.Invocation {
			return reread.Invocation{Engine: "tool", Scope: globs(t, []string{"n*"})}
		},
	} {
		x, disk := memory(t, map[string]string{"a.ts": "a\n"})
		inv := setUp(x)
		x.env.Bounds.MaxFiles = 1
		_, _, res := x.invoke(inv, func() reread.End { do(t, disk.Write("n.ts", "n\n")); return reread.End{} })
		if len(res.Errors) != 1 || res.Errors[0].Reason != "maxFiles" {
			t.Errorf("%s: errors %+v, want maxFiles of the new file", name, res.Errors)
		}
	}
}

func TestBaselinesGoWithTheirFiles(t *testing.T) {
	x, disk := memory(t, map[string]string{"gone.ts": "g\n", "moved.ts": "m\n", "lost.ts": "l\n"})
	x.invoke(everything, func() reread.End {
		do(t, disk.Delete("gone.ts"), disk.Move("moved.ts", "z.ts"), disk.Write("lost.ts", "\x00"))
		return reread.End{Moves: map[string]string{"moved.ts": "z.ts"}}
	})
	var got []string
	for path := range x.b.AllPersisted() {
		got = append(got, path)
	}
	if !slices.Equal(got, []string{"z.ts"}) {
		t.Errorf("persisted baselines of %q, want of z.ts alone", got)
	}
}

func TestAFileThatNobodyAcquiredGoesWithItsDirectory(t *testing.T) {
	x, disk := memory(t, map[string]string{"d/a.ts": "a\n", "d/x.png": "x", "y.png": "y"})
	x.env.Now = longAfter
	_, _, res := x.invoke(everything, func() reread.End { do(t, disk.Delete("d")); return reread.End{} })
	wantOutcome(t, res, "d/x.png", "")
	wantOutcome(t, res, "y.png", reread.IgnoredPreexisting)
}

func TestANewFileWhereADeletionIsPendingIsNotDeletedLater(t *testing.T) {
	x, disk := memory(t, map[string]string{"a.ts": "a\n"})
	x.patch([]patchOp{{Delete: "a.ts"}})
	do(t, disk.Delete("a.ts")) // by a stranger, before the snapshot
	_, _, res := x.invoke(everything, func() reread.End { do(t, disk.Write("a.ts", "new\n")); return reread.End{} })
	wantOutcome(t, res, "a.ts", reread.Admitted)
	if len(x.w.PendingDeletions()) > 0 {
		t.Errorf("pending deletions %+v, want none: the file is another one", x.w.PendingDeletions())
	}
	x.write()
	if _, err := x.tree.Stat("a.ts"); err != nil {
		t.Errorf("the next write step removed the tool's file: %v", err)
	}
}

func TestAFileWhereAWithheldOneIsOnDiskIsLeftAlone(t *testing.T) {
	x, disk := memory(t, map[string]string{"a.ts": "a\n"})
	x.patch([]patchOp{{Move: "a.ts", To: "b.ts"}})
	do(t, disk.Delete("a.ts")) // by a stranger, before the snapshot
	_, _, res := x.invoke(everything, func() reread.End { do(t, disk.Write("a.ts", "new\n")); return reread.End{} })
	wantOutcome(t, res, "a.ts", "")
	wantOutcome(t, res, "b.ts", reread.Withheld)
	if _, ok := x.w.File("a.ts"); ok {
		t.Error("two files have one disk path")
	}
}

func TestNamesThatCannotBeWrittenAreNotAdmitted(t *testing.T) {
	x, disk := memory(t, map[string]string{"a.ts": "a\n"})
	_, _, res := x.invoke(everything, func() reread.End {
		do(t, disk.Write("b\xff.ts", "b\n"), disk.Write(`c\d.ts`, "c\n"), disk.Write("e\nf.ts", "e\n"))
		return reread.End{}
	})
	wantOutcome(t, res, "b\xff.ts", reread.NotAdmitted)
	wantOutcome(t, res, `c\d.ts`, reread.NotAdmitted)
	wantOutcome(t, res, "e\nf.ts", reread.Admitted)
	if len(res.Errors) != 2 || res.Errors[0].Reason != "unaddressable" || res.Errors[0].Path != "b\uFFFD.ts" {
		t.Errorf("errors %+v, want two unaddressable ones, readable for people", res.Errors)
	}
}

func TestReasonsComeInTheirOrder(t *testing.T) {
	x, disk := memory(t, map[string]string{"a.ts": "a\n"})
	x.env.Bounds.MaxBytesPerFile, x.env.Bounds.MaxFiles = 10, 1
	_, _, res := x.invoke(everything, func() reread.End {
		do(t, disk.Write("1.png", strings.Repeat("x", 11)), disk.Write("2.png", "x"), disk.Write("3.ts", strings.Repeat("\x00", 11)),
			disk.Write("4.ts", "\x00"), disk.Write("5.ts", "x"))
		disk.FailRead("2.png", errDisk)
		return reread.End{}
	})
	var got []string
	for _, d := range res.Errors {
		got = append(got, d.Path+" "+d.Reason)
	}
	want := []string{"1.png non-text", "2.png read-error", "3.ts maxBytesPerFile", "4.ts non-text", "5.ts maxFiles"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestErrorsComePathlessFirstThenByPath(t *testing.T) {
	x, disk := memory(t, map[string]string{"a.ts": "a\n", "b.ts": "b\n"})
	inv := everything
	inv.ReadOnly = true
	_, _, res := x.invoke(inv, func() reread.End {
		do(t, disk.Write("b.ts", "\x00"), disk.Put("a.ts", treemem.Entry{Target: "b.ts"}))
		disk.FailLists(errDisk)
		return reread.End{}
	})
	var got []string
	for _, d := range res.Errors {
		got = append(got, d.Path+" "+d.Reason)
		if d.Severity != diagnostic.Error || d.Message == "" {
			t.Errorf("got %+v, want an error with a message", d)
		}
	}
	if want := []string{" enumeration", " read-only", "a.ts link", "b.ts non-text"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestContentsAreJudgedByBytesAloneWhereDeclaredText(t *testing.T) {
	x, disk := memory(t, map[string]string{"a.ts": "a\n"})
	data := "one\n"
	x.patch([]patchOp{{Add: "tool.unknownext", Text: &data}})
	x.write()
	_, _, res := x.invoke(everything, func() reread.End { do(t, disk.Write("tool.unknownext", "two\n")); return reread.End{} })
	wantOutcome(t, res, "tool.unknownext", reread.Updated)
	f, _ := x.w.File("tool.unknownext")
	if !f.DeclaredText || f.MIME != "text/plain" {
		t.Errorf("got %+v, want it to stay declared text", f)
	}
	_, _, res = x.invoke(everything, func() reread.End { do(t, disk.Write("tool.unknownext", "\x00")); return reread.End{} })
	wantOutcome(t, res, "tool.unknownext", reread.Unreadable)
	_, _, res = x.invoke(everything, func() reread.End { do(t, disk.Write("tool.unknownext", "three\n")); return reread.End{} })
	wantOutcome(t, res, "tool.unknownext", reread.Recovered)
	if f, _ := x.w.File("tool.unknownext"); !f.DeclaredText || f.MIME != "text/plain" {
		t.Errorf("got %+v after recovery, want declared text", f)
	}
}
