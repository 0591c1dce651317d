package sidecar_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

// TestARunThatChangesAndFindsMuchStaysInItsBounds is judged by the API server's schema, too.
func TestARunThatChangesAndFindsMuchStaysInItsBounds(t *testing.T) {
	const count = 3000
	long := strings.Repeat("<é>", 40)
	w := madeOf(t, func(base string) v1alpha1.DevPipelineRunSpec {
		spec := specOf(t, "persistentVolumeClaim: {claimName: checkout, path: src}", "", `run: {image: x, command: [sh, -c, "for f; do echo more >>$f; done; yes | head -c 1000000", sh], scope: ["**"]}
check: {}`, `{name: noisy, inline: {image: x, versionCommand: [echo, v1], checks: [{extensions: [txt], command: [sh, -c, "cat `+base+`/findings; exit 1"], paths: {as: None}, exitCodes: {findings: [1]}, diagnostics: {format: GNU}}]}}`)
		spec.Plan.Workspace.Bounds.MaxFiles = 2 * count
		return spec
	}, func(base string) {
		many := map[string]string{}
		for i := range count {
			many[fmt.Sprintf("%04d-%s.txt", i, long)] = "a\n"
		}
		plant(t, filepath.Join(base, "source/src"), many)
		var found strings.Builder
		for i := range 10_000 {
			fmt.Fprintf(&found, "%04d-%s.txt:1:1: error: finding %d of %s\n", i%count, long, i, long)
		}
		plant(t, base, map[string]string{"findings": found.String()})
	})
	o := w.toEnd("prepare")
	if o.Result != v1alpha1.ResultChanged || o.Accounting.Changed.Files != count || o.Accounting.Diagnostics.Errors != 10_000 {
		t.Errorf("outcome = %+v, accounting %+v", o, o.Accounting)
	}
	status := theRun(t, w.run).Status
	raw, err := json.Marshal(status)
	must(t, err)
	if status.Outcome == nil || status.Outcome.Entry != "1-0" || len(raw) > 64<<10 {
		t.Errorf("the status has %d bytes and the word of %+v", len(raw), status.Outcome)
	}
	if strings.Contains(string(raw), "finding 1 ") || strings.Contains(string(raw), "y\\ny") {
		t.Error("the status has what tools printed")
	}
	if len(status.Invocations) != 2 || status.Invocations[1].Diagnostics.Errors != 10_000 || status.Invocations[1].Version != "v1" {
		t.Errorf("entries = %+v", status.Invocations)
	}
	object, r := theReport(t, w.run)
	if len(object.Data) > 64<<10 || object.Cut == nil || object.Cut.Diffs == 0 || int(object.Cut.Rows)+len(r.Changes) != count {
		t.Errorf("the report has %d bytes, %d rows, cut %+v", len(object.Data), len(r.Changes), object.Cut)
	}
}
