package workspace

import (
	"slices"
	"testing"

	"github.com/fettle-dev/fettle/internal/applypatch"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/textedit"
)

func TestReadLinesNeedsAWorkspaceKeyAsWritten(t *testing.T) {
	x := newFixture(t, map[string]string{"a": "\xEF\xBB\xBF1\r\n2\r3"})
	if got, err := x.w.ReadLines(x.store, "a", 1, 9); err != nil || got != "1\n2\n3" {
		t.Errorf("got %q, %v, want the lines joined with LF", got, err)
	}
	if _, err := x.w.ReadLines(x.store, "./a", 1, 0); !fault.Is(err, fault.BadArgument, fault.ReasonNotInWorkspace) {
		t.Errorf("got %v, want not-in-workspace", err)
	}
	if _, err := x.w.ReadLines(x.store, "a", 4, 0); !fault.Is(err, fault.BadArgument, fault.ReasonRange) {
		t.Errorf("got %v, want range", err)
	}
}

func TestEditChangesOneFileOrNothing(t *testing.T) {
	x := newFixture(t, map[string]string{"a": "\xEF\xBB\xBF1\r\n2\r\n"})
	next, err := x.w.Edit(x.env, "a", []textedit.Edit{{Find: "1", Replace: "x\ny"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := x.text("a"); got != "\xEF\xBB\xBF1\r\n2\r\n" {
		t.Errorf("the workspace that was edited became %q", got)
	}
	x.w = next
	if got, want := x.text("a"), "\xEF\xBB\xBFx\r\ny\r\n2\r\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	tests := []struct {
		path, find, replace string
		kind                fault.Kind
		want                fault.Reason
	}{
		{"./a", "x", "y", fault.BadArgument, fault.ReasonNotInWorkspace},
		{"a", "zzz", "y", fault.StepFailed, fault.ReasonNotFound},
		{"a", "x", "\x00", fault.StepFailed, fault.ReasonNonText},
	}
	for _, tt := range tests {
		if _, err := x.w.Edit(x.env, tt.path, []textedit.Edit{{Find: tt.find, Replace: tt.replace}}); !fault.Is(err, tt.kind, tt.want) {
			t.Errorf("edit of %s: got %v, want %s %s", tt.path, err, tt.kind, tt.want)
		}
	}
	x.env.Bounds.MaxBytesPerFile = 5
	if _, err := x.w.Edit(x.env, "a", []textedit.Edit{{Find: "x", Replace: "z"}}); !fault.Is(err, fault.WorkspaceBounds, fault.ReasonMaxBytesPerFile) {
		t.Errorf("got %v, want maxBytesPerFile", err)
	}
}

func patchOf(t *testing.T, body string) []applypatch.Operation {
	t.Helper()
	ops, err := applypatch.Parse("*** Begin Patch\n"+body+"*** End Patch\n", 32)
	if err != nil {
		t.Fatal(err)
	}
	return ops
}

func TestPatchOperationsApplyInOrderOnOneClone(t *testing.T) {
	x := newFixture(t, map[string]string{"a": "1\n", "b": "2\r\n"})
	next, err := x.w.ApplyPatch(x.env, patchOf(t, "*** Update File: a\n*** Move to: t\n*** Update File: b\n*** Move to: a\n@@\n-2\n+two\n"+
		"*** Update File: t\n*** Move to: b\n*** Delete File: a\n*** Add File: a\n+new\n"))
	if err != nil {
		t.Fatal(err)
	}
	x.w = next
	if got, want := x.text("a"), "new\n"; got != want {
		t.Errorf("a = %q, want %q", got, want)
	}
	if f := mustFile(t, x.w, "b"); f.Origin != "a" || f.Disk != "a" || x.text("b") != "1\n" {
		t.Errorf("b is %+v, want what was a", f)
	}
}

func TestAPatchWhoseLastOperationFailsChangesNothing(t *testing.T) {
	for body, want := range map[string]fault.Reason{
		"*** Delete File: a\n*** Delete File: q\n":                  fault.ReasonAbsent,
		"*** Delete File: a\n*** Update File: q\n@@\n-1\n+2\n":      fault.ReasonAbsent,
		"*** Delete File: a\n*** Update File: b\n@@\n-1\n+2\n":      fault.ReasonNotFound,
		"*** Delete File: a\n*** Update File: b\n*** Move to: f\n":  fault.ReasonExistsOnDisk,
		"*** Add File: n\n+x\n*** Update File: a\n*** Move to: b\n": fault.ReasonExists,
		"*** Add File: n\n+x\n*** Add File: n\n+x\n":                fault.ReasonExists,
		"*** Add File: n\n+x\n*** Update File: a\n@@\n-1\n+2\x00\n": fault.ReasonNonText,
		"*** Update File: a\n@@\n-1\n+2\n*** Add File: f\n+f\n":     fault.ReasonExistsOnDisk,
	} {
		x := newFixture(t, map[string]string{"a": "1\n", "b": "2\n"}, "f")
		was := x.dump()
		if _, err := x.w.ApplyPatch(x.env, patchOf(t, body)); !fault.Is(err, fault.StepFailed, want) {
			t.Errorf("%q: got %v, want %s", body, err, want)
		}
		if now := x.dump(); now != was {
			t.Errorf("%q changed the workspace:\n%s", body, now)
		}
	}
}

func TestFilterOutputIsTakenAsItIsOrNotAtAll(t *testing.T) {
	x := newFixture(t, map[string]string{"a": "1\n", "b": "2\n", "c": "3\n"})
	next, changed, err := x.w.ApplyFilter(x.env, []Output{{"b", []byte("2\n")}, {"a", []byte("\xFF\xFEx\x00")}})
	if err != nil || !slices.Equal(changed, []string{"a"}) {
		t.Fatalf("changed %v, %v, want a", changed, err)
	}
	if f := mustFile(t, next, "b"); f != mustFile(t, x.w, "b") {
		t.Errorf("equal output made %+v of b", f)
	}
	was := x.dump()
	if _, _, err := x.w.ApplyFilter(x.env, []Output{{"a", []byte("x")}, {"b", []byte{0}}}); !fault.Is(err, fault.StepFailed, fault.ReasonNonText) {
		t.Errorf("got %v, want non-text", err)
	}
	if now := x.dump(); now != was {
		t.Errorf("a refused output changed the workspace:\n%s", now)
	}
}
