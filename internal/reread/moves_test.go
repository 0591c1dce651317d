package reread_test

import (
	"slices"
	"testing"

	"github.com/fettle-dev/fettle/internal/reread"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
)

// Spec §13.5: in every case but one the source is dropped and the destination admitted.
func TestRecordedMovesKeepIdentityOnlyWhereTheSpecSays(t *testing.T) {
	tests := []struct {
		name  string
		scope []string
		tool  func(t *testing.T, disk *treemem.Tree)
		moves map[string]string
		want  map[string]reread.OutcomeKind
	}{
		{"a plain move", nil, func(t *testing.T, d *treemem.Tree) { do(t, d.Move("a.ts", "z.ts")) }, map[string]string{"a.ts": "z.ts"},
			map[string]reread.OutcomeKind{"a.ts": reread.MovedAway, "z.ts": reread.Renamed}},
		{"the source is there again", nil, func(t *testing.T, d *treemem.Tree) { do(t, d.Move("a.ts", "z.ts"), d.Write("a.ts", "x\n")) }, map[string]string{"a.ts": "z.ts"},
			map[string]reread.OutcomeKind{"a.ts": reread.Updated, "z.ts": reread.Admitted}},
		{"the destination has gone", nil, func(t *testing.T, d *treemem.Tree) { do(t, d.Delete("a.ts")) }, map[string]string{"a.ts": "z.ts"},
			map[string]reread.OutcomeKind{"a.ts": reread.DroppedAbsent, "z.ts": ""}},
		{"the destination was there before", nil, func(t *testing.T, d *treemem.Tree) { do(t, d.Move("a.ts", "gap.png")) }, map[string]string{"a.ts": "gap.png"},
			map[string]reread.OutcomeKind{"a.ts": reread.DroppedAbsent, "gap.png": reread.IgnoredPreexisting}},
		{"the destination is a file of the workspace", nil, func(t *testing.T, d *treemem.Tree) { do(t, d.Delete("b.ts"), d.Move("a.ts", "b.ts")) }, map[string]string{"a.ts": "b.ts"},
			map[string]reread.OutcomeKind{"a.ts": reread.DroppedAbsent, "b.ts": reread.Updated}},
		{"the source is outside the envelope", []string{"z*"}, func(t *testing.T, d *treemem.Tree) { do(t, d.Move("a.ts", "z.ts")) }, map[string]string{"a.ts": "z.ts"},
			map[string]reread.OutcomeKind{"a.ts": "", "z.ts": reread.Admitted}},
		{"the destination is no text by name", nil, func(t *testing.T, d *treemem.Tree) { do(t, d.Move("a.ts", "z.png")) }, map[string]string{"a.ts": "z.png"},
			map[string]reread.OutcomeKind{"a.ts": reread.MovedAway, "z.png": reread.Unreadable}},
		{"the destination is a link now", nil, func(t *testing.T, d *treemem.Tree) {
			do(t, d.Delete("a.ts"), d.Put("z.ts", treemem.Entry{Target: "b.ts"}))
		}, map[string]string{"a.ts": "z.ts"},
			map[string]reread.OutcomeKind{"a.ts": reread.MovedAway, "z.ts": reread.Unreadable}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x, disk := memory(t, map[string]string{"a.ts": "a\n", "b.ts": "b\n", "gap.png": "g"})
			inv := reread.Invocation{Engine: "tool", Scope: globs(t, tt.scope)}
			_, _, res := x.invoke(inv, func() reread.End { tt.tool(t, disk); return reread.End{Moves: tt.moves} })
			for path, want := range tt.want {
				wantOutcome(t, res, path, want)
			}
			for to := range tt.moves {
				to = tt.moves[to]
				if u, ok := x.w.Unreadable(to); ok && (u.Origin != "a.ts" || u.Disk != to) {
					t.Errorf("unreadable %s is %+v, want with the identity of a.ts", to, u)
				}
			}
		})
	}
}

func TestARecordedDestinationOutsideTheSelectorBelongsToTheEnvelope(t *testing.T) {
	for _, kept := range []bool{true, false} {
		x, disk := memory(t, map[string]string{"a.ts": "a\n", "b.ts": "b\n"})
		inv := reread.Invocation{Engine: "tool", Selector: globs(t, []string{"a.ts"})}
		_, _, res := x.invoke(inv, func() reread.End {
			do(t, disk.Move("a.ts", "z.ts"), disk.Write("y.ts", "y\n"))
			if !kept {
				do(t, disk.Write("a.ts", "again\n"))
			}
			return reread.End{Moves: map[string]string{"a.ts": "z.ts"}, Claims: []byte(`{"renamed": {"a.ts": "z.ts"}}`)}
		})
		if !slices.Equal(res.Changed, []string{"a.ts", "z.ts"}) || !res.Advisory.Empty() {
			t.Errorf("kept %t: changed %q, advisory %+v; want both ends and agreement", kept, res.Changed, res.Advisory)
		}
		f, ok := x.w.File("z.ts")
		if want := map[bool]string{true: "a.ts", false: ""}[kept]; !ok || f.Origin != want {
			t.Errorf("kept %t: z.ts is %+v, want origin %q", kept, f, want)
		}
	}
}

func TestAnUnreadableFileThatIsMovedOntoGivesWay(t *testing.T) {
	x, disk := memory(t, map[string]string{"a.ts": "a\n", "b.ts": "b\n"})
	x.invoke(everything, func() reread.End { do(t, disk.Put("b.ts", treemem.Entry{Target: "a.ts"})); return reread.End{} })
	_, _, res := x.invoke(everything, func() reread.End {
		do(t, disk.Delete("b.ts"), disk.Move("a.ts", "b.ts"))
		return reread.End{Moves: map[string]string{"a.ts": "b.ts"}}
	})
	wantOutcome(t, res, "b.ts", reread.Renamed)
	if f, ok := x.w.File("b.ts"); !ok || f.Origin != "a.ts" || len(x.w.UnreadablePaths()) > 0 {
		t.Errorf("b.ts is %+v, unreadable %q; want a.ts moved there", f, x.w.UnreadablePaths())
	}
}

func TestAMoveToWhereADeletionIsPendingIsNotDeletedLater(t *testing.T) {
	x, disk := memory(t, map[string]string{"a.ts": "a\n", "b.ts": "b\n"})
	x.patch([]patchOp{{Delete: "b.ts"}})
	do(t, disk.Delete("b.ts")) // by a stranger, before the snapshot
	x.invoke(everything, func() reread.End {
		do(t, disk.Move("a.ts", "b.ts"))
		return reread.End{Moves: map[string]string{"a.ts": "b.ts"}}
	})
	if f, _ := x.w.File("b.ts"); f.Origin != "a.ts" || len(x.w.PendingDeletions()) > 0 {
		t.Errorf("b.ts is %+v, pending %+v; want a.ts moved there and nothing pending", f, x.w.PendingDeletions())
	}
}

func TestOnlyFilesAreMoved(t *testing.T) {
	x, disk := memory(t, map[string]string{"a.ts": "a\n", "b.ts": "b\n"})
	x.invoke(everything, func() reread.End { do(t, disk.Write("a.ts", "\x00")); return reread.End{} })
	_, _, res := x.invoke(everything, func() reread.End {
		do(t, disk.Delete("a.ts"), disk.Write("z.ts", "z\n"))
		return reread.End{Moves: map[string]string{"a.ts": "z.ts"}}
	})
	wantOutcome(t, res, "a.ts", reread.UnreadableClearedAbsent)
	wantOutcome(t, res, "z.ts", reread.Admitted)
}

func TestARecordedDestinationThatIsAnotherFileOfTheWorkspaceIsLeftAlone(t *testing.T) {
	x, disk := memory(t, map[string]string{"a.ts": "a\n", "b.ts": "b\n"})
	inv := reread.Invocation{Engine: "tool", Selector: globs(t, []string{"a.ts"})}
	_, _, res := x.invoke(inv, func() reread.End {
		do(t, disk.Move("a.ts", "b.ts"))
		return reread.End{Moves: map[string]string{"a.ts": "b.ts"}}
	})
	wantOutcome(t, res, "a.ts", reread.DroppedAbsent)
	wantOutcome(t, res, "b.ts", "")
	if f, _ := x.w.File("b.ts"); f.Origin != "b.ts" {
		t.Errorf("b.ts is %+v, want the file that it was", f)
	}
}
