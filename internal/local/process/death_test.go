package process

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/fettle-dev/fettle/internal/driver"
	"github.com/fettle-dev/fettle/internal/shim/procs"
	"github.com/fettle-dev/fettle/internal/shim/shimtest"
)

// driverArg makes this test's binary a process that drives a tool, as fettle does.
const driverArg = "process-test-driver"

// driverMain runs the tool daemon-and-stay and prints how Run says it ended.
func driverMain(args []string) int {
	root, state, tool := args[0], args[1], args[2:]
	d, err := New(options(root, state))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	r, _ := d.Run(context.Background(), driver.Request{Engine: "tool", Command: tool})
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		return 1
	}
	return 0
}

// TestDeath kills every set of the three processes that stand above a tool, at one
// instant: they are stopped first, so that none can act on the death of another. The tool
// has a daemon two forks and two sessions away.
func TestDeath(t *testing.T) {
	const fettle, guard, shim = "fettle", "guard", "shim"
	for _, tt := range []struct {
		kill []string
		// wantEnded is what Run says where fettle lives.
		wantEnded driver.Ended
		// wantReclaim: the daemon lives on until the next process reclaims the state.
		wantReclaim bool
	}{
		{kill: []string{fettle}},
		{kill: []string{guard}, wantEnded: driver.Crash},
		{kill: []string{shim}, wantEnded: driver.Crash},
		{kill: []string{fettle, guard}},
		{kill: []string{fettle, shim}},
		{kill: []string{guard, shim}, wantEnded: driver.Crash},
		{kill: []string{fettle, guard, shim}, wantReclaim: true},
	} {
		t.Run(strings.Join(tt.kill, " and ")+" killed", func(t *testing.T) {
			life := shimtest.NewLifeline(t)
			root, state := t.TempDir(), t.TempDir()
			cmd := exec.Command("/proc/self/exe", append([]string{driverArg, root, state}, shimtest.Command(t, "daemon-and-stay", life.Path)...)...)
			var out strings.Builder
			cmd.Stdout, cmd.Stderr = &out, os.Stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			life.WaitAlive("daemon", "forever")
			pids := map[string]int{fettle: cmd.Process.Pid}
			pids[guard] = onlyChild(t, pids[fettle])
			pids[shim] = onlyChild(t, pids[guard])
			for _, sig := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} {
				for _, who := range tt.kill {
					if err := syscall.Kill(pids[who], sig); err != nil {
						t.Fatal(err)
					}
				}
			}
			waited := cmd.Wait()
			if tt.wantReclaim {
				if !life.AnyAlive() {
					t.Error("the daemon is dead already: the test proves nothing")
				}
				wantReclaimed(t, root, state)
			}
			life.WaitDead()
			if slices.Contains(tt.kill, fettle) {
				return
			}
			var r driver.Result
			if err := json.Unmarshal([]byte(out.String()), &r); err != nil || waited != nil {
				t.Fatalf("the driver ended with %v and said %q: %v", waited, out.String(), err)
			}
			if r.Ended != tt.wantEnded || !r.Started {
				t.Errorf("result = %+v, want %s, started", r, tt.wantEnded)
			}
		})
	}
}

func wantReclaimed(t *testing.T, root, state string) {
	t.Helper()
	d, err := New(options(root, state))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(context.Background(), shimtest.Timeout)
	defer stop()
	if killed, err := d.Reclaim(ctx); err != nil || killed == 0 {
		t.Errorf("Reclaim = %d, %v, want that it killed something", killed, err)
	}
	wantNoFolders(t, d)
}

func TestReclaimLeavesToolsOfOtherStatesAlone(t *testing.T) {
	life := shimtest.NewLifeline(t)
	busy := newDriver(t)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = busy.Run(ctx, driver.Request{Engine: "tool", Command: shimtest.Command(t, "forever", life.Path)})
	}()
	life.WaitAlive("forever")
	// A state directory whose name starts like the busy one's.
	other, err := New(options(t.TempDir(), strings.TrimSuffix(busy.options.State, busy.options.State[len(busy.options.State)-1:])))
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(other.options.State)
	if killed, err := other.Reclaim(context.Background()); killed != 0 || err != nil {
		t.Errorf("Reclaim = %d, %v, want nothing to do", killed, err)
	}
	if !life.AnyAlive() {
		t.Error("the tool of another state is dead")
	}
	cancel()
	<-done
}

func children(t *testing.T, pid int) []int {
	t.Helper()
	table, err := procs.Table()
	if err != nil {
		t.Fatal(err)
	}
	var found []int
	for _, p := range table {
		if p.PPID == pid {
			found = append(found, p.PID)
		}
	}
	return found
}

func onlyChild(t *testing.T, pid int) int {
	t.Helper()
	found := children(t, pid)
	if len(found) != 1 {
		t.Fatalf("children of %d = %v, want one", pid, found)
	}
	return found[0]
}
