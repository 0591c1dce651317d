// Package owner says who a process is and whether the process that holds a lock is
// still there (block transaction spec §§ 14.1, 14.2, 14.5).
//
// It looks at /proc only. No clock takes part: a process is known by its number, the
// start of the kernel and its own start in the kernel's count of time.
package owner

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Owner is a process as a lock names it (§ 14.1).
type Owner struct {
	Name       string `json:"owner"`
	PID        int    `json:"pid"`
	BootID     string `json:"bootId"`
	StartTime  uint64 `json:"startTime"` // clock ticks since the kernel started
	Host       string `json:"host"`      // host name and PID namespace, with a colon between
	AcquiredAt string `json:"acquiredAt"`
}

// Proc is a mounted /proc. Tests plant one.
type Proc string

// Self is the kernel's /proc.
const Self Proc = "/proc"

// Current returns the owner that the running process is. name is its name, FETTLE_OWNER;
// if that is empty it is made of host, process and start.
func Current(name string) (Owner, error) {
	pid := os.Getpid()
	start, alive, err := Self.startTime(pid)
	if err == nil && !alive {
		err = fmt.Errorf("process %d isn't in %s", pid, Self)
	}
	if err != nil {
		return Owner{}, fmt.Errorf("who am I: %w", err)
	}
	boot, err := Self.BootID()
	if err != nil {
		return Owner{}, fmt.Errorf("who am I: %w", err)
	}
	host, err := Self.host()
	if err != nil {
		return Owner{}, fmt.Errorf("who am I: %w", err)
	}
	if name == "" {
		name = fmt.Sprintf("%s/%d/%d", host, pid, start)
	}
	return Owner{Name: name, PID: pid, BootID: boot, StartTime: start, Host: host}, nil
}

// host returns the host's name and the number of the PID namespace: process ids of two
// containers of one name mean different processes.
func (p Proc) host() (string, error) {
	name, err := os.Hostname()
	if err != nil {
		return "", err
	}
	ns, err := os.Readlink(filepath.Join(string(p), "self/ns/pid"))
	if err != nil {
		return "", err
	}
	return name + ":" + strings.Trim(strings.TrimPrefix(ns, "pid:"), "[]"), nil
}

// BootID returns what tells this start of the kernel from others.
func (p Proc) BootID() (string, error) {
	id, err := os.ReadFile(filepath.Join(string(p), "sys/kernel/random/boot_id"))
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(id)), nil
}

// startTime returns when a process started. One that has ended and waits for its parent
// to hear of it is not alive.
func (p Proc) startTime(pid int) (start uint64, alive bool, err error) {
	data, err := os.ReadFile(filepath.Join(string(p), strconv.Itoa(pid), "stat"))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNoProcess) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	// The name of the program, in parentheses, may hold anything.
	end := strings.LastIndexByte(string(data), ')')
	fields := strings.Fields(string(data[end+1:]))
	if end < 0 || len(fields) < 20 {
		return 0, false, fmt.Errorf("the state of process %d makes no sense", pid)
	}
	if state := fields[0]; state == "Z" || state == "X" {
		return 0, false, nil
	}
	start, err = strconv.ParseUint(fields[19], 10, 64)
	return start, true, err
}

// Life is what is known of an owner.
type Life int

// Unknown owners count as alive.
const (
	Alive Life = iota
	Unknown
	Dead
)

// Judge says whether o is alive, seen from self (§ 14.2). An owner of another host is
// unknown, unless the caller named it dead.
func (p Proc) Judge(o, self Owner, named []string) (Life, error) {
	if o.Host != self.Host {
		for _, n := range named {
			if n == o.Name {
				return Dead, nil
			}
		}
		return Unknown, nil
	}
	if o.BootID != self.BootID {
		return Dead, nil
	}
	start, alive, err := p.startTime(o.PID)
	if err != nil {
		return Unknown, err
	}
	if !alive || start != o.StartTime {
		return Dead, nil
	}
	return Alive, nil
}

// hash is how temp files name an owner or a host (§ 14.5).
func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}
