package strictfs

import (
	"errors"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/tree"
)

// forbid has the kernel answer the system call nr with errno, or with a success that it
// isn't where errno is 0, from now on, in the whole process, as the filter of a
// container's runtime would.
func forbid(t *testing.T, nr uint32, errno unix.Errno) {
	t.Helper()
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // the number of the call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 0, Jf: 1, K: nr},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(errno)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		t.Fatalf("no new privileges: %v", err)
	}
	if _, _, err := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&program))); err != 0 {
		t.Fatalf("seccomp: %v", err)
	}
}

func TestOpenRefusesToStartWithoutOpenat2(t *testing.T) {
	if !isChild(t) {
		runInChild(t, t.Name(), false)
		return
	}
	forbid(t, unix.SYS_OPENAT2, unix.ENOSYS)
	_, err := Open(t.TempDir())
	if !fault.Is(err, fault.StepUnavailable, fault.ReasonMissing) || !errors.Is(err, unix.ENOSYS) ||
		!strings.Contains(err.Error(), "openat2") || !strings.Contains(fault.As(err).Hint, "Linux 5.6") {
		t.Errorf("open = %v, want a refusal that names openat2 and Linux 5.6", err)
	}
}

func TestOpenRefusesToStartWhereOpenat2OnlySeemsToWork(t *testing.T) {
	if !isChild(t) {
		runInChild(t, t.Name(), false)
		return
	}
	forbid(t, unix.SYS_OPENAT2, 0)
	if _, err := Open(t.TempDir()); !fault.Is(err, fault.StepUnavailable, fault.ReasonContainment) {
		t.Errorf("open = %v, want a refusal", err)
	}
}

func TestOpenRefusesToStartWhereAFilterForbidsRenameat2(t *testing.T) {
	if !isChild(t) {
		runInChild(t, t.Name(), false)
		return
	}
	forbid(t, unix.SYS_RENAMEAT2, unix.EPERM)
	_, err := Open(t.TempDir())
	if !fault.Is(err, fault.StepUnavailable, fault.ReasonMissing) || !strings.Contains(err.Error(), "renameat2") ||
		!strings.Contains(fault.As(err).Hint, "seccomp") {
		t.Errorf("open = %v, want a refusal that names renameat2 and seccomp", err)
	}
}

func TestARenameThatTheFileSystemCannotDoIsUnsupported(t *testing.T) {
	if !isChild(t) {
		runInChild(t, t.Name(), false)
		return
	}
	s := newSubject(t)
	s.File("a", "A", 0o644)
	s.File("b", "B", 0o644)
	forbid(t, unix.SYS_RENAMEAT2, unix.EINVAL)
	for what, err := range map[string]error{"exchange": s.root.Exchange("a", "b"), "rename": s.root.Rename("a", "c")} {
		if !errors.Is(err, tree.ErrUnsupported) {
			t.Errorf("%s = %v, want %v", what, err, tree.ErrUnsupported)
		}
	}
	if _, err := Open(s.dir); err != nil {
		t.Errorf("open = %v, want none: the scratch directory's file system says nothing of the tree's", err)
	}
}
