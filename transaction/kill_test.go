package transaction_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/internal/killtest"
	"github.com/fettle-dev/fettle/transaction"
)

// killScenario is something that a process does and may be killed at.
type killScenario struct {
	Name    string
	Message string                     // to be settled
	Absorb  *transaction.AbsorbRequest // or to be absorbed
	// before prepares the root, with a service of its own.
	before func(t *testing.T, root string, s *transaction.Service)
	// after are the files that the operation makes of those before; nil removes.
	after map[string]any
}

const killMessage = "``` file=a.txt\nA1\nA2\n```\n``` file=b.txt mode=delete\n```\n``` file=d/e/n.txt mode=create\nnew\n```\n``` file=run.sh mode=append\necho more\n```\n"

var killAfter = map[string]any{
	"a.txt": "A1\nA2\n", "b.txt": nil, "d/e/n.txt": "new\n", "run.sh": map[string]any{"mode": "755", "content": "echo\necho more\n"},
}

func killScenarios() []killScenario {
	return []killScenario{
		{Name: "first message", Message: killMessage, after: killAfter},
		{Name: "later message", Message: killMessage, after: killAfter, before: func(t *testing.T, root string, s *transaction.Service) {
			settleText(t, s, root, "B", "``` file=other\nx\n```\n")
			must(t, os.WriteFile(filepath.Join(root, "mine.txt"), []byte("edited\n"), 0o644))
		}},
		{Name: "absorption", Absorb: &transaction.AbsorbRequest{Run: "web", Paths: []string{"a.txt", "b.txt", "gen"}}, before: func(t *testing.T, root string, s *transaction.Service) {
			settleText(t, s, root, "B", "``` file=other\nx\n```\n")
			must(t, os.WriteFile(filepath.Join(root, "a.txt"), []byte("fixed\n"), 0o644))
			must(t, os.WriteFile(filepath.Join(root, "gen"), []byte("gen\n"), 0o644))
			must(t, os.Remove(filepath.Join(root, "b.txt")))
		}, after: map[string]any{"a.txt": "fixed\n", "b.txt": nil, "gen": "gen\n"}},
	}
}

// plantKill makes the root that scenarios begin with.
func plantKill(t *testing.T, root string) {
	t.Helper()
	for path, c := range map[string]vecContent{
		"a.txt": {text: "a\n"}, "b.txt": {text: "b\n"}, "mine.txt": {text: "mine\n"}, "run.sh": {text: "echo\n", mode: "755"}, "l": {link: "a.txt"},
	} {
		c.write(t, filepath.Join(root, path))
	}
}

func newTestService(t *testing.T, opts ...transaction.Option) *transaction.Service {
	t.Helper()
	s, err := transaction.New(transaction.Defaults(), append([]transaction.Option{transaction.WithPolicy(transaction.AllowAll)}, opts...)...)
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// settleText settles a message of an agent and wants it committed.
func settleText(t *testing.T, s *transaction.Service, root, agent, text string) *transaction.Report {
	t.Helper()
	r, err := s.Commit(t.Context(), transaction.Message{Agent: agent, Session: transaction.Session{ID: agent, Dir: root}, ID: text, Parts: []string{text}})
	must(t, err)
	if r.Status != blocks.StatusCommitted {
		t.Fatalf("got %s %v\n%s", r.Status, r.Errors, s.Feedback(r))
	}
	return r
}

const killChildEnv = "FETTLE_TEST_KILL_CHILD"

type killChild struct {
	Root     string
	Scenario killScenario
}

// TestKillChild is the process that is killed.
func TestKillChild(t *testing.T) {
	text := os.Getenv(killChildEnv)
	if text == "" {
		return
	}
	var job killChild
	must(t, json.Unmarshal([]byte(text), &job))
	s := newTestService(t)
	if job.Scenario.Absorb != nil {
		job.Scenario.Absorb.Root = job.Root
		_, err := s.Absorb(t.Context(), *job.Scenario.Absorb)
		must(t, err)
		return
	}
	settleText(t, s, job.Root, "A", job.Scenario.Message)
}

// killPoints is how many points are tried of each scenario and program; few in a short
// test, all of them with FETTLE_SOAK set.
func killPoints(total int) int {
	switch {
	case os.Getenv("FETTLE_SOAK") != "":
		return total
	case testing.Short():
		return 6
	}
	return 36
}

// A process, or a git that it runs, is killed between any two system calls that change
// something. Whatever that leaves, the next one finds: nothing of the message, or all of
// it; never a half, never lost work, never a lock that can't be taken.
//
// Nothing runs beside it: a tracer waits for every child of its thread, and a service
// that is open may have one there.
func TestAKilledTransactionIsWholeOrNothing(t *testing.T) {
	self, err := filepath.Abs(os.Args[0])
	must(t, err)
	for _, sc := range killScenarios() {
		for target, calls := range map[string]killtest.Set{filepath.Base(self): killtest.Mutations(), "git": killtest.Mutations()} {
			t.Run(sc.Name+"/"+strings.TrimSuffix(target, ".test"), func(t *testing.T) {
				total := runKilled(t, self, sc, killtest.Point{Target: target, Set: calls}).Calls
				if total == 0 {
					t.Fatal("there is no point to kill at")
				}
				step := max(1, total/killPoints(total))
				for n := 1; n <= total; n += step {
					runKilled(t, self, sc, killtest.Point{Target: target, Set: calls, N: n, Before: n%2 == 0})
					if t.Failed() {
						t.Fatalf("killed at call %d of %d of %s", n, total, target)
					}
				}
			})
		}
	}
}

// runKilled lets a scenario be killed at a point and looks at what is left.
func runKilled(t *testing.T, self string, sc killScenario, at killtest.Point) killtest.Result {
	t.Helper()
	root := filepath.Join(t.TempDir(), "root")
	must(t, os.Mkdir(root, 0o755))
	plantKill(t, root)
	if sc.before != nil {
		s := newTestService(t)
		sc.before(t, root, s)
		must(t, s.Close())
	}
	before := left{disk: showDisk(t, root).(map[string]any), commits: len(repo{t, root + ".fettle-git"}.commits())}
	job, err := json.Marshal(killChild{Root: root, Scenario: sc})
	must(t, err)
	output, err := os.Create(filepath.Join(filepath.Dir(root), "output"))
	must(t, err)
	defer output.Close()
	result, err := killtest.Run(killtest.Command{
		Path: self, Args: []string{"-test.run=^TestKillChild$"}, Env: append(os.Environ(), killChildEnv+"="+string(job)), Dir: filepath.Dir(root), Output: output, Launcher: self,
	}, at)
	must(t, err)
	if at.N == 0 && result.ExitCode != 0 {
		text, _ := os.ReadFile(output.Name())
		t.Fatalf("the scenario fails without being killed:\n%s", text)
	}
	checkLeft(t, root, before, sc)
	return result
}

// left is what there was before a process was killed.
type left struct {
	disk    map[string]any
	commits int
}

// checkLeft looks at what a killed process has left, by way of a new one.
func checkLeft(t *testing.T, root string, before left, sc killScenario) {
	t.Helper()
	s := newTestService(t)
	defer s.Close()
	began := time.Now()
	drift, err := s.Recover(t.Context(), root)
	if err != nil {
		t.Errorf("recover: %v", err)
		return
	}
	if len(drift) > 0 {
		t.Errorf("recovery finds local work: %+v", drift)
	}
	now := showDisk(t, root).(map[string]any)
	after := map[string]any{}
	for path, c := range before.disk {
		after[path] = c
	}
	for path, c := range sc.after {
		after[path] = c
		if c == nil {
			delete(after, path)
		}
	}
	old, all := equalJSON(now, before.disk), equalJSON(now, after)
	if !old && !all {
		t.Errorf("the directory holds a half:\n%v", now)
	}
	r := repo{t, root + ".fettle-git"}
	if r.exists() {
		checkStore(t, r, now, old)
	}
	switch n := len(r.commits()); {
	case before.commits == 0 && n <= 2, n == before.commits, n == before.commits+1:
	default:
		t.Errorf("there were %d commits, now there are %d", before.commits, n)
	}
	if n := len(r.commits()); sc.Absorb == nil && before.commits > 0 && old == (n > before.commits) {
		t.Errorf("the directory is old: %v, but there are %d commits after %d", old, n, before.commits)
	}
	settleText(t, s, root, "C", "``` file=after mode=create\nx\n```\n")
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("the next transaction took %s", took)
	}
	r.must("fsck", "--strict", "--no-dangling")
	if out, err := r.git("rev-parse", "--verify", "-q", "refs/fettle/lock"); err == nil {
		t.Errorf("the lock is held: %s", out)
	}
	temps, _ := os.ReadDir(root + ".fettle-tmp")
	if len(temps) > transaction.Defaults().TempFileKeep {
		t.Errorf("%d temp files are left", len(temps))
	}
}

// checkStore compares what is published with the directory.
func checkStore(t *testing.T, r repo, disk map[string]any, old bool) {
	t.Helper()
	out, err := r.git("rev-parse", "--verify", "-q", canonicalRef)
	if err != nil {
		return // killed before there was a baseline
	}
	if cursor := r.must("rev-parse", "refs/fettle/projected"); cursor != out {
		t.Errorf("the cursor is at %s, head at %s", cursor, out)
	}
	published := r.show(canonicalRef).(map[string]any)
	for path, content := range published {
		if path == "mine.txt" || old && (path == "a.txt" || path == "b.txt") {
			continue // may be local work
		}
		if !equalJSON(content, disk[path]) {
			t.Errorf("%s: published %v, on disk %v", path, content, disk[path])
		}
	}
}

func equalJSON(a, b any) bool { return fmt.Sprint(a) == fmt.Sprint(b) }
