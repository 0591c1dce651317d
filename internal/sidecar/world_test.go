package sidecar_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/manifest"
	"github.com/fettle-dev/fettle/internal/outcome"
	"github.com/fettle-dev/fettle/internal/pipeline"
)

// timeout bounds what a Pod may take.
const timeout = time.Minute

// world is a run with what its Pods mount, below one directory.
type world struct {
	t    *testing.T
	base string
	run  string
	path string // PATH of the fixers
	tree string // flag
	env  []string
	as   *syscall.Credential // of the sidecar; nil is that of the test
}

// newWorld makes a run of these steps, one a line, and engines over files in a claim that
// is edited in place.
func newWorld(t *testing.T, files map[string]string, steps string, engines ...string) *world {
	t.Helper()
	return worldOf(t, specOf(t, "persistentVolumeClaim: {claimName: checkout, path: src}", "", steps, engines...), func(base string) {
		plant(t, filepath.Join(base, "source", "src"), files)
	})
}

// specOf is what a run copies of a pipeline. more are further lines of its spec.
func specOf(t *testing.T, source, more, steps string, engines ...string) v1alpha1.DevPipelineRunSpec {
	t.Helper()
	text := "apiVersion: fettle.dev/v1alpha1\nkind: DevPipeline\nmetadata: {name: web}\nspec:\n" +
		"  source: {" + source + "}\n  workspace: {acquire: [\"**/*.txt\"]}\n  policy: {read: {allow: [\"**\"]}, write: {allow: [\"**\"]}}\n" + more
	if len(engines) > 0 {
		text += "  engines:\n  - " + strings.Join(engines, "\n  - ") + "\n"
	}
	text += "  steps:\n"
	for i, step := range strings.Split(steps, "\n") {
		text += fmt.Sprintf("  - {name: s%d, %s}\n", i, step)
	}
	set, err := manifest.Load(t.Context(), manifest.Input{Name: "p", Data: []byte(text)})
	must(t, err)
	return resolved(t, set.Pipelines[0].Value, nil)
}

func resolved(t *testing.T, p *v1alpha1.DevPipeline, engines []v1alpha1.DevEngine) v1alpha1.DevPipelineRunSpec {
	t.Helper()
	r, err := pipeline.Resolve(p.Spec, pipeline.Published{Engines: engines})
	must(t, err)
	return v1alpha1.DevPipelineRunSpec{
		PipelineRef: v1alpha1.PipelineReference{Name: v1alpha1.ObjectName(p.Name), ObjectVersion: v1alpha1.ObjectVersion{UID: "1", Generation: 1}},
		Plan:        r.Plan, Engines: r.Engines, Policies: r.Policies,
	}
}

// scripted is a world with one tool, a shell script that knows the base as $BASE.
func scripted(t *testing.T, more, script string) *world {
	t.Helper()
	return madeOf(t, func(base string) v1alpha1.DevPipelineRunSpec {
		script := "BASE=" + base + "; " + script
		return specOf(t, "persistentVolumeClaim: {claimName: checkout, path: src}", more, `run: {image: x, command: [sh, -c, `+strconv.Quote(script)+`], scope: ["**"]}`)
	}, func(base string) { plant(t, filepath.Join(base, "source/src"), files()) })
}

func worldOf(t *testing.T, spec v1alpha1.DevPipelineRunSpec, fill func(base string)) *world {
	t.Helper()
	return madeOf(t, func(string) v1alpha1.DevPipelineRunSpec { return spec }, fill)
}

// madeOf makes a run and what its Pods have. Both functions are told the base.
func madeOf(t *testing.T, specFor func(base string) v1alpha1.DevPipelineRunSpec, fill func(base string)) *world {
	t.Helper()
	base, err := os.MkdirTemp("", "pod-") // a socket's path has at most 107 bytes
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(base) })
	must(t, os.Chmod(base, 0o755))
	w := &world{t: t, base: base, run: strings.ToLower(filepath.Base(base)), path: os.Getenv("PATH")}
	for _, dir := range []string{"workspace", "source", "dev", "var/run/secrets/fettle"} {
		must(t, os.MkdirAll(filepath.Join(base, dir), 0o755))
	}
	plant(t, filepath.Join(base, "var/run/secrets/fettle"), map[string]string{"token": server.BearerToken, "ca.crt": string(server.CAData)})
	fill(base)
	spec := specFor(base)
	if claim := spec.Plan.Source.PersistentVolumeClaim; claim != nil && spec.Plan.Mode != v1alpha1.PipelineModeCheck {
		w.tree = filepath.Join(base, "source", string(claim.Path))
	}
	create(t, w.run, spec)
	return w
}

func plant(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o755))
	for name, data := range files {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(data), 0o644))
	}
}

// end is what is left of a Pod.
type end struct {
	code    int
	message string // the sidecar's termination message
	log     string
	fixer   error // how the other container ended
}

func (e end) outcome(t *testing.T) v1alpha1.RunOutcome {
	t.Helper()
	o, err := outcome.Decode(e.message)
	if err != nil {
		t.Fatalf("exit code %d, %v: %q, log %s", e.code, err, e.message, e.log)
	}
	return o
}

// pod is one Pod under way.
type pod struct {
	w       *world
	sidecar *exec.Cmd
	shim    *exec.Cmd // nil without a fixer
	log     *strings.Builder
	shimEnd chan error
}

// sidecarArgs is the command of a Pod's sidecar.
func (w *world) sidecarArgs(entry string, attempt int, flags ...string) []string {
	args := []string{"sidecar", "--namespace", "default", "--run", w.run, "--attempt", strconv.Itoa(attempt), "--base", w.base}
	switch {
	case outcome.IsInvocation(entry):
		args = append(args, "--invocation", entry)
	default:
		args = append(args, "--"+entry)
		if w.tree != "" && (entry == outcome.Prepare || w.isThere(w.tree)) {
			args = append(args, "--tree", w.tree)
		}
	}
	return append(args, flags...)
}

// fifo makes a FIFO beside the tree, where tools find it.
func (w *world) fifo(name string) string {
	w.t.Helper()
	path := filepath.Join(w.base, name)
	if !w.isThere(path) {
		must(w.t, syscall.Mkfifo(path, 0o666))
	}
	return path
}

// waitUp waits for a tool to write to the FIFO "up".
func (w *world) waitUp() {
	w.t.Helper()
	file, err := os.OpenFile(w.fifo("up"), os.O_RDWR|syscall.O_NONBLOCK, 0) // so that opening doesn't wait
	must(w.t, err)
	defer file.Close()
	must(w.t, file.SetReadDeadline(time.Now().Add(timeout)))
	if _, err := file.Read(make([]byte, 8)); err != nil {
		w.t.Fatalf("no tool is at work: %v", err)
	}
}

func (w *world) isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// sidecarEnv is its environment.
func (w *world) sidecarEnv() []string {
	at, err := url.Parse(server.Host)
	must(w.t, err)
	env := []string{"PATH=" + os.Getenv("PATH"), "KUBERNETES_SERVICE_HOST=" + at.Hostname(), "KUBERNETES_SERVICE_PORT=" + at.Port()}
	return append(env, w.env...)
}

// mount puts things where a Pod of this entry has them: what is the Pod's own is new.
func (w *world) mount(entry string) {
	w.t.Helper()
	for _, dir := range []string{"fettle/run", "tmp", "home/fettle"} {
		path := filepath.Join(w.base, dir)
		must(w.t, os.RemoveAll(path))
		must(w.t, os.MkdirAll(path, 0o755))
		if w.as != nil {
			must(w.t, os.Chown(path, int(w.as.Uid), int(w.as.Gid)))
		}
	}
	words := filepath.Join(w.base, "dev/termination-log")
	must(w.t, os.WriteFile(words, nil, 0o666))
	must(w.t, os.Chmod(words, 0o666)) // as the kubelet makes it
	tree := filepath.Join(w.base, "workspace/tree")
	if outcome.IsInvocation(entry) && w.tree != "" && w.isThere(w.tree) {
		must(w.t, os.Remove(tree))
		must(w.t, os.Rename(w.tree, tree)) // as a mount: the same files at another path
	}
}

// start starts a Pod: its sidecar, and with an invocation its fixer.
func (w *world) start(entry string, attempt int, flags ...string) *pod {
	w.t.Helper()
	w.mount(entry)
	p := &pod{w: w, log: &strings.Builder{}}
	p.startSidecar(entry, attempt, flags...)
	if outcome.IsInvocation(entry) {
		p.startShim()
	}
	return p
}

func (p *pod) startSidecar(entry string, attempt int, flags ...string) {
	w := p.w
	w.t.Helper()
	p.sidecar = exec.Command(built.fettle, w.sidecarArgs(entry, attempt, flags...)...)
	p.sidecar.Env, p.sidecar.Stderr = w.sidecarEnv(), p.log
	p.sidecar.SysProcAttr = &syscall.SysProcAttr{Credential: w.as}
	must(w.t, p.sidecar.Start())
}

func (p *pod) startShim() {
	p.w.t.Helper()
	p.shimEnd = make(chan error, 1)
	p.shim = exec.Command(built.shim, "--socket", filepath.Join(p.w.base, "fettle/run/shim.sock"))
	p.shim.Env = []string{"PATH=" + p.w.path}
	p.shim.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: p.w.as}
	must(p.w.t, p.shim.Start())
	go func() { p.shimEnd <- p.shim.Wait() }()
}

// wait waits until nothing of the Pod is left.
func (p *pod) wait() end {
	p.w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = p.sidecar.Process.Kill() })()
	e := end{}
	var exit *exec.ExitError
	switch err := p.sidecar.Wait(); {
	case errors.As(err, &exit):
		e.code = exit.ExitCode()
	case err != nil:
		p.w.t.Fatal(err)
	}
	if ctx.Err() != nil {
		p.w.t.Fatalf("the sidecar didn't end within %s: %s", timeout, p.log)
	}
	e.log = p.log.String()
	message, err := os.ReadFile(filepath.Join(p.w.base, "dev/termination-log"))
	must(p.w.t, err)
	e.message = string(message)
	if p.shim != nil {
		select {
		case e.fixer = <-p.shimEnd:
		case <-time.After(timeout):
			_ = p.shim.Process.Kill()
			p.w.t.Fatalf("the shim didn't end; the sidecar said %s", e.log)
		}
	}
	return e
}

// pod runs a Pod to its end.
func (w *world) pod(entry string, attempt int, flags ...string) end {
	w.t.Helper()
	return w.start(entry, attempt, flags...).wait()
}

// toEnd starts one Pod after the other, as the controller does, and returns the outcome of
// the last.
func (w *world) toEnd(from string) v1alpha1.RunOutcome {
	w.t.Helper()
	entry, attempt := from, 1
	for range 40 {
		e := w.pod(entry, attempt)
		if e.code == 2 {
			attempt++
			continue
		}
		o := e.outcome(w.t)
		if o.Next == nil {
			return o
		}
		if next := outcome.Of(*o.Next); next != entry {
			entry, attempt = next, 1
		} else {
			attempt++
		}
	}
	w.t.Fatal("the run doesn't end")
	return v1alpha1.RunOutcome{}
}

// file is the content of a file of the tree.
func (w *world) file(name string) string {
	w.t.Helper()
	for _, dir := range []string{w.tree, filepath.Join(w.base, "workspace/tree")} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			return string(data)
		}
	}
	return ""
}
