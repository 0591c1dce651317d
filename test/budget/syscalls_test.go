// Package budget_test holds the budgets that no noise can move: system calls are counted,
// not timed (docs/performance.md, P12).
package budget_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/acquire"
	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/corpus"
	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/killtest"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/reread"
	"github.com/fettle-dev/fettle/internal/strictfs"
	"github.com/fettle-dev/fettle/internal/text"
	"github.com/fettle-dev/fettle/internal/workspace"
)

const (
	countEnv = "FETTLE_COUNT" // what the test binary does as the program under test
	rootEnv  = "FETTLE_COUNT_ROOT"
)

func TestMain(m *testing.M) {
	if work := os.Getenv(countEnv); work != "" {
		if err := do(work, os.Getenv(rootEnv)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// The stages build on each other, so that the difference of two is one's cost.
const (
	stageOpen     = "open"
	stageAcquire  = "acquire"
	stageSnapshot = "snapshot"
	stageReread   = "reread"
)

func do(stage, root string) error {
	ctx := context.Background()
	tree, err := strictfs.Open(root)
	if err != nil || stage == stageOpen {
		return err
	}
	types, err := text.NewTypes(text.Overrides{})
	if err != nil {
		return err
	}
	everything, err := policy.Parse([]policy.Spec{{Write: policy.Axis{Allow: []string{"**"}}}}, 32)
	if err != nil {
		return err
	}
	source := acquire.Source{Tree: tree, Policy: policy.Fixed(everything)}
	request := acquire.Request{Entries: []string{"**"}, Types: types, Bounds: workspace.DefaultBounds()}
	resolved, err := source.Resolve(ctx, request)
	if err != nil {
		return err
	}
	acquired, err := source.Read(ctx, request, resolved, nowhere{})
	if err != nil || stage == stageAcquire {
		return err
	}
	env := reread.Env{Tree: tree, Store: nowhere{}, Policy: source.Policy, Types: types, Bounds: request.Bounds, Now: tree.Now}
	prepared, err := env.Prepare(acquired.Workspace, acquired.Baselines, reread.Invocation{Engine: "none", Scope: glob.Everything()})
	if err != nil {
		return err
	}
	snapshot, _, err := env.Snapshot(ctx, prepared)
	if err != nil || stage == stageSnapshot {
		return err
	}
	result, err := env.Reread(ctx, prepared, snapshot, reread.End{})
	if err == nil && len(result.Changed) > 0 {
		err = fmt.Errorf("nothing has changed, and the re-read says %v", result.Changed)
	}
	return err
}

// nowhere is a content.Store that keeps no bytes.
type nowhere struct{}

func (nowhere) Put(b []byte) (content.Ref, error) { return content.Ref{Len: int64(len(b))}, nil }

func (nowhere) Get(content.Ref, []byte) ([]byte, error) { return nil, errors.New("nothing is kept") }

// calls counts the calls on files that a stage makes, those before it included.
func calls(t *testing.T, stage, root string) int {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	got, err := killtest.Run(
		killtest.Command{Path: self, Env: []string{countEnv + "=" + stage, rootEnv + "=" + root, "TMPDIR=" + t.TempDir()}, Output: os.Stderr},
		killtest.Point{Target: filepath.Base(self), Set: killtest.Set{
			unix.SYS_OPENAT, unix.SYS_OPENAT2, unix.SYS_READ, unix.SYS_PREAD64, unix.SYS_FSTAT, unix.SYS_NEWFSTATAT, unix.SYS_STATX,
			unix.SYS_GETDENTS64, unix.SYS_CLOSE, unix.SYS_FCNTL, unix.SYS_EPOLL_CTL,
		}},
	)
	if err != nil || got.ExitCode != 0 {
		t.Fatalf("%s: exit code %d, error %v", stage, got.ExitCode, err)
	}
	return got.Calls
}

func TestSystemCallsPerFileStayWithinTheirBudget(t *testing.T) {
	root := filepath.Join(t.TempDir(), "tree")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	spec := corpus.Gen30k()
	const fewer = 10 // the shape is what counts, and tracing is slow
	spec.Files, spec.Dirs, spec.MeanBytes = spec.Files/fewer, spec.Dirs/fewer, 200
	if _, err := corpus.Write(root, spec); err != nil {
		t.Fatal(err)
	}
	// Files must be older than the margin within which a stamp proves nothing.
	settle(t, root)
	files := float64(spec.Files)
	open, acquired := calls(t, stageOpen, root), calls(t, stageAcquire, root)
	snapshot, again := calls(t, stageSnapshot, root), calls(t, stageReread, root)
	perFile := map[string]float64{
		"acquire": float64(acquired-open) / files,
		"re-read": float64(again-snapshot) / files,
	}
	for what, budget := range map[string]float64{"acquire": 4.6, "re-read": 1.2} {
		t.Logf("%s: %.2f system calls per file, the budget is %.1f", what, perFile[what], budget)
		if perFile[what] > budget {
			t.Errorf("%s: %.2f system calls per file exceed the budget of %.1f", what, perFile[what], budget)
		}
		if perFile[what] < 1 {
			t.Errorf("%s: %.2f system calls per file can't be: the count is broken", what, perFile[what])
		}
	}
}

// settle waits until the file system's clock has left the last stamp behind.
func settle(t *testing.T, root string) {
	t.Helper()
	tree, err := strictfs.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	from, err := tree.Now()
	if err != nil {
		t.Fatal(err)
	}
	for now := from; now < from+100_000_000; {
		if now, err = tree.Now(); err != nil {
			t.Fatal(err)
		}
	}
}
