package reread_test

import (
	"slices"
	"testing"

	"github.com/fettle-dev/fettle/internal/reread"
)

func TestPreparationIsComputedAnewForEachInvocation(t *testing.T) {
	x, _ := memory(t, map[string]string{"a.ts": "a\n", "b.ts": "b\n", "c.md": "c\n"})
	text := "mine\n"
	x.patch([]patchOp{{Update: "a.ts", Text: &text}})
	inv := reread.Invocation{Engine: "tool", Scope: globs(t, []string{"*.ts"})}
	if p := x.prepare(inv); !slices.Equal(p.Withheld, []string{"a.ts"}) || !slices.Equal(p.Allowlist, []string{"b.ts"}) {
		t.Errorf("withheld %q, given %q; want a.ts and b.ts", p.Withheld, p.Allowlist)
	}
	x.write()
	if p := x.prepare(inv); len(p.Withheld) != 0 || !slices.Equal(p.Allowlist, []string{"a.ts", "b.ts"}) {
		t.Errorf("after a write: withheld %q, given %q; want none and both", p.Withheld, p.Allowlist)
	}
}

func TestUnsavedFilesOutsideTheEnvelopeAreNoBusinessOfALint(t *testing.T) {
	x, _ := memory(t, map[string]string{"a.ts": "a\n", "b.md": "b\n", "c.md": "c\n", "d.ts": "d\n"})
	text := "mine\n"
	x.patch([]patchOp{{Update: "b.md", Text: &text}, {Delete: "c.md"}, {Delete: "d.ts"}})
	inv := reread.Invocation{Engine: "lint", Scope: globs(t, []string{"*.ts"}), ReadOnly: true}
	p := x.prepare(inv)
	if len(p.Diagnostics) != 1 || p.Diagnostics[0].Reason != "unsaved" || !slices.Equal(p.Diagnostics[0].Paths, []string{"d.ts"}) {
		t.Errorf("got %+v, want one warning about d.ts", p.Diagnostics)
	}
	inv.ReadOnly = false
	if p := x.prepare(inv); len(p.Diagnostics) > 0 {
		t.Errorf("got %+v for a fixer, want nothing: it is told what is withheld", p.Diagnostics)
	}
}

func TestAFileIsGivenOnlyIfItMayBeReadAndUnlessReadOnlyWritten(t *testing.T) {
	x, _ := memory(t, map[string]string{"a.ts": "a\n", "r.ts": "r\n", "w.ts": "w\n"})
	x.rules = parsePolicy(t, []byte(`{"read": {"deny": ["r.ts"]}, "write": {"allow": ["**"], "deny": ["w.ts"]}}`))
	for _, tt := range []struct {
		readOnly bool
		given    []string
		reason   string
		denied   []string
	}{
		{false, []string{"a.ts"}, "write-denied", []string{"r.ts", "w.ts"}},
		{true, []string{"a.ts", "w.ts"}, "read-denied", []string{"r.ts"}},
	} {
		p := x.prepare(reread.Invocation{Engine: "tool", ReadOnly: tt.readOnly})
		if string(p.Denied.Reason) != tt.reason || !slices.Equal(p.Denied.Paths, tt.denied) {
			t.Errorf("read-only %t: %+v is denied, want %s of %q", tt.readOnly, p.Denied, tt.reason, tt.denied)
		}
		if !slices.Equal(p.Allowlist, tt.given) || len(p.Diagnostics) != 1 || p.Diagnostics[0].Reason != tt.reason || !slices.Equal(p.Diagnostics[0].Paths, tt.denied) {
			t.Errorf("read-only %t: given %q, %+v; want %q and %s of %q", tt.readOnly, p.Allowlist, p.Diagnostics, tt.given, tt.reason, tt.denied)
		}
	}
}
