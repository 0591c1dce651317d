package sidecar_test

import (
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/outcome"
)

// hangingWorld is a world whose tool, once only, does its work and then hangs. The second
// time it does it again and ends.
func hangingWorld(t *testing.T) *world {
	t.Helper()
	w := scripted(t, "", "echo more >>a.txt; [ -e $BASE/once ] || { touch $BASE/once; echo up >$BASE/up; sleep 600; }")
	w.fifo("up")
	return w
}

// wantAsIfNothing expects the result of a run whose second attempt did what the first
// didn't: all of it is accounted for.
func (w *world) wantAsIfNothing(o v1alpha1.RunOutcome) {
	w.t.Helper()
	if o.Result != v1alpha1.ResultChanged || o.Accounting.Changed.Files != 1 || o.Accounting.Changed.LinesAdded != 2 {
		w.t.Errorf("outcome = %+v, want a.txt changed by both attempts", o)
	}
	if _, r := theReport(w.t, w.run); !strings.Contains(r.Diff, "+more\n+more\n") {
		w.t.Errorf("the report's diff is %q", r.Diff)
	}
	if got := w.file("a.txt"); got != "a\nmore\nmore\n" {
		w.t.Errorf("a.txt holds %q", got)
	}
}

func TestThePodsEndLeavesTheRunToTheNextPod(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(*pod)
		want int // the sidecar's exit code
	}{
		{"SIGTERM to the sidecar", func(p *pod) { _ = p.sidecar.Process.Signal(syscall.SIGTERM) }, 2},
		{"SIGTERM to both, the fixer first", func(p *pod) {
			_ = p.shim.Process.Signal(syscall.SIGTERM)
			time.Sleep(300 * time.Millisecond) // the kubelet isn't exact either
			_ = p.sidecar.Process.Signal(syscall.SIGTERM)
		}, 2},
		{"SIGKILL to the sidecar", func(p *pod) { _ = p.sidecar.Process.Kill() }, -1},
		{"SIGKILL to both", func(p *pod) {
			_ = p.sidecar.Process.Kill()
			_ = syscall.Kill(-p.shim.Process.Pid, syscall.SIGKILL)
		}, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := hangingWorld(t)
			w.pod("prepare", 1)
			p := w.start("0-0", 1)
			w.waitUp()
			tt.end(p)
			e := p.wait()
			if e.code != tt.want {
				t.Errorf("exit code %d, want %d: %s", e.code, tt.want, e.log)
			}
			if _, err := outcome.Decode(e.message); err == nil {
				t.Errorf("the sidecar says that the run stands somewhere: %s", e.message)
			}
			if tt.want == 2 && !strings.Contains(e.message, "the Pod was ended") {
				t.Errorf("the sidecar's last words are %q", e.message)
			}
			if status := theRun(t, w.run).Status; status.Outcome.Entry != "prepare" {
				t.Errorf("the status has the word of %s", status.Outcome.Entry)
			}
			w.wantAsIfNothing(w.pod("0-0", 2).outcome(t))
		})
	}
}

func TestADeadFixerFailsTheRunAndIsAccountedFor(t *testing.T) {
	w := hangingWorld(t)
	w.pod("prepare", 1)
	p := w.start("0-0", 1)
	w.waitUp()
	must(t, syscall.Kill(-p.shim.Process.Pid, syscall.SIGKILL)) // the shim, its guard and the tool, as with a container
	e := p.wait()
	o := e.outcome(t)
	if e.code != 1 || o.Result != v1alpha1.ResultFailed || !strings.Contains(o.Message, "the container of the tool died") || o.Accounting.Changed.Files != 1 {
		t.Errorf("code %d, %+v, want a failure with a.txt changed", e.code, o)
	}
	if entry := theRun(t, w.run).Status.Invocations[0]; entry.Outcome != v1alpha1.OutcomeCrash || entry.Changed != 1 {
		t.Errorf("entry = %+v, want a crash with 1 changed", entry)
	}
}

func TestAShimThatNeverComesCostsNoAttempt(t *testing.T) {
	w := newWorld(t, files(), steps)
	w.pod("prepare", 1)
	w.mount("2-0")
	p := &pod{w: w, log: &strings.Builder{}}
	p.startSidecar("2-0", 1, "--attach-time", "200ms")
	e := p.wait()
	if e.code != 2 || !strings.Contains(e.message, "the container of the tool didn't start") {
		t.Errorf("code %d, last words %q, want that no container started", e.code, e.message)
	}
	if o := w.pod("2-0", 2).outcome(t); o.Next == nil || o.Next.Step != 3 {
		t.Errorf("the next Pod's outcome is %+v, want that the run goes on", o)
	}
}

func TestRecoveryAccountsForWhatAnotherPodLeftAndSaysWhy(t *testing.T) {
	for _, tt := range []struct {
		name       string
		change     func(*testing.T, *world)
		wantResult v1alpha1.RunResult
		wantReason string
		wantText   string
	}{
		{"nobody knows why", func(*testing.T, *world) {}, v1alpha1.ResultFailed, v1alpha1.ReasonToolFailed, "ended before its work was done"},
		{"the run was cancelled", func(t *testing.T, w *world) {
			change(t, w.run, map[string]any{"spec": map[string]any{"desiredState": "Cancelled"}})
		}, v1alpha1.ResultCancelled, v1alpha1.ReasonCancelled, "cancelled"},
		{"the controller gave a reason", func(t *testing.T, w *world) {
			change(t, w.run+"/status", map[string]any{"status": map[string]any{"pod": map[string]any{
				"name": "p", "entry": "recover", "attempt": 1, "reason": "DeadlineExceeded", "message": "it took longer than 30m",
			}}})
		}, v1alpha1.ResultFailed, v1alpha1.ReasonDeadlineExceeded, "it took longer than 30m"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := hangingWorld(t)
			w.pod("prepare", 1)
			p := w.start("0-0", 1)
			w.waitUp()
			must(t, p.sidecar.Process.Kill())
			p.wait()
			tt.change(t, w)
			e := w.pod("recover", 1)
			o := e.outcome(t)
			if e.code != 1 || o.Result != tt.wantResult || o.Reason != tt.wantReason || !strings.Contains(o.Message, tt.wantText) {
				t.Errorf("code %d, %+v, want %s, %s with %q", e.code, o, tt.wantResult, tt.wantReason, tt.wantText)
			}
			if o.Accounting == nil || o.Accounting.Changed.Files != 1 {
				t.Errorf("accounting = %+v, want a.txt", o.Accounting)
			}
			status := theRun(t, w.run).Status
			if len(status.Invocations) != 1 || status.Invocations[0].Name != "0-0" || status.Invocations[0].Outcome != v1alpha1.OutcomeCrash || status.Invocations[0].Changed != 1 {
				t.Errorf("entries %+v, want that of the tool, which crashed", status.Invocations)
			}
			if _, r := theReport(t, w.run); r.Error == nil || !strings.Contains(r.Error.Message, tt.wantText) {
				t.Errorf("the report says %+v", r.Error)
			}
		})
	}
}

func TestRecoveryOfARunThatHasDoneNothingSaysSo(t *testing.T) {
	w := worldOf(t, specOf(t, "configMap: {name: files}", "", steps), func(string) {})
	e := w.pod("recover", 1)
	if o := e.outcome(t); e.code != 1 || o.Result != v1alpha1.ResultFailed || o.Message == "" || o.Accounting != nil {
		t.Errorf("code %d, %+v, want a failure without accounting", e.code, o)
	}
}

// cable is a connection to the API server that can be cut.
type cable struct {
	listener net.Listener
	mu       sync.Mutex
	cut      bool
	streams  []net.Conn
}

// layCable puts a cable between the world's sidecars and the API server.
func (w *world) layCable() *cable {
	w.t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(w.t, err)
	w.t.Cleanup(func() { listener.Close() })
	c := &cable{listener: listener}
	at, err := url.Parse(server.Host)
	must(w.t, err)
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			c.carry(near, at.Host)
		}
	}()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	must(w.t, err)
	w.env = append(w.env, "KUBERNETES_SERVICE_PORT="+port)
	return c
}

func (c *cable) carry(near net.Conn, to string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	far, err := net.Dial("tcp", to)
	if err != nil || c.cut {
		near.Close()
		return
	}
	c.streams = append(c.streams, near, far)
	for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
		go func() {
			_, _ = io.Copy(way[0], way[1])
			way[0].Close()
		}()
	}
}

func (c *cable) set(cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = cut
	for _, s := range c.streams {
		if cut {
			s.Close()
		}
	}
}

func TestWithTheAPIServerAwayTheLastWordsSayWhereTheRunStands(t *testing.T) {
	w := scripted(t, "", "echo up >$BASE/up; read word <$BASE/go; echo more >>a.txt")
	w.fifo("up")
	w.fifo("go")
	cable := w.layCable()
	w.pod("prepare", 1)
	p := w.start("0-0", 1, "--patience", "2s")
	w.waitUp()
	cable.set(true)
	must(t, os.WriteFile(filepath.Join(w.base, "go"), []byte("go\n"), 0))
	e := p.wait()
	o := e.outcome(t)
	if e.code != 0 || o.Entry != "0-0" || o.Result != v1alpha1.ResultChanged || o.Accounting.Changed.Files != 1 {
		t.Errorf("code %d, last words %+v, want the result", e.code, o)
	}
	if got := theRun(t, w.run).Status.Outcome; got.Entry != "prepare" {
		t.Errorf("the status has the word of %s, want none of this Pod: the test proves nothing", got.Entry)
	}
	cable.set(false)
	again := w.pod("recover", 1).outcome(t)
	if again.Result != v1alpha1.ResultChanged || !cmp.Equal(again.Accounting, o.Accounting) {
		t.Errorf("the state says %+v, want what was told", again)
	}
}

func TestAnAPIServerThatComesBackIsToldAfterAll(t *testing.T) {
	w := newWorld(t, files(), steps)
	cable := w.layCable()
	cable.set(true)
	p := w.start("prepare", 1)
	time.Sleep(300 * time.Millisecond)
	cable.set(false)
	o := p.wait().outcome(t)
	if got := theRun(t, w.run).Status.Outcome; got == nil || !cmp.Equal(*got, o) {
		t.Errorf("the status has %+v, want %+v", got, o)
	}
}

func TestTheSocketIsForOneShimOfTheSameIdentity(t *testing.T) {
	w := hangingWorld(t)
	w.pod("prepare", 1)
	w.mount("0-0")
	socket := filepath.Join(w.base, "fettle/run/shim.sock")
	p := &pod{w: w, log: &strings.Builder{}}
	p.startSidecar("0-0", 1)
	var info os.FileInfo
	for until := time.Now().Add(timeout); ; time.Sleep(time.Millisecond) {
		var err error
		if info, err = os.Lstat(socket); err == nil && info.Mode().Perm() == 0o600 {
			break
		}
		if time.Now().After(until) {
			t.Fatalf("no socket of mode 0600: %v, %v", info, err)
		}
	}
	p.startShim()
	w.waitUp()
	if w.isThere(socket) {
		t.Error("the socket is still there while the tool is at work")
	}
	must(t, p.sidecar.Process.Signal(syscall.SIGTERM))
	p.wait()
}

func TestRandomIdentitiesInTheGroupRootDoTheSame(t *testing.T) {
	if os.Getuid() != 0 {
		return // only root can be another
	}
	whole := eventful(t)
	whole.toEnd("prepare")
	_, want := theReport(t, whole.run)

	w := eventful(t)
	w.as = &syscall.Credential{Uid: someUser, Gid: 0}
	must(t, filepath.WalkDir(w.base, func(path string, _ os.DirEntry, err error) error {
		must(t, err)
		return os.Chown(path, someUser, 0)
	}))
	if o := w.toEnd("prepare"); o.Result != v1alpha1.ResultChanged {
		t.Fatalf("outcome = %+v", o)
	}
	_, got := theReport(t, w.run)
	if diff := cmp.Diff(want.Comparable(), got.Comparable()); diff != "" {
		t.Errorf("the reports differ (-root +random):\n%s", diff)
	}
	if diff := cmp.Diff(whole.trees(), w.trees()); diff != "" {
		t.Errorf("the trees differ (-root +random):\n%s", diff)
	}
}
