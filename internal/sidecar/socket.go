package sidecar

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/fettle-dev/fettle/internal/shim/wire"
)

// helloTime is what a shim gets from its connection to its first word.
const helloTime = 30 * time.Second

// attach waits for the shim and takes its hello. Where none comes, or the Pod is ended
// before, the attempt is lost.
func (f *fixer) attach(ctx context.Context) (*wire.Asker, error) {
	stream, err := f.accept(ctx)
	if err != nil {
		return nil, err
	}
	hello, cancel := context.WithTimeout(ctx, helloTime)
	defer cancel()
	asker, _, err := wire.Attach(hello, stream)
	if err != nil && ctx.Err() == nil {
		f.lost = fmt.Errorf("%w: %w", errUnattached, err)
	}
	return asker, err
}

// accept takes one connection and unlinks the socket: whoever comes later, a tool that
// would pose as the shim, finds nothing.
func (f *fixer) accept(ctx context.Context) (net.Conn, error) {
	listener, err := listen(f.options.Layout.socket())
	if err != nil {
		return nil, err
	}
	defer func() { _ = listener.Close() }() // and unlink
	waiting, cancel := f.untilStopped(ctx)
	defer cancel()
	waiting, giveUp := context.WithTimeoutCause(waiting, f.options.AttachTime, fmt.Errorf("%w within %s", errUnattached, f.options.AttachTime))
	defer giveUp()
	defer context.AfterFunc(waiting, func() { _ = listener.Close() })()
	stream, err := listener.Accept()
	if err == nil {
		return stream, nil
	}
	if waiting.Err() != nil && ctx.Err() == nil {
		f.lost = context.Cause(waiting)
	}
	return nil, fmt.Errorf("wait for the shim: %w", err)
}

// listen makes the socket, for this identity alone: the other container has the same.
func listen(path string) (*net.UnixListener, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("the shim's socket: %w", err)
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("the shim's socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		_ = listener.Close()
		return nil, fmt.Errorf("the shim's socket: %w", err)
	}
	return listener, nil
}

// dismiss leaves word for a shim that hasn't come that there is nothing to run.
func (f *fixer) dismiss() {
	if f.attached {
		return
	}
	// Without that word it waits, in vain, until its Pod is deleted.
	_ = os.WriteFile(f.options.Layout.socket(), nil, 0o600)
}
