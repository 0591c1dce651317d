package statedir

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/killtest"
	"github.com/fettle-dev/fettle/internal/persist"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// killDir tells the test binary to save checkpoints there instead of running tests.
const killDir = "FETTLE_TEST_SAVE"

// keepSaving saves checkpoints and says of each when it is durable.
func keepSaving(dir string) int {
	d, err := Open(context.Background(), Options{Dir: dir, Root: filepath.Dir(dir) + "/root", Random: rand.Reader, Wait: DefaultWait})
	if err == nil {
		_, err = d.Load()
	}
	for i := 1; i <= 4 && err == nil; i++ {
		var c Checkpoint
		if c, err = checkpointNumber(d, i); err == nil {
			err = d.Save(c)
		}
		if err == nil {
			_, err = fmt.Printf("saved %d\n", i)
		}
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// checkpointNumber has books that change with every other number, and an entry with
// every third.
func checkpointNumber(d *Dir, i int) (Checkpoint, error) {
	c := Checkpoint{
		Books:    persist.Books{Workspace: workspace.New(0), Baselines: workspace.NewBaselines(0)},
		Progress: []byte(strconv.Itoa(i)),
	}
	ref, err := d.Store().Put(contentNumber(i))
	if err != nil {
		return c, err
	}
	if i%2 == 0 {
		c.Books.Workspace.Put("file", workspace.File{Content: ref})
	}
	if i%3 == 0 {
		c.Entry = &Entry{Invocation: []byte(strconv.Itoa(i))}
	}
	return c, nil
}

func contentNumber(i int) []byte { return []byte(strings.Repeat(strconv.Itoa(i), 1000)) }

// Every file of the state is old or new after a kill right before or after any system
// call that changes a file system.
func TestAKillAtAnyCallLeavesAStateThatCounts(t *testing.T) {
	for _, before := range []bool{false, true} {
		for n := 1; ; n++ {
			base := t.TempDir()
			if err := os.Mkdir(filepath.Join(base, "root"), 0o700); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(base, "state")
			out, err := os.Create(filepath.Join(base, "out"))
			if err != nil {
				t.Fatal(err)
			}
			res, err := killtest.Run(killtest.Command{
				Path: os.Args[0], Env: append(os.Environ(), killDir+"="+dir), Output: out,
			}, killtest.Point{Target: filepath.Base(os.Args[0]), Set: killtest.Mutations(), N: n, Before: before})
			if err != nil {
				t.Fatal(err)
			}
			out.Close()
			said, err := os.ReadFile(out.Name())
			if err != nil {
				t.Fatal(err)
			}
			wantOneThatCounts(t, dir, filepath.Join(base, "root"), string(said), n)
			if !res.Killed {
				if res.ExitCode != 0 || !strings.HasSuffix(string(said), "saved 4\n") {
					t.Fatalf("the process that nobody killed said %q", said)
				}
				if n < 50 {
					t.Fatalf("only %d calls were there to be killed at", n)
				}
				break
			}
		}
	}
}

func wantOneThatCounts(t *testing.T, dir, root, said string, n int) {
	t.Helper()
	saved := strings.Count(said, "saved")
	d, err := Open(context.Background(), Options{Dir: dir, Root: root, Random: rand.Reader, Wait: DefaultWait})
	if err != nil {
		t.Fatalf("kill %d: %v", n, err)
	}
	defer d.Close()
	c, err := d.Load()
	if err != nil {
		t.Fatalf("kill %d, after %q: %v", n, said, err)
	}
	number := 0
	if c != nil {
		number, _ = strconv.Atoi(string(c.Progress))
	}
	if number != saved && number != saved+1 {
		t.Fatalf("kill %d: checkpoint %d counts, %d were said to be saved", n, number, saved)
	}
	if c == nil {
		return
	}
	if hasEntry := c.Entry != nil; hasEntry != (number%3 == 0) || hasEntry && string(c.Entry.Invocation) != string(c.Progress) {
		t.Fatalf("kill %d: checkpoint %d has the entry %+v", n, number, c.Entry)
	}
	f, ok := c.Books.Workspace.File("file")
	if ok != (number%2 == 0) {
		t.Fatalf("kill %d: checkpoint %d has other books", n, number)
	}
	if !ok {
		return
	}
	data, err := d.Store().Get(f.Content, nil)
	if err != nil || string(data) != string(contentNumber(number)) {
		t.Fatalf("kill %d: content of checkpoint %d is %.20q, %v", n, number, data, err)
	}
	save(t, d, Checkpoint{Books: c.Books, Progress: []byte("go on")}) // and it can go on
}
