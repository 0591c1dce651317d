package store

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/transaction/internal/git"
	"github.com/fettle-dev/fettle/transaction/internal/owner"
)

// living returns an owner that is a process of this host, which ends with the test.
func living(t *testing.T, self owner.Owner) owner.Owner {
	t.Helper()
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	o := self
	o.Name, o.PID, o.AcquiredAt = "sleeper", cmd.Process.Pid, "2026-01-02T03:04:05Z"
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(o.PID) + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if o.StartTime, err = strconv.ParseUint(fields[19], 10, 64); err != nil {
		t.Fatal(err)
	}
	return o
}

// § 14.2, contract-005 to 012, 051, 053: which locks are taken over, and which are waited for.
func TestWhoseLockIsTaken(t *testing.T) {
	foreign := func(o owner.Owner) owner.Owner {
		o.Host, o.Name, o.AcquiredAt = "elsewhere:1", "o1", "2020-01-01T00:00:00Z"
		return o
	}
	for name, tt := range map[string]struct {
		owner func(t *testing.T, self owner.Owner) owner.Owner
		dead  []string
		taken bool
	}{
		"a live process of this host":                 {owner: living},
		"a live process of this host, named dead":     {owner: living, dead: []string{"sleeper"}},
		"a process that has another start":            {owner: func(t *testing.T, self owner.Owner) owner.Owner { o := living(t, self); o.StartTime++; return o }, taken: true},
		"a number that no process has":                {owner: func(_ *testing.T, self owner.Owner) owner.Owner { self.PID = 1 << 30; return self }, taken: true},
		"a process of an earlier start of the kernel": {owner: func(t *testing.T, self owner.Owner) owner.Owner { o := living(t, self); o.BootID = "earlier"; return o }, taken: true},
		"another host, a year ago":                    {owner: func(_ *testing.T, self owner.Owner) owner.Owner { return foreign(self) }},
		"another host, named dead":                    {owner: func(_ *testing.T, self owner.Owner) owner.Owner { return foreign(self) }, dead: []string{"o1"}, taken: true},
		"another host, another one named":             {owner: func(_ *testing.T, self owner.Owner) owner.Owner { return foreign(self) }, dead: []string{"o2"}},
		"somebody who can't be read":                  {owner: func(*testing.T, owner.Owner) owner.Owner { return owner.Owner{} }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, map[string]string{"a": "a\n"})
			p.host.DeadOwners = tt.dead
			p.host.Wait = 700 * time.Millisecond
			s := p.open()
			p.snapshot(s)
			lock := p.plantLock(s, tt.owner(t, s.self))
			began := time.Now()
			r, err := p.settle(s, map[string]string{"a": "b\n"})
			if tt.taken {
				if err != nil || r.Status != blocks.StatusCommitted {
					t.Errorf("got %s, %v, want a commit", r.Status, err)
				}
				return
			}
			var held *HeldError
			if !errors.As(err, &held) {
				t.Fatalf("got %s, %v, want a HeldError", r.Status, err)
			}
			if took := time.Since(began); took < p.host.Wait || took > p.host.Wait+3*time.Second {
				t.Errorf("it waited %s, want about %s", took, p.host.Wait)
			}
			if now, _ := s.readRef(refLock); now != lock {
				t.Errorf("the lock has changed from %s to %s", lock, now)
			}
			p.wants("a", "a\n")
		})
	}
}

// § 14.3: the detail names owner, host, pid and time, and for another host the command.
func TestTheErrorSaysWhoHoldsTheLock(t *testing.T) {
	p := newPlace(t, nil)
	p.host.Wait = 100 * time.Millisecond
	s := p.open()
	p.snapshot(s)
	p.plantLock(s, owner.Owner{Name: "pod-7", Host: "node-2:9", PID: 41, AcquiredAt: "2026-01-02T03:04:05Z"})
	_, err := p.settle(s, map[string]string{"a": "b\n"})
	for _, want := range []string{"pod-7", "node-2:9", "41", "2026-01-02T03:04:05Z", "fettle blocks unlock --owner pod-7"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to say %q", err, want)
		}
	}
}

// contract-005: a lock that is given away while one waits is taken.
func TestALockThatIsFreedIsTaken(t *testing.T) {
	p := newPlace(t, nil)
	p.host.Wait = 20 * time.Second
	s := p.open()
	p.snapshot(s)
	lock := p.plantLock(s, living(t, s.self))
	other := p.open()
	time.AfterFunc(300*time.Millisecond, func() {
		if err := other.repo.Update(t.Context(), git.Update{Ref: refLock, Old: lock, New: git.Zero}); err != nil {
			t.Error(err)
		}
	})
	p.commits(s, map[string]string{"a": "b\n"})
}

// contract-013, § 14.4: a holder whose lock was taken over neither publishes nor goes on
// writing files.
func TestAHolderThatLostItsLockStops(t *testing.T) {
	for at, published := range map[Point]bool{BeforeSwap: false, BeforeReplace: true} {
		t.Run(string(at), func(t *testing.T) {
			p := newPlace(t, map[string]string{"a": "a\n"})
			s := p.open()
			before := p.snapshot(s)
			thief := p.open()
			s.Probe = func(now Point, _ string) {
				if now == at {
					p.plantLock(thief, owner.Owner{Name: "thief", Host: "elsewhere:1"})
				}
			}
			r, err := p.settle(s, map[string]string{"a": "b\n"})
			p.wants("a", "a\n")
			head, _ := s.Head(t.Context())
			switch {
			case !published && (!errors.Is(err, ErrLockLost) || head != before):
				t.Errorf("got %s, %v, head %s, want ErrLockLost and head %s", r.Status, err, head, before)
			case published && (err != nil || r.Status != blocks.StatusProjectionFailed || head != r.Commit):
				t.Errorf("got %s %+v, %v, want projection-failed at head", r.Status, r.Errors, err)
			}
			if now, held, _ := s.readLock(); held.Name != "thief" {
				t.Errorf("the lock is %s of %q, want the thief's", now, held.Name)
			}
		})
	}
}

// contract-054: nothing renews a lock.
func TestALockIsNotRenewed(t *testing.T) {
	p := newPlace(t, nil)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p.host.Now = func() time.Time { return now }
	s := p.open()
	p.snapshot(s)
	s.Probe = func(at Point, _ string) {
		if at != BeforeCursor {
			return
		}
		_, first, _ := s.readLock()
		now = now.Add(5 * time.Minute)
		if _, later, _ := s.readLock(); later != first || first.AcquiredAt != "2026-01-02T03:04:05Z" {
			t.Errorf("got %+v, then %+v", first, later)
		}
	}
	p.commits(s, map[string]string{"a": "b\n"})
}

// § 14.1: the lock says who we are while we hold it, and is gone afterwards.
func TestTheLockNamesItsOwner(t *testing.T) {
	p := newPlace(t, nil)
	p.host.Environ = append(os.Environ(), "FETTLE_OWNER=pod-1")
	s := p.open()
	p.snapshot(s)
	seen := false
	s.Probe = func(at Point, _ string) {
		_, held, err := s.readLock()
		seen = seen || held.Name == "pod-1"
		if err != nil || held.Name != "pod-1" || held.PID != os.Getpid() || held.Host != s.self.Host || held.BootID == "" {
			t.Errorf("%s: got %+v, %v", at, held, err)
		}
	}
	p.commits(s, map[string]string{"a": "b\n"})
	if now, _ := s.readRef(refLock); now != git.Zero || !seen {
		t.Errorf("after it the lock is %s; seen held: %v", now, seen)
	}
}
