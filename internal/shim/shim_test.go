package shim

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/shim/shimtest"
	"github.com/fettle-dev/fettle/internal/shim/wire"
)

// roleEnv makes this test's binary the shim.
const roleEnv = "SHIM_TEST_ROLE"

// raceEnv keeps processes that the race detector watches from sleeping at their end.
const raceEnv = "GORACE=atexit_sleep_ms=0"

func TestMain(m *testing.M) {
	shimtest.RunTool()
	if os.Getenv(roleEnv) == "shim" {
		os.Exit(Main(os.Args[1:], os.Stderr))
	}
	os.Exit(m.Run())
}

// session is a shim that this test started and speaks with.
type session struct {
	t     *testing.T
	cmd   *exec.Cmd
	asker *wire.Asker
	hello wire.Hello
}

// attach starts a shim over an inherited socket.
func attach(t *testing.T, flags ...string) *session {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	theirs := os.NewFile(uintptr(fds[1]), "theirs")
	defer theirs.Close()
	ours, err := adopt(fds[0], "ours")
	if err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, cmd: command(append(flags, "--fd", "3")...)}
	s.cmd.ExtraFiles = []*os.File{theirs}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(context.Background(), shimtest.Timeout)
	defer stop()
	if s.asker, s.hello, err = wire.Attach(ctx, ours); err != nil {
		t.Fatalf("attach: %v", err)
	}
	t.Cleanup(func() { s.asker.Close() })
	return s
}

func command(args ...string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Env = append(os.Environ(), roleEnv+"=shim", raceEnv)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// ask puts a request and expects an answer and exit code 0.
func (s *session) ask(ctx context.Context, r wire.Request, started func(wire.Started)) wire.Result {
	s.t.Helper()
	ctx, stop := context.WithTimeout(ctx, shimtest.Timeout)
	defer stop()
	result, err := s.asker.Ask(ctx, r, started)
	if err != nil {
		s.t.Fatalf("ask: %v", err)
	}
	if err := s.cmd.Wait(); err != nil {
		s.t.Errorf("the shim ended with %v, want exit code 0 after the ack", err)
	}
	return result
}

// request is one for a tree of its own.
func request(t *testing.T, argv ...string) wire.Request {
	t.Helper()
	tree, private := t.TempDir(), t.TempDir()
	return wire.Request{
		Argv:    argv,
		Dir:     tree,
		Env:     []string{raceEnv},
		Umask:   0o022,
		Home:    filepath.Join(private, "home"),
		Tmp:     filepath.Join(private, "tmp"),
		Cache:   filepath.Join(private, "cache"),
		Passing: wire.Passing{As: wire.Arguments},
		Grace:   100 * time.Millisecond,
		Limits:  wire.Limits{Stdout: 1 << 20, Stderr: 1 << 20, Tail: 1 << 10},
	}
}

// run runs one request to its end.
func runTool(t *testing.T, r wire.Request) wire.Result {
	t.Helper()
	return attach(t).ask(context.Background(), r, nil)
}

func sh(script string) []string { return []string{"/bin/sh", "-c", script} }
