package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// Repo is a bare repository of Create. Its methods are safe for concurrent use.
type Repo struct {
	dir string
	env []string
	cat catFile
}

// Open returns the repository at dir, an absolute path, which may not exist yet.
// environ is the environment to inherit from.
func Open(dir string, environ []string) *Repo {
	env := append(Environ(environ), "GIT_DIR="+dir, "GIT_COMMON_DIR="+dir)
	return &Repo{dir: dir, env: env, cat: catFile{dir: dir, env: env}}
}

// Dir returns the path of the repository.
func (r *Repo) Dir() string { return r.dir }

// Getenv returns a variable of the environment that git is called with.
func (r *Repo) Getenv(name string) string { return lookup(r.env, name) }

// Close ends the processes that are kept for reading.
func (r *Repo) Close() error { return r.cat.close() }

// run runs a command of git and returns its standard output.
func (r *Repo) run(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	return runGit(ctx, call{dir: r.dir, env: r.env, stdin: stdin, args: args})
}

// call is one run of git.
type call struct {
	dir   string // where it runs
	env   []string
	stdin io.Reader
	args  []string
	extra *os.File // inherited, so that it stays open as long as the process lives
}

func (c call) command(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append(settings[:len(settings):len(settings)], c.args...)...)
	cmd.Dir = c.dir
	cmd.Env = c.env
	cmd.Stdin = c.stdin
	if c.extra != nil {
		cmd.ExtraFiles = []*os.File{c.extra}
	}
	return cmd
}

// failure is git's exit with another status than 0.
type failure struct {
	command string
	status  int
	stderr  string
}

func (f *failure) Error() string {
	message := strings.TrimSpace(f.stderr)
	if message == "" {
		message = fmt.Sprintf("exit status %d", f.status)
	}
	return fmt.Sprintf("git %s: %s", f.command, message)
}

func runGit(ctx context.Context, c call) ([]byte, error) {
	var stdout bytes.Buffer
	stderr := head{limit: 4096}
	cmd := c.command(ctx)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("git %s: %w", c.args[0], ctx.Err())
		}
		return nil, &failure{c.args[0], exit.ExitCode(), stderr.String()}
	}
	if err != nil {
		return nil, fmt.Errorf("git %s: %w", c.args[0], err)
	}
	return stdout.Bytes(), nil
}

// head keeps the first bytes of what is written to it.
type head struct {
	bytes.Buffer
	limit int
}

func (t *head) Write(p []byte) (int, error) {
	if room := t.limit - t.Len(); room > 0 {
		t.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
