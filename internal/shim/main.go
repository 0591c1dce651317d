package shim

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/shim/wire"
)

// Exit codes of the program. A tool's own end is in the result, never in these.
const (
	ExitOK     = 0 // the result was acknowledged
	ExitUsage  = 2
	ExitBroken = 3 // the channel could not be had, or broke: the tool is dead
)

const usage = `usage: fettle-shim [--socket PATH | --fd N] [--wait DURATION] [-- COMMAND [ARG…]]

Runs a tool as fettle tells it over a Unix socket or an inherited descriptor.
`

// options are the command line.
type options struct {
	socket    string
	fd        int
	wait      time.Duration
	unguarded bool
	command   []string
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("fettle-shim", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	flags.StringVar(&o.socket, "socket", "", "connect to the Unix socket at `PATH` (default "+wire.Socket+")")
	flags.IntVar(&o.fd, "fd", -1, "talk over the inherited descriptor `N`")
	flags.DurationVar(&o.wait, "wait", defaultWait, "how long to wait for the socket")
	flags.BoolVar(&o.unguarded, "unguarded", false, "do without the guard, as a container's first process does")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.command = flags.Args()
	switch {
	case o.socket != "" && o.fd >= 0:
		flags.Usage()
		return o, errors.New("--socket and --fd exclude each other")
	case o.fd >= 0 && o.fd < 3:
		return o, fmt.Errorf("--fd %d is a standard stream", o.fd)
	case o.socket == "" && o.fd < 0:
		o.socket = wire.Socket
	}
	return o, nil
}

// Main is the program: args are those after its name. It returns the exit code.
func Main(args []string, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return ExitOK
	case err != nil:
		fmt.Fprintln(stderr, "fettle-shim:", err)
		return ExitUsage
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
	// The first process of a PID namespace needs no guard: with it all others die.
	if !o.unguarded && os.Getpid() != 1 {
		code, err := guard(args, o.fd, stop)
		if err != nil {
			fmt.Fprintln(stderr, "fettle-shim:", err)
		}
		return code
	}
	channel, err := open(o)
	if errors.Is(err, errNothingToRun) {
		fmt.Fprintln(stderr, "fettle-shim:", err)
		return ExitOK
	}
	if err != nil {
		fmt.Fprintln(stderr, "fettle-shim:", err)
		return ExitBroken
	}
	if err := Serve(channel, o.command, stop); err != nil {
		fmt.Fprintln(stderr, "fettle-shim:", err)
		return ExitBroken
	}
	return ExitOK
}

func open(o options) (io.ReadWriteCloser, error) {
	if o.fd >= 0 {
		return adopt(o.fd, "channel")
	}
	return dial(o.socket, o.wait)
}

// adopt makes a file of a socket's descriptor, which no child inherits.
func adopt(fd int, name string) (*os.File, error) {
	unix.CloseOnExec(fd)
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, fmt.Errorf("descriptor %d is no channel: %w", fd, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// defaultWait is how long the other container of a Pod may take to get ready: to reach the
// API server, to have the lock of the state, to look at the tree.
const defaultWait = 10 * time.Minute

// errNothingToRun says that fettle left word of having ended without anything to run.
var errNothingToRun = errors.New("there is nothing to run")

// dial connects to a Unix socket, which may take a while to appear. A regular file in its
// place says that it never will.
func dial(path string, wait time.Duration) (*os.File, error) {
	for until := time.Now().Add(wait); ; time.Sleep(20 * time.Millisecond) {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return nil, os.NewSyscallError("socket", err)
		}
		if err = unix.Connect(fd, &unix.SockaddrUnix{Name: path}); err == nil {
			return adopt(fd, path)
		}
		unix.Close(fd)
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			return nil, errNothingToRun
		}
		pending := errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ECONNREFUSED) || errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR)
		if !pending || time.Now().After(until) {
			return nil, fmt.Errorf("attach to %s: %w", path, err)
		}
	}
}
