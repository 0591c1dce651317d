package transaction_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/transaction"
)

const writerEnv = "FETTLE_TEST_WRITER"

type writerJob struct {
	Root   string
	Number int
	Rounds int
}

// TestWriterChild is one of many processes that write at once. It prints the commits
// that it was told of.
func TestWriterChild(t *testing.T) {
	text := os.Getenv(writerEnv)
	if text == "" {
		return
	}
	var job writerJob
	must(t, json.Unmarshal([]byte(text), &job))
	s := newTestService(t)
	for i := range job.Rounds {
		for try := 0; ; try++ {
			message := fmt.Sprintf("``` file=own/%d mode=append\nround %d\n```\n``` file=shared mode=append\nwriter %d round %d\n```\n", job.Number, i, job.Number, i)
			r, err := s.Commit(t.Context(), transaction.Message{
				Agent: fmt.Sprintf("agent-%d", job.Number), Session: transaction.Session{ID: strconv.Itoa(job.Number), Dir: job.Root},
				ID: fmt.Sprintf("%d/%d/%d", job.Number, i, try), Parts: []string{message},
			})
			must(t, err)
			if r.Status == blocks.StatusCommitted {
				fmt.Println("committed", r.Commit)
				break
			}
			if r.Status != blocks.StatusStale || try > 500 {
				t.Fatalf("writer %d, round %d, try %d: %s %+v", job.Number, i, try, r.Status, r.Errors)
			}
		}
	}
}

// Sixteen processes, each to a file of its own and to one that all share: every commit
// that was reported is in the history once, and nothing is lost.
func TestManyProcessesCommitAtOnce(t *testing.T) {
	const writers, rounds = 16, 4
	root := filepath.Join(t.TempDir(), "root")
	must(t, os.Mkdir(root, 0o755))
	must(t, os.WriteFile(filepath.Join(root, "untouched"), []byte("x\n"), 0o644))
	began := time.Now()
	outputs := make([]string, writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			job, _ := json.Marshal(writerJob{root, i, rounds})
			cmd := exec.Command(os.Args[0], "-test.run=^TestWriterChild$")
			cmd.Env = append(os.Environ(), writerEnv+"="+string(job))
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("writer %d: %v\n%s", i, err, out)
			}
			outputs[i] = string(out)
		})
	}
	wg.Wait()
	r := repo{t, root + ".fettle-git"}
	commits := r.commits()
	var reported []string
	for _, out := range outputs {
		for line := range strings.Lines(out) {
			if id, ok := strings.CutPrefix(strings.TrimSpace(line), "committed "); ok {
				reported = append(reported, id)
			}
		}
	}
	published := slices.Clone(commits[1:])
	slices.Sort(published)
	slices.Sort(reported)
	if !slices.Equal(published, reported) {
		t.Errorf("%d commits are published, %d were reported", len(published), len(reported))
	}
	shared, err := os.ReadFile(filepath.Join(root, "shared"))
	must(t, err)
	for i := range writers {
		own, err := os.ReadFile(filepath.Join(root, "own", strconv.Itoa(i)))
		if want := "round 0\nround 1\nround 2\nround 3\n"; err != nil || string(own) != want {
			t.Errorf("writer %d: got %q, %v, want %q", i, own, err, want)
		}
		for k := range rounds {
			if line := fmt.Sprintf("writer %d round %d\n", i, k); strings.Count(string(shared), line) != 1 {
				t.Errorf("%q is in the shared file %d times", line, strings.Count(string(shared), line))
			}
		}
	}
	compare(t, "directory", showDisk(t, root), r.show(canonicalRef))
	r.must("fsck", "--strict", "--no-dangling")
	t.Logf("%d commits of %d processes in %s", len(published), writers, time.Since(began).Round(time.Millisecond))
}

// contract-018: eight writers of one process, disjoint files.
func TestWritersOfOneProcessToDifferentFilesAllCommit(t *testing.T) {
	const writers, rounds = 8, 6
	root := filepath.Join(t.TempDir(), "root")
	must(t, os.Mkdir(root, 0o755))
	var wg sync.WaitGroup
	for i := range writers {
		s := newTestService(t)
		wg.Go(func() {
			for k := range rounds {
				text := fmt.Sprintf("``` file=f%d\n%d\n```\n", i, k)
				r, err := s.Commit(t.Context(), transaction.Message{Agent: strconv.Itoa(i), Session: transaction.Session{ID: strconv.Itoa(i), Dir: root}, ID: strconv.Itoa(k), Parts: []string{text}})
				if err != nil || r.Status != blocks.StatusCommitted {
					t.Errorf("writer %d: %+v, %v", i, r, err)
				}
			}
		})
	}
	wg.Wait()
	if got := len(repo{t, root + ".fettle-git"}.commits()); got != 1+writers*rounds {
		t.Errorf("got %d commits, want %d", got, 1+writers*rounds)
	}
	for i := range writers {
		if got, _ := os.ReadFile(filepath.Join(root, fmt.Sprintf("f%d", i))); string(got) != fmt.Sprintf("%d\n", rounds-1) {
			t.Errorf("f%d: got %q", i, got)
		}
	}
}
