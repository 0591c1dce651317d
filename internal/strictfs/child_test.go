package strictfs

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/fettle-dev/fettle/internal/tree/treetest"
)

// inChild names, in the environment, the test that runs in a child process.
const inChild = "STRICTFS_TEST_CHILD"

// nobody is the user and group of child processes that must have no privileges.
const nobody = 65534

// otherGroup is a group that nobody is also in.
const otherGroup = 54321

// runInChild runs the test of this name, and what the function of that name does there,
// in a process of its own: as nobody, if asked for and this is root. It fails t where
// the child fails or runs nothing.
func runInChild(t *testing.T, test string, unprivileged bool) {
	t.Helper()
	dir, err := os.MkdirTemp("", "strictfs-child-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+test+"$", "-test.v", "-test.count=1")
	cmd.Env = append(os.Environ(), inChild+"="+test, "TMPDIR="+dir)
	cmd.Dir = dir
	if unprivileged && os.Geteuid() == 0 {
		if err := os.Chown(dir, nobody, nobody); err != nil {
			t.Fatal(err)
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{
			Uid: nobody, Gid: nobody, Groups: []uint32{nobody, otherGroup},
		}}
	}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+test) {
		t.Errorf("child: %v\n%s", err, out)
	}
}

// isChild reports whether this process was made to run this test.
func isChild(t *testing.T) bool { return os.Getenv(inChild) == t.Name() }

func TestRootKeepsTheContract(t *testing.T) {
	treetest.Run(t, func(t *testing.T) treetest.Subject { return newSubject(t) })
}

func TestRootKeepsTheContractWithoutPrivileges(t *testing.T) {
	if !isChild(t) {
		runInChild(t, t.Name(), true)
		return
	}
	if os.Geteuid() == 0 {
		t.Fatal("the child has privileges")
	}
	treetest.Run(t, func(t *testing.T) treetest.Subject { return newSubject(t) })
}
