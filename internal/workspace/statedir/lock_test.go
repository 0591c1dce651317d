package statedir

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/internal/fault"
)

// helperDir tells the test binary to hold a lock instead of running tests.
const helperDir = "FETTLE_TEST_HOLD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(helperDir); dir != "" {
		os.Exit(hold(dir))
	}
	if dir := os.Getenv(killDir); dir != "" {
		os.Exit(keepSaving(dir))
	}
	os.Exit(m.Run())
}

// hold holds a lock until its input ends.
func hold(dir string) int {
	d, err := Open(context.Background(), Options{Dir: dir, Root: "/usr", Holder: Holder{Host: "elsewhere", PID: 4711, Run: "web-7"}})
	if err != nil {
		os.Stdout.WriteString(err.Error() + "\n")
		return 1
	}
	defer d.Close()
	os.Stdout.WriteString("held\n")
	io.Copy(io.Discard, os.Stdin)
	return 0
}

// holdElsewhere has another process hold a lock; end ends it.
func holdElsewhere(t *testing.T, dir string) (end func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperDir+"="+dir)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if line != "held\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	ended := false
	end = func() {
		if !ended {
			ended = true
			stdin.Close()
			cmd.Wait()
		}
	}
	t.Cleanup(end)
	return end
}

func TestASecondRuntimeIsToldWhoIsAtWork(t *testing.T) {
	o := options(t)
	end := holdElsewhere(t, o.Dir)
	o.Wait = lockEvery / 2
	_, err := Open(context.Background(), o)
	e := fault.As(err)
	if !fault.Is(err, fault.StepFailed, fault.ReasonBusy) || !strings.Contains(e.Message, "process 4711 on elsewhere, run web-7") || e.Hint == "" {
		t.Fatalf("got %v, want busy naming the holder", err)
	}
	end()
	open(t, o)
}

func TestASecondRuntimeWaitsForTheFirst(t *testing.T) {
	o := options(t)
	end := holdElsewhere(t, o.Dir)
	o.Wait = time.Minute
	opened := make(chan error)
	go func() {
		d, err := Open(context.Background(), o)
		if err == nil {
			err = d.Close()
		}
		opened <- err
	}()
	end()
	if err := <-opened; err != nil {
		t.Errorf("got %v, want the lock once it is free", err)
	}
}

func TestWaitingForALockCanBeCancelled(t *testing.T) {
	o := options(t)
	holdElsewhere(t, o.Dir)
	o.Wait = time.Minute
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Open(ctx, o); !fault.Is(err, fault.StepFailed, fault.ReasonCancelled) {
		t.Errorf("got %v, want cancelled", err)
	}
}

func TestALockIsFreeAfterClose(t *testing.T) {
	o := options(t)
	for range 3 {
		d := open(t, o)
		if _, err := Open(context.Background(), o); !fault.Is(err, fault.StepFailed, fault.ReasonBusy) {
			t.Errorf("got %v, want busy within one process too", err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAHolderThatHasNotSignedYetIsNotGuessed(t *testing.T) {
	o := options(t)
	d := open(t, o)
	d.lock.Truncate(0)
	if _, err := Open(context.Background(), o); !strings.Contains(err.Error(), "hasn't said") {
		t.Errorf("got %v", err)
	}
}
