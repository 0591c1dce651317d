package sidecar_test

import (
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/corpus"
)

// maxMemory is what a sidecar may take on 30,000 files.
const maxMemory = 64 << 10 // KiB

var peak = regexp.MustCompile(`at most (\d+) kB of memory`)

// TestThirtyThousandFilesFitIntoTheMemoryOfASidecar measures every sidecar of a run: one
// whose tools change nothing, and one in which one changes a file of a hundred.
func TestThirtyThousandFilesFitIntoTheMemoryOfASidecar(t *testing.T) {
	spec := specOf(t, "persistentVolumeClaim: {claimName: checkout}", "", `run: {image: x, command: ["true"], scope: ["**"], paths: ["**"]}
run: {image: x, command: [sh, -c, "cat >/dev/null; find . -type f | awk 'NR%100==0' | while read f; do echo more >>$f; done"], scope: ["**"], paths: ["**"]}`)
	spec.Plan.Workspace.Acquire = []string{"**"}
	spec.Plan.Workspace.Bounds.MaxFiles = 50_000
	w := worldOf(t, spec, func(base string) {
		_, err := corpus.Write(filepath.Join(base, "source"), corpus.Gen30k())
		must(t, err)
	})
	var last v1alpha1.RunOutcome
	for _, entry := range []string{"prepare", "0-0", "1-0"} {
		e := w.pod(entry, 1)
		last = e.outcome(t)
		found := peak.FindStringSubmatch(e.log)
		if found == nil {
			t.Fatalf("%s: the log says no peak: %s", entry, e.log)
		}
		kib, err := strconv.Atoi(found[1])
		must(t, err)
		t.Logf("%s: %d MiB", entry, kib>>10)
		if kib > maxMemory {
			t.Errorf("%s: the sidecar took %d MiB, want at most %d", entry, kib>>10, maxMemory>>10)
		}
	}
	if last.Result != v1alpha1.ResultChanged || last.Accounting.Acquired < 20_000 {
		t.Errorf("outcome = %s of %d files, want Changed of many", last.Result, last.Accounting.Acquired)
	}
}
