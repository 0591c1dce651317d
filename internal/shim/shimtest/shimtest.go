// Package shimtest holds what the tests of fettle-shim and of its drivers share: tools
// that misbehave, and a way to see that nothing of them is alive any more.
//
// The tools are the test's own binary, so a test main calls RunTool first.
package shimtest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Timeout bounds every wait of a test.
const Timeout = 30 * time.Second

// toolArg is the first argument that makes a test's binary a tool.
const toolArg = "shimtest-tool"

// Command returns the command of a tool: the name of one of those in RunTool, then its
// arguments.
func Command(tb testing.TB, name string, args ...string) []string {
	tb.Helper()
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	return append([]string{self, toolArg, name}, args...)
}

// RunTool runs a tool and exits if that is what this process was started for.
func RunTool() {
	if len(os.Args) < 3 || os.Args[1] != toolArg {
		return
	}
	if err := tool(os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(99)
	}
	os.Exit(0)
}

func tool(name string, args []string) error {
	switch name {
	case "args": // prints its arguments, each followed by NUL
		for _, a := range args {
			fmt.Printf("%s\x00", a)
		}
		return nil
	case "stdin": // prints its standard input
		_, err := io.Copy(os.Stdout, os.Stdin)
		return err
	case "list": // prints the file that its last argument names
		b, err := os.ReadFile(args[len(args)-1])
		return errors.Join(err, show(b))
	case "env": // prints its environment, each variable followed by LF
		fmt.Println(strings.Join(os.Environ(), "\n"))
		return nil
	case "forever": // reports at the lifeline args[0], and never ends
		if err := hold(args[0], "forever"); err != nil {
			return err
		}
		time.Sleep(time.Hour)
		return nil
	case "deaf": // like forever, and ignores what can be ignored
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		return tool("forever", args)
	case "flood": // prints without end
		_, err := io.Copy(os.Stdout, endless{})
		return err
	case "daemon", "daemon-and-stay": // leaves a process two forks and two sessions away
		return daemonise(name, args[0])
	case "daemon-1":
		return spawn("daemon-2", args[0])
	case "daemon-2":
		if err := hold(args[0], "daemon"); err != nil {
			return err
		}
		os.NewFile(3, "ready").Close()
		time.Sleep(time.Hour)
		return nil
	default:
		return fmt.Errorf("no tool %q", name)
	}
}

func show(b []byte) error {
	_, err := os.Stdout.Write(b)
	return err
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = "0123456789\n"[i%11]
	}
	return len(p), nil
}

// daemonise returns once the daemon lives, or stays, as asked.
func daemonise(name, lifeline string) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd := exec.Command("/proc/self/exe", toolArg, "daemon-1", lifeline)
	cmd.ExtraFiles, cmd.Stdout = []*os.File{w}, os.Stdout
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Run(); err != nil {
		return err
	}
	w.Close()
	if _, err := r.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		return fmt.Errorf("daemon's pipe: %w", err)
	}
	if name == "daemon" {
		return nil
	}
	return tool("forever", []string{lifeline})
}

// spawn starts a process in a session of its own and leaves it.
func spawn(name, lifeline string) error {
	cmd := exec.Command("/proc/self/exe", toolArg, name, lifeline)
	cmd.ExtraFiles, cmd.Stdout = []*os.File{os.NewFile(3, "ready")}, os.Stdout
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd.Start()
}

// hold opens the lifeline and says so. The descriptor stays open while the process lives.
func hold(lifeline, name string) error {
	fd, err := syscall.Open(lifeline, syscall.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = syscall.Write(fd, []byte(name+"\n"))
	return err
}

// Lifeline is a FIFO that tools hold open: it ends when the last of them is dead.
type Lifeline struct {
	Path   string
	tb     testing.TB
	file   *os.File
	keep   *os.File
	reader *bufio.Reader
}

// NewLifeline makes a lifeline. It is outside dir, so that no tool's tree holds it.
func NewLifeline(tb testing.TB) *Lifeline {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "lifeline")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		tb.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { file.Close() })
	keep, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		tb.Fatal(err)
	}
	return &Lifeline{Path: path, tb: tb, file: file, keep: keep, reader: bufio.NewReader(file)}
}

// WaitAlive waits until these tools have reported, in any order. From then on the
// lifeline is theirs alone.
func (l *Lifeline) WaitAlive(names ...string) {
	l.tb.Helper()
	l.deadline()
	want := make(map[string]int)
	for _, n := range names {
		want[n]++
	}
	for range names {
		line, err := l.reader.ReadString('\n')
		if err != nil {
			l.tb.Fatalf("wait for %v: %v", names, err)
		}
		want[strings.TrimSpace(line)]--
	}
	for n, left := range want {
		if left != 0 {
			l.tb.Fatalf("tools that reported are not %v: %s", names, n)
		}
	}
	l.keep.Close()
}

// WaitDead waits until no process holds the lifeline.
func (l *Lifeline) WaitDead() {
	l.tb.Helper()
	l.keep.Close()
	l.deadline()
	if rest, err := io.ReadAll(l.reader); err != nil {
		l.tb.Fatalf("a tool is still alive after %s: %v (it said %q)", Timeout, err, rest)
	}
}

// AnyAlive reports whether some process holds the lifeline, as of now.
func (l *Lifeline) AnyAlive() bool {
	l.tb.Helper()
	if err := l.file.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		l.tb.Fatal(err)
	}
	_, err := l.reader.Peek(1)
	return !errors.Is(err, io.EOF)
}

func (l *Lifeline) deadline() {
	if err := l.file.SetReadDeadline(time.Now().Add(Timeout)); err != nil {
		l.tb.Fatal(err)
	}
}
