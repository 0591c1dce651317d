package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/shim/procs"
	"github.com/fettle-dev/fettle/internal/shim/wire"
)

const (
	// attachTime is what the shim gets from its start to its first word.
	attachTime = 30 * time.Second
	// leaveTime is what it gets to end once the conversation has.
	leaveTime = 15 * time.Second
)

// converse starts a shim, puts one request to it, and returns when shim and tool are
// gone. An error means that there is no result but for Started: it is true from the
// moment the request was sent, for only the disk knows how far a dead shim came.
func (d *Driver) converse(ctx context.Context, marker string, r wire.Request, started func()) (wire.Result, error) {
	if err := r.Validate(); err != nil {
		return wire.Result{}, err
	}
	s, err := d.start(marker)
	if err != nil {
		return wire.Result{}, err
	}
	result, err := s.ask(ctx, r, started)
	return result, s.end(marker, err)
}

// shimProcess is a running shim with its guard, and our end of its channel.
type shimProcess struct {
	cmd     *exec.Cmd
	channel *os.File
	words   *lastWords
}

// start executes the shim, in a session of its own so that the terminal's signals reach
// only us, with nothing of ours but one end of a socket pair and its marker.
func (d *Driver) start(marker string) (*shimProcess, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	theirs := os.NewFile(uintptr(fds[1]), "shim")
	defer theirs.Close()
	if err := unix.SetNonblock(fds[0], true); err != nil {
		unix.Close(fds[0])
		return nil, os.NewSyscallError("fcntl", err)
	}
	s := &shimProcess{channel: os.NewFile(uintptr(fds[0]), "shim"), words: &lastWords{}}
	s.cmd = &exec.Cmd{
		Path:        d.options.Shim,
		Args:        []string{shimName, "--fd", "3"},
		Env:         []string{"PATH=" + d.options.Path, wire.MarkerEnv + "=" + marker},
		Dir:         "/",
		Stderr:      s.words,
		ExtraFiles:  []*os.File{theirs},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
		WaitDelay:   time.Second, // for a stderr that outlives it
	}
	if err := s.cmd.Start(); err != nil {
		s.channel.Close()
		return nil, fmt.Errorf("start %s: %w", shimName, err)
	}
	return s, nil
}

func (s *shimProcess) ask(ctx context.Context, r wire.Request, started func()) (wire.Result, error) {
	attach, stop := context.WithTimeout(ctx, attachTime)
	asker, _, err := wire.Attach(attach, s.channel)
	stop()
	if err != nil {
		return wire.Result{}, err
	}
	defer asker.Close()
	result, err := asker.Ask(ctx, r, func(wire.Started) {
		if started != nil {
			started()
		}
	})
	if err != nil {
		return wire.Result{Started: true}, err
	}
	return result, nil
}

// end waits until the shim is gone, and sees to it. After a conversation that broke it
// also kills what carries the marker: shim and guard may both have been killed.
func (s *shimProcess) end(marker string, broke error) error {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_ = s.cmd.Wait() // its exit code says less than the conversation has
	}()
	timer := time.NewTimer(leaveTime)
	defer timer.Stop()
	select {
	case <-gone:
	case <-timer.C:
		broke = errors.Join(broke, fmt.Errorf("%w: the shim doesn't end", wire.ErrBroken))
	}
	if broke == nil {
		return nil
	}
	ctx, stop := context.WithTimeout(context.Background(), leaveTime)
	defer stop()
	_, alive := procs.KillMarked(ctx, wire.MarkerEnv, func(value string) bool { return value == marker })
	if words := s.words.String(); words != "" {
		broke = fmt.Errorf("%w (%s)", broke, words)
	}
	if alive != nil {
		return fmt.Errorf("%w: %w: %w", broke, errAlive, alive)
	}
	return broke
}

// errAlive says that something of the tool could not be killed, or not be looked for.
var errAlive = errors.New("not all of the tool is dead")

// lastWords keeps the start of what the shim says on stderr, which is one line if
// anything: its tools have a stderr of their own.
type lastWords struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write takes at most a kilobyte and never fails.
func (w *lastWords) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if room := 1024 - w.text.Len(); room > 0 {
		w.text.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// String returns what was said, without surrounding space.
func (w *lastWords) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.TrimSpace(w.text.String())
}
