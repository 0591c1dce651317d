package engine

import (
	"fmt"
	"slices"
	"testing"
)

func TestDeniedFilesAreReportedOncePerInvocation(t *testing.T) {
	var files, vendored []string
	for i := range 12 {
		vendored = append(vendored, fmt.Sprintf("src/v%02d.css", i))
	}
	files = slices.Concat([]string{"a.ts", "lib/x.ts"}, []string{"src/a.ts"}, vendored)
	r := registry(t, Declaration{ID: "e", Formats: []CapabilityDeclaration{scoped(format("ts"), "src/**")}})
	q := Query{Kind: Format, Files: files, Policy: refuses{write: append([]string{"lib/x.ts"}, vendored...)}}
	withheld := func(p string) bool { return p == vendored[0] }
	got := plan(t, r, q).Invocations[0].DeniedOf(files, q.Policy, withheld)
	if got.Reason != WriteDenied || got.Count != 11 {
		t.Errorf("denied %d by %s, want 11 by write-denied: in scope, not withheld, whatever the extension", got.Count, got.Reason)
	}
	same(t, "the first ten", got.Paths, vendored[1:11])

	q.Selector = selector(t, "src/a.ts", "src/v03.css")
	got = plan(t, r, q).Invocations[0].DeniedOf(files, q.Policy, nil)
	same(t, "with a selector", got.Paths, []string{"src/v03.css"})
}
