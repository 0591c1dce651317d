package git

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// ErrMissing says that there is no such object or ref.
var ErrMissing = errors.New("no such object")

// catFile is a cat-file that answers one question after the other. It is started with
// the first one, and anew after it failed.
type catFile struct {
	dir string
	env []string

	mu  sync.Mutex
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// Read returns an object. name is an ID or the full name of a ref; the answer has the
// name of the object that a ref stands for. Without it the error wraps ErrMissing.
func (r *Repo) Read(name string) (ID, Object, error) {
	var data bytes.Buffer
	id, kind, err := r.cat.copy(name, &data, func(size int64) { data.Grow(int(min(size, 1<<20))) })
	if err != nil {
		return "", Object{}, fmt.Errorf("read %s: %w", name, err)
	}
	return id, Object{Kind: kind, Data: data.Bytes()}, nil
}

// Copy writes the bytes of a blob to w and returns their number.
func (r *Repo) Copy(id ID, w io.Writer) error {
	_, kind, err := r.cat.copy(string(id), w, func(int64) {})
	if err == nil && kind != Blob {
		err = fmt.Errorf("is a %s, not a blob", kind)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", id, err)
	}
	return nil
}

// copy asks for an object and writes its bytes to w. An error of w doesn't disturb the
// next question.
func (c *catFile) copy(name string, w io.Writer, expect func(size int64)) (ID, Kind, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cmd == nil {
		if err := c.start(); err != nil {
			return "", "", err
		}
	}
	id, kind, err := c.answer(name, w, expect)
	if broken := (*brokenPipe)(nil); errors.As(err, &broken) {
		c.stop()
	}
	return id, kind, err
}

// brokenPipe is an error after which the process is of no use.
type brokenPipe struct{ error }

func (b *brokenPipe) Unwrap() error { return b.error }

func (c *catFile) answer(name string, w io.Writer, expect func(size int64)) (ID, Kind, error) {
	if strings.ContainsAny(name, "\n \x00") {
		return "", "", ErrMissing
	}
	if _, err := io.WriteString(c.in, name+"\n"); err != nil {
		return "", "", &brokenPipe{fmt.Errorf("git cat-file: %w", err)}
	}
	header, err := c.out.ReadString('\n')
	if err != nil {
		return "", "", &brokenPipe{fmt.Errorf("git cat-file: %w", err)}
	}
	fields := strings.Fields(header)
	if len(fields) < 3 {
		return "", "", ErrMissing // "missing", "ambiguous"
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return "", "", &brokenPipe{fmt.Errorf("git cat-file: %q: %w", header, err)}
	}
	expect(size)
	sink := &sticky{w: w}
	if _, err := io.CopyN(sink, c.out, size); err != nil {
		return "", "", &brokenPipe{fmt.Errorf("git cat-file: %w", err)}
	}
	if _, err := c.out.Discard(1); err != nil {
		return "", "", &brokenPipe{fmt.Errorf("git cat-file: %w", err)}
	}
	return ID(fields[0]), Kind(fields[1]), sink.err
}

// sticky takes everything and remembers the first error.
type sticky struct {
	w   io.Writer
	err error
}

func (s *sticky) Write(p []byte) (int, error) {
	if s.err == nil {
		_, s.err = s.w.Write(p)
	}
	return len(p), nil
}

func (c *catFile) start() error {
	cmd := exec.Command("git", append(settings[:len(settings):len(settings)], "cat-file", "--batch")...)
	cmd.Dir, cmd.Env = c.dir, c.env
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("git cat-file: %w", err)
	}
	c.cmd, c.in, c.out = cmd, in, bufio.NewReaderSize(out, 1<<16)
	return nil
}

// stop ends the process, whatever it is doing.
func (c *catFile) stop() {
	c.in.Close()
	_ = c.cmd.Process.Kill() // it may have ended
	_ = c.cmd.Wait()
	c.cmd = nil
}

func (c *catFile) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cmd != nil {
		c.stop()
	}
	return nil
}
