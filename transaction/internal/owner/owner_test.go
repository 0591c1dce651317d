package owner

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// plant makes a /proc with one process.
func plant(t *testing.T, pid int, stat string) Proc {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, fmt.Sprint(pid)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(pid), "stat"), []byte(stat), 0o644); err != nil {
		t.Fatal(err)
	}
	return Proc(dir)
}

// stat is the text of /proc/PID/stat of a process that started at start.
func stat(state string, start int) string {
	return "7 (a) b (c) " + state + strings.Repeat(" 1", 18) + fmt.Sprintf(" %d 1 1\n", start)
}

func TestAnOwnerIsJudgedByHostBootNumberAndStart(t *testing.T) {
	self := Owner{Name: "me", Host: "h:1", BootID: "b", PID: 1}
	o := Owner{Name: "o1", Host: "h:1", BootID: "b", PID: 7, StartTime: 99}
	for name, tt := range map[string]struct {
		proc   Proc
		change func(*Owner)
		named  []string
		want   Life
	}{
		"it runs":                               {proc: plant(t, 7, stat("S", 99)), want: Alive},
		"it runs and was named":                 {proc: plant(t, 7, stat("S", 99)), named: []string{"o1"}, want: Alive},
		"another process has its number":        {proc: plant(t, 7, stat("S", 100)), want: Dead},
		"no process has its number":             {proc: plant(t, 8, stat("S", 99)), want: Dead},
		"it has ended and nobody has heard yet": {proc: plant(t, 7, stat("Z", 99)), want: Dead},
		"the kernel has started since":          {proc: plant(t, 7, stat("S", 99)), change: func(o *Owner) { o.BootID = "a" }, want: Dead},
		"another host":                          {proc: plant(t, 8, ""), change: func(o *Owner) { o.Host = "h:2" }, want: Unknown},
		"another host, others named":            {proc: plant(t, 8, ""), change: func(o *Owner) { o.Host = "g:1" }, named: []string{"o2", "h:2"}, want: Unknown},
		"another host, named":                   {proc: plant(t, 8, ""), change: func(o *Owner) { o.Host = "g:1" }, named: []string{"o2", "o1"}, want: Dead},
	} {
		o := o
		if tt.change != nil {
			tt.change(&o)
		}
		if got, err := tt.proc.Judge(o, self, tt.named); got != tt.want || err != nil {
			t.Errorf("%s: got %v, %v, want %v", name, got, err, tt.want)
		}
	}
	if got, err := plant(t, 7, "nonsense").Judge(o, self, nil); got == Dead || err == nil {
		t.Errorf("nonsense: got %v, %v, want an error", got, err)
	}
}

func TestTheRunningProcessIsAliveAndAnEndedOneIsDead(t *testing.T) {
	self, err := Current("")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%s/%d/%d", self.Host, os.Getpid(), self.StartTime); self.Name != want {
		t.Errorf("got the name %q, want %q", self.Name, want)
	}
	if named, err := Current("pod-1"); err != nil || named.Name != "pod-1" {
		t.Errorf("got %+v, %v", named, err)
	}
	if life, err := Self.Judge(self, self, nil); life != Alive || err != nil {
		t.Errorf("got %v, %v, want Alive", life, err)
	}
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	other := self
	other.PID = cmd.Process.Pid
	other.StartTime, _, err = Self.startTime(other.PID)
	if err != nil {
		t.Fatal(err)
	}
	if life, _ := Self.Judge(other, self, nil); life != Alive {
		t.Errorf("a child: got %v, want Alive", life)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if life, _ := Self.Judge(other, self, nil); life != Dead {
		t.Errorf("a child that has ended: got %v, want Dead", life)
	}
}

func TestTempFilesOfTheDeadAreToldByTheirName(t *testing.T) {
	self := Owner{Name: "me", Host: "h:1", PID: 1}
	proc := plant(t, 7, stat("S", 99))
	at := func(name, host string, pid int, start uint64) string {
		return Owner{Name: name, Host: host, PID: pid, StartTime: start}.TempName()
	}
	for name, want := range map[string]bool{
		at("o", "h:1", 7, 99):        false,
		at("o", "h:1", 7, 98):        true,
		at("o", "h:1", 8, 99):        true,
		at("o", "g:1", 8, 99):        false,
		at("o1", "g:1", 8, 99):       true, // named
		at("o1", "h:1", 7, 99):       false,
		"notes.txt":                  false,
		"fettle-x-y-1-2-3":           false,
		at("o", "h:1", 8, 99) + "/x": false,
	} {
		if got, err := proc.IsTempOfDead(name, self, []string{"o1"}); got != want || err != nil {
			t.Errorf("%s: got %v, %v, want %v", name, got, err, want)
		}
	}
	if a, b := at("o", "h", 1, 1), at("o", "h", 1, 1); a == b {
		t.Errorf("two names are both %s", a)
	}
}
