package supervise

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// request is one order; a connection carries one request and one response.
type request struct {
	Do     string         `json:"do"` // start, stop or list
	Daemon Daemon         `json:"daemon"`
	Signal syscall.Signal `json:"signal"`
	Grace  time.Duration  `json:"grace"`
}

type response struct {
	Error   string  `json:"error,omitempty"`
	Started bool    `json:"started"`
	States  []State `json:"states,omitempty"`
}

// Serve answers orders until the listener is closed.
func (s *Supervisor) Serve(listener net.Listener) error {
	for {
		conn, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		go s.answer(conn)
	}
}

func (s *Supervisor) answer(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	var q request
	if err := json.NewDecoder(conn).Decode(&q); err != nil {
		return // somebody only looked whether we are here
	}
	// An answer that nobody reads is lost without harm: what was asked for has been done.
	_ = json.NewEncoder(conn).Encode(s.do(q))
}

func (s *Supervisor) do(q request) response {
	var r response
	var err error
	switch q.Do {
	case "start":
		r.Started, err = s.Start(q.Daemon)
	case "stop":
		err = s.Stop(q.Daemon.Name, q.Signal, q.Grace)
	case "list":
		r.States = s.List()
	default:
		err = fmt.Errorf("unknown order %q", q.Do)
	}
	if err != nil {
		r.Error = err.Error()
	}
	return r
}

// Client gives orders to the supervisor that listens on a socket.
type Client struct{ Socket string }

// ErrNotRunning says that nothing listens on the socket.
var ErrNotRunning = errors.New("the node isn't running")

// PID returns the supervisor's process ID as this process sees it. It holds as long as the
// supervisor lives: the kernel, not a file, says who listens.
func (c Client) PID() (int, error) {
	conn, err := c.dial()
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close() }()
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var peer *unix.Ucred
	var peerErr error
	err = raw.Control(func(fd uintptr) {
		peer, peerErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if err := errors.Join(err, peerErr); err != nil {
		return 0, fmt.Errorf("%s: %w", c.Socket, err)
	}
	return int(peer.Pid), nil
}

// Start starts a daemon unless it is running, and says whether it did. Without a command it
// starts the daemon of that name as it was started last.
func (c Client) Start(d Daemon) (started bool, err error) {
	r, err := c.ask(request{Do: "start", Daemon: d})
	return r.Started, err
}

// Stop sends a signal to a daemon, waits for its end, and kills it after the grace period.
func (c Client) Stop(name string, signal syscall.Signal, grace time.Duration) error {
	_, err := c.ask(request{Do: "stop", Daemon: Daemon{Name: name}, Signal: signal, Grace: grace})
	return err
}

// List returns the states of all daemons.
func (c Client) List() ([]State, error) {
	r, err := c.ask(request{Do: "list"})
	return r.States, err
}

func (c Client) ask(q request) (response, error) {
	conn, err := c.dial()
	if err != nil {
		return response{}, err
	}
	defer func() { _ = conn.Close() }()
	if err := json.NewEncoder(conn).Encode(q); err != nil {
		return response{}, fmt.Errorf("%s: %w", c.Socket, err)
	}
	var r response
	if err := json.NewDecoder(conn).Decode(&r); err != nil {
		return response{}, fmt.Errorf("%s: %w", c.Socket, err)
	}
	if r.Error != "" {
		return r, errors.New(r.Error)
	}
	return r, nil
}

func (c Client) dial() (*net.UnixConn, error) {
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: c.Socket, Net: "unix"})
	if errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil, ErrNotRunning
	}
	return conn, err
}
