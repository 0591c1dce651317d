// Package node makes the one node of a test cluster: a process in namespaces and cgroups of
// its own, with the mounts, the network and the sysctls that a kubelet expects.
//
// It never changes what others see: mounts stay in the node's mount namespace, sysctls that
// belong to the machine are shadowed, not set, and no directory is made outside the state
// directory. On the host it makes one link, one route and one cgroup in each hierarchy, by
// the names that [settings.Settings] gives them, and removes no others.
package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/hack/cluster/settings"
	"github.com/fettle-dev/fettle/hack/cluster/supervise"
)

// Path is where programs are looked for inside the node.
const Path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// Spawn starts argv as the first process of a new node and waits until it takes orders. The
// process has to call [JoinCgroups] and then [Prepare].
func Spawn(ctx context.Context, s settings.Settings, argv []string) error {
	groups, err := Hierarchies("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	if err := groups.make(s.Cgroup()); err != nil {
		return err
	}
	logFile := s.Path("log", "node.log")
	log, err := os.OpenFile(logFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = "/"
	cmd.Env = append(s.Env(), "PATH="+Path)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setsid:     true,
		Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC,
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("the node's first process: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := (supervise.Client{Socket: s.ControlSocket()}).PID(); err == nil {
			return nil
		}
		select {
		case err := <-ended:
			return fmt.Errorf("the node's first process ended: %w", errors.Join(err, errors.New(tail(logFile))))
		case <-ctx.Done():
			return fmt.Errorf("the node's first process: %w", ctx.Err())
		case <-tick.C:
		}
	}
}

func tail(file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(data[max(0, len(data)-1024):]))
}

// JoinCgroups moves this process into the node's cgroups, makes them the root of a cgroup
// namespace, and executes argv there. It returns only an error.
func JoinCgroups(s settings.Settings, argv []string) error {
	groups, err := Hierarchies("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	if err := groups.join(s.Cgroup()); err != nil {
		return err
	}
	// A cgroup namespace belongs to a thread. The one that executes is the one that stays.
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWCGROUP); err != nil {
		return fmt.Errorf("cgroup namespace: %w", err)
	}
	return syscall.Exec("/proc/self/exe", argv, os.Environ())
}

// Prepare makes this process's namespaces a node. Directories in keep stay visible at their
// paths, as does the state directory.
func Prepare(s settings.Settings, keep ...string) error {
	if err := unix.Sethostname([]byte(s.Name)); err != nil {
		return fmt.Errorf("host name: %w", err)
	}
	groups, err := Hierarchies("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	if err := prepareMounts(s, groups, keep); err != nil {
		return err
	}
	if out, err := exec.Command("ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
		return fmt.Errorf("loopback link: %w: %s", err, out)
	}
	return os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1\n"), 0)
}

// Enter returns the command that runs argv in the namespaces of the node whose first process
// is pid.
func Enter(ctx context.Context, pid int, argv ...string) *exec.Cmd {
	target := fmt.Sprintf("--target=%d", pid)
	arguments := []string{target, "--mount", "--pid", "--net", "--uts", "--ipc", "--cgroup", "--"}
	return exec.CommandContext(ctx, "nsenter", append(arguments, argv...)...)
}
