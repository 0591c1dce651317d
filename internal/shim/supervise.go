package shim

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/shim/procs"
	"github.com/fettle-dev/fettle/internal/shim/wire"
)

const (
	// lingerTime is what children of a tool get to end by themselves after it: helpers
	// that shut down when their parent does are no leftovers.
	lingerTime = 500 * time.Millisecond
	// dyingTime is what they get when the tool was killed, with its group.
	dyingTime = 50 * time.Millisecond
	// killTime is how long the shim tries to kill: a process in an uninterruptible wait
	// may take for ever.
	killTime = 5 * time.Second
)

// terms are what ends a tool early: channels that are closed then, and stay so.
type terms struct {
	cancel   <-chan struct{}
	broken   <-chan struct{}
	deadline <-chan struct{}
	grace    time.Duration
}

// due says why no further run of the tool may start, "" if one may.
func (t terms) due() wire.Ended {
	select {
	case <-t.cancel:
		return wire.Cancelled
	case <-t.broken:
		return wire.Cancelled
	case <-t.deadline:
		return wire.Deadline
	default:
		return ""
	}
}

// ending is how one run of the tool ended.
type ending struct {
	why        wire.Ended // Deadline or Cancelled if the shim ended it, else ""
	status     unix.WaitStatus
	usage      wire.Usage
	leftovers  int
	unkillable int
}

// corpse is a child that was waited for.
type corpse struct {
	pid    int
	status unix.WaitStatus
	usage  unix.Rusage
}

// reap waits for every child, and so for every descendant, for orphans become children
// of the reaper. The channel is closed when none is left.
func reap() <-chan corpse {
	corpses := make(chan corpse)
	go func() {
		defer close(corpses)
		for {
			var c corpse
			var err error
			c.pid, err = unix.Wait4(-1, &c.status, unix.WALL, &c.usage)
			if errors.Is(err, unix.EINTR) {
				continue
			}
			if err != nil {
				return // ECHILD
			}
			corpses <- c
		}
	}()
	return corpses
}

// supervise waits until the tool, leader of its session and group, and everything that
// came of it are dead. It returns earlier only if that can't be had within killTime.
func supervise(tool int, t terms) ending {
	var (
		end     ending
		over    bool // the tool itself has ended
		sweep   procs.Sweep
		grace   <-chan time.Time
		linger  <-chan time.Time
		pass    <-chan time.Time // the next pass of killing
		giveUp  <-chan time.Time
		corpses = reap()
	)
	begin := func() {
		pass = time.After(0)
		giveUp = time.After(killTime)
		t.cancel, t.deadline, grace, linger = nil, nil, nil, nil
	}
	terminate := func(why wire.Ended) {
		t.cancel, t.deadline = nil, nil
		if over {
			begin() // the result stands; only leftovers are in the way
			return
		}
		end.why = why
		signalGroup(tool, unix.SIGTERM)
		signalGroup(tool, unix.SIGCONT) // one that is stopped can't hear
		grace = time.After(t.grace)
	}
	for {
		select {
		case c, some := <-corpses:
			switch {
			case !some:
				end.leftovers = sweep.Killed()
				return end
			case c.pid == tool:
				over = true
				end.status, end.usage = c.status, usageOf(c.usage)
				if pass == nil {
					linger = time.After(lingering(end.why))
				}
				grace = nil
			}
		case <-t.cancel:
			terminate(wire.Cancelled)
		case <-t.deadline:
			terminate(wire.Deadline)
		case <-t.broken:
			t.broken = nil
			if !over {
				end.why = wire.Cancelled
				signalGroup(tool, unix.SIGKILL)
			}
			begin()
		case <-grace:
			grace = nil
			signalGroup(tool, unix.SIGKILL)
			giveUp = time.After(killTime)
		case <-linger:
			begin()
		case <-pass:
			// Without a process table there is no more than the group to kill.
			_, _ = sweep.Descendants(os.Getpid())
			pass = time.After(5 * time.Millisecond)
		case <-giveUp:
			left, _ := procs.Descendants(os.Getpid())
			end.leftovers, end.unkillable = sweep.Killed(), max(1, len(left))
			return end
		}
	}
}

func lingering(why wire.Ended) time.Duration {
	if why != "" {
		return dyingTime
	}
	return lingerTime
}

// signalGroup signals the tool's process group. The tool hasn't been waited for, so its
// number is still its own; the error of an empty group changes nothing.
func signalGroup(leader int, sig unix.Signal) { _ = unix.Kill(-leader, sig) }

func usageOf(u unix.Rusage) wire.Usage {
	return wire.Usage{
		User:   time.Duration(u.Utime.Nano()),
		System: time.Duration(u.Stime.Nano()),
		MaxRSS: u.Maxrss << 10, // Linux counts KiB
	}
}
