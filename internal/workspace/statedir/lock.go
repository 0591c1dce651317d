package statedir

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/fault"
)

// Holder says who has a state directory open, to whoever finds it busy (spec §21).
type Holder struct {
	Host string `json:"host"`
	PID  int    `json:"pid"`
	Run  string `json:"run,omitempty"`
}

func (h Holder) String() string {
	s := fmt.Sprintf("process %d on %s", h.PID, h.Host)
	if h.Run != "" {
		s += ", run " + h.Run
	}
	return s
}

// DefaultWait is how long a second runtime waits for the first (spec §1.3).
const DefaultWait = 2 * time.Minute

// lockEvery is how often a lock that is held is tried again.
const lockEvery = 100 * time.Millisecond

// lock takes the lock of a state directory for the life of the returned file; the
// kernel frees it with the process. While another holds it, it waits as long as wait
// says, then refuses with StepFailed busy.
func lock(ctx context.Context, dir string, holder Holder, wait time.Duration) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, fileMode)
	if err != nil {
		return nil, fmt.Errorf("open the lock: %w", err)
	}
	if err := take(ctx, f, wait); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if err := sign(f, holder); err != nil {
		return nil, errors.Join(fmt.Errorf("write who holds the lock: %w", err), f.Close())
	}
	return f, nil
}

func take(ctx context.Context, f *os.File, wait time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, wait, errBusy)
	defer cancel()
	again := time.NewTicker(lockEvery)
	defer again.Stop()
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR):
			return fmt.Errorf("lock the state directory: %w", err)
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return notHad(f, context.Cause(ctx))
		}
	}
}

// errBusy ends the wait for a lock.
var errBusy = errors.New("another runtime has it open")

func notHad(f *os.File, cause error) error {
	if !errors.Is(cause, errBusy) {
		return fault.New(fault.StepFailed, fault.ReasonCancelled, "", "cancelled while another runtime held the lock: %s", holderOf(f)).WithCause(cause)
	}
	return fault.New(fault.StepFailed, fault.ReasonBusy, "", "another runtime works on this root: %s", holderOf(f)).
		WithHint("wait for it, or end it; the lock is freed with its process")
}

func sign(f *os.File, holder Holder) error {
	data, err := json.Marshal(holder)
	if err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = f.WriteAt(append(data, '\n'), 0)
	return err
}

// holderOf reads who holds a lock; it may be about to write it.
func holderOf(f *os.File) string {
	buf := make([]byte, 4096)
	n, _ := f.ReadAt(buf, 0)
	var h Holder
	if json.Unmarshal(buf[:n], &h) != nil || h.PID == 0 {
		return "it hasn't said who it is"
	}
	return h.String()
}
