// Package crash kills fettle, its shim and its tools with SIGKILL at every journal
// boundary and at drawn system calls, and holds what comes after it to the undisturbed
// run: the same tree, the same accounting, nothing of anybody's lost, nothing left
// behind. FETTLE_SOAK=1 draws thousands of points; FETTLE_SEED draws others.
package crash

import (
	"fmt"
	"os"
	"testing"

	"github.com/fettle-dev/fettle/test/rig"
)

var programs rig.Programs // set by TestMain

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "fettle-crash-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if programs, err = rig.Build(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}
