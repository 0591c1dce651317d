package apiservertest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// process is a program that runs until it is killed, by us or by our own end.
type process struct {
	cmd   *exec.Cmd
	log   string
	ended chan struct{}
}

// launch starts a program with its output in a log in dir.
func launch(dir, path string, arguments ...string) (*process, error) {
	name := filepath.Base(path)
	p := &process{
		cmd:   exec.Command(path, arguments...),
		log:   filepath.Join(dir, name+".log"),
		ended: make(chan struct{}),
	}
	log, err := os.Create(p.log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p.cmd.Dir = dir
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	go func() {
		// The signal comes when the thread that started the program ends: this goroutine
		// keeps it until then.
		runtime.LockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			_ = p.cmd.Wait() // how it ended is for its log to say
		}
		close(p.ended)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// kill ends the program and waits: what it wrote is thrown away, so it need not tidy up.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended by itself
	<-p.ended
}

// death returns an error if the program has ended, with what it said last.
func (p *process) death() error {
	select {
	case <-p.ended:
		said := tail(p.log)
		err := fmt.Errorf("%s ended with %v: %s", filepath.Base(p.cmd.Path), p.cmd.ProcessState, said)
		if strings.Contains(said, "address already in use") {
			err = errors.Join(errPortTaken, err)
		}
		return err
	default:
		return nil
	}
}

// errPortTaken says that another process was quicker to listen on a port.
var errPortTaken = errors.New("a port was taken in the meantime")

// tail returns the last lines of a log.
func tail(file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return strings.Join(lines[max(0, len(lines)-3):], "\n")
}
