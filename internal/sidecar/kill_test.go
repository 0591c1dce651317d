package sidecar_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/killtest"
	"github.com/fettle-dev/fettle/internal/outcome"
)

// kills is how many points are drawn. FETTLE_SOAK draws many more.
const kills = 14

// eventful is a run in which everything happens that a journal is for. Its tools do
// nothing that is done already, as formatters don't.
func eventful(t *testing.T) *world {
	t.Helper()
	return newWorld(t, map[string]string{"a.txt": "a\n", "sub/b.txt": "b\n", "sub/c.txt": "c\n"}, `edit: {path: a.txt, edits: [{find: a, replace: A}]}
write: {}
run: {image: x, command: [sh, -c, "for f; do grep -q more $f || echo more >>$f; done; echo new >sub/new.txt", sh], scope: ["**"]}
edit: {path: sub/new.txt, edits: [{find: new, replace: newer}]}
write: {}
run: {image: x, command: [sh, -c, "[ ! -e sub/c.txt ] || mv sub/c.txt moved.txt; rm -f sub/b.txt"], scope: ["**"], needs: [delete, rename]}`)
}

// eventfulEntries are its Pods.
var eventfulEntries = []string{"prepare", "2-0", "5-0"}

// TestAKilledSidecarIsFollowedByOneThatComesToTheSameEnd kills sidecars at drawn system
// calls and lets the next Pods go on, whose sidecars may be killed in their turn.
func TestAKilledSidecarIsFollowedByOneThatComesToTheSameEnd(t *testing.T) {
	whole := eventful(t)
	calls := map[string]int{}
	for _, entry := range eventfulEntries {
		_, result := whole.killed(entry, 1, 0)
		if calls[entry] = result.Calls; result.Calls < 5 {
			t.Fatalf("%s makes only %d calls that count: the test proves little", entry, result.Calls)
		}
	}
	wantTree := whole.trees()
	_, want := theReport(t, whole.run)

	count := kills
	if os.Getenv("FETTLE_SOAK") != "" {
		count = 500
	}
	random := rand.New(rand.NewPCG(11, 4))
	for range count {
		hit := map[string]int{} // the call at which the first attempt of an entry is killed
		for hit["prepare"]+hit["2-0"]+hit["5-0"] == 0 {
			for _, entry := range eventfulEntries {
				if random.IntN(2) == 0 {
					hit[entry] = 1 + random.IntN(calls[entry])
				}
			}
		}
		t.Run(fmt.Sprint(hit), func(t *testing.T) {
			w := eventful(t)
			o := w.followed(hit)
			if o.Result != v1alpha1.ResultChanged {
				t.Errorf("outcome = %+v, want Changed", o)
			}
			_, got := theReport(t, w.run)
			if diff := cmp.Diff(want.Comparable(), got.Comparable()); diff != "" {
				t.Errorf("the report differs from that of the undisturbed run:\n%s", diff)
			}
			if diff := cmp.Diff(wantTree, w.trees()); diff != "" {
				t.Errorf("the tree differs:\n%s", diff)
			}
		})
	}
}

// followed runs a Pod after the other and kills the first sidecar of an entry at the call
// that hit says.
func (w *world) followed(hit map[string]int) v1alpha1.RunOutcome {
	w.t.Helper()
	entry, attempt := "prepare", 1
	for range 20 {
		at := hit[entry]
		delete(hit, entry)
		message, result := w.killed(entry, attempt, max(at, -1))
		o, err := outcome.Decode(message)
		switch {
		case err != nil && (result.Killed || result.ExitCode == 2):
			attempt++
		case err != nil:
			w.t.Fatalf("%s: exit code %d, %v: %q", entry, result.ExitCode, err, message)
		case o.Next == nil:
			return o
		case outcome.Of(*o.Next) == entry:
			attempt++
		default:
			entry, attempt = outcome.Of(*o.Next), 1
		}
	}
	w.t.Fatal("the run doesn't end")
	return v1alpha1.RunOutcome{}
}

// killed runs a Pod whose sidecar is killed at its n-th call that changes anything of the
// run's, never if n is 0. It returns the sidecar's last words.
func (w *world) killed(entry string, attempt, n int) (string, killtest.Result) {
	w.t.Helper()
	w.mount(entry)
	p := &pod{w: w, log: &strings.Builder{}}
	if outcome.IsInvocation(entry) {
		p.startShim()
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	must(w.t, err)
	defer null.Close()
	result, err := killtest.Run(killtest.Command{
		Path: built.fettle, Args: w.sidecarArgs(entry, attempt), Env: w.sidecarEnv(), Output: null,
	}, killtest.Point{Target: "fettle", Set: killtest.Mutations(), Where: w.counts, N: n, Before: n%2 == 0})
	must(w.t, err)
	if p.shim != nil {
		if result.Killed { // the Pod is deleted
			_ = syscall.Kill(-p.shim.Process.Pid, syscall.SIGKILL)
		}
		<-p.shimEnd
	}
	words, err := os.ReadFile(filepath.Join(w.base, "dev/termination-log"))
	must(w.t, err)
	return string(words), result
}

// counts says which calls of a sidecar count: those that change the tree, the state, or
// what is told.
func (w *world) counts(c killtest.Call) bool {
	opens := c.Number == unix.SYS_OPENAT || c.Number == unix.SYS_OPENAT2
	below := func(dir string) bool { return strings.HasPrefix(c.Path, filepath.Join(w.base, dir)) }
	return (below("workspace") || below("source") || below("dev") || below("fettle/run")) && (!opens || c.Creates)
}

// trees is what the run's tree holds, wherever it is mounted.
func (w *world) trees() map[string]string {
	return listing(w.t, filepath.Join(w.base, "workspace/tree"))
}

// TestASourceThatIsBroughtInHalfIsBroughtInAgain kills the first Pod's sidecar while it
// copies a ConfigMap.
func TestASourceThatIsBroughtInHalfIsBroughtInAgain(t *testing.T) {
	world := func() *world {
		return worldOf(t, specOf(t, "configMap: {name: files, items: [{key: a, path: a.txt}, {key: b, path: sub/b.txt}, {key: c, path: sub/deep/c.txt}]}", "", keep),
			func(base string) {
				layOut(t, base, map[string]string{"a.txt": "a\n", "sub/b.txt": "b\n", "sub/deep/c.txt": "c\n"})
			})
	}
	whole := world()
	_, result := whole.killed("prepare", 1, 0)
	want := whole.trees()
	random := rand.New(rand.NewPCG(7, 9))
	for range 5 {
		n := 1 + random.IntN(result.Calls)
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			w := world()
			w.killed("prepare", 1, n)
			if o := w.toEnd("prepare"); o.Result != v1alpha1.ResultUnchanged || o.Accounting.Acquired != 3 {
				t.Errorf("outcome = %+v, want Unchanged of 3 files", o)
			}
			if diff := cmp.Diff(want, w.trees()); diff != "" {
				t.Errorf("the tree differs:\n%s", diff)
			}
		})
	}
}
