package sidecar_test

import (
	"testing"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

func TestARunGoesThroughAPodForEachTool(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "a\n", "sub/b.txt": "b\n"},
		`edit: {path: a.txt, edits: [{find: a, replace: A}]}
write: {}
run: {image: x, command: [sh, -c, "for f; do echo more >>$f; done", sh], scope: ["**"]}
run: {image: x, command: [sh, -c, "rm sub/b.txt; echo c >c.txt"], scope: ["**"], needs: [delete]}`)
	o := w.toEnd("prepare")
	if o.Result != v1alpha1.ResultChanged {
		t.Fatalf("outcome = %+v", o)
	}
	t.Logf("%+v", o)
	run := theRun(t, w.run)
	t.Logf("%+v", run.Status.Outcome)
	t.Logf("%+v", run.Status.Invocations)
	_, r := theReport(t, w.run)
	t.Logf("%+v", r)
}
