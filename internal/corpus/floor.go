package corpus

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// Floor is the least that a program can do over a tree: plain system calls relative to
// an open directory, one reused buffer, no safety, nothing kept. Benchmarks time it and
// their subject by turns.
type Floor struct {
	Stat bool // stat each file
	Read bool // open, fstat, read and close each file
}

// Seen is what a floor met.
type Seen struct {
	Files, Dirs int
	Bytes       int64
}

// Run goes over the tree below root.
func (f Floor) Run(root string) (Seen, error) {
	fd, err := unix.Open(root, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return Seen{}, fmt.Errorf("floor: open %q: %w", root, err)
	}
	r := &floorRun{Floor: f, content: make([]byte, 2<<20)}
	if err := r.dir(fd, 0); err != nil {
		return Seen{}, fmt.Errorf("floor: %w", err)
	}
	return r.seen, nil
}

type floorRun struct {
	Floor
	seen    Seen
	entries [][]byte // by depth
	content []byte
}

// dir goes over the directory fd and closes it.
func (r *floorRun) dir(fd, depth int) error {
	defer unix.Close(fd)
	r.seen.Dirs++
	if len(r.entries) == depth {
		r.entries = append(r.entries, make([]byte, 64<<10))
	}
	for {
		n, err := unix.Getdents(fd, r.entries[depth])
		if err != nil || n == 0 {
			return err
		}
		const header = 19
		for buf := r.entries[depth][:n]; len(buf) > 0; buf = buf[binary.NativeEndian.Uint16(buf[16:]):] {
			end := bytes.IndexByte(buf[header:], 0)
			if err := r.entry(fd, depth, buf[18], buf[header:header+end]); err != nil {
				return err
			}
		}
	}
}

func (r *floorRun) entry(fd, depth int, kind byte, name []byte) error {
	switch {
	case string(name) == "." || string(name) == "..":
		return nil
	case kind == unix.DT_DIR:
		inner, err := unix.Openat(fd, string(name), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		return r.dir(inner, depth+1)
	case kind != unix.DT_REG:
		return nil
	}
	r.seen.Files++
	if r.Stat {
		var stat unix.Stat_t
		if err := unix.Fstatat(fd, string(name), &stat, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return err
		}
	}
	if r.Read {
		return r.read(fd, string(name))
	}
	return nil
}

func (r *floorRun) read(fd int, name string) error {
	file, err := unix.Openat(fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(file)
	var stat unix.Stat_t
	if err := unix.Fstat(file, &stat); err != nil {
		return err
	}
	n, err := unix.Read(file, r.content[:stat.Size+1])
	r.seen.Bytes += int64(n)
	return err
}

// CPU returns the processor time that the process has used so far, in user and system
// mode, of all its threads.
func CPU() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// Meter adds up the time of one side of a comparison.
type Meter struct {
	CPU, Wall time.Duration
}

// Time runs work and adds what it took.
func (m *Meter) Time(work func() error) error {
	cpu, wall := CPU(), time.Now()
	err := work()
	m.CPU += CPU() - cpu
	m.Wall += time.Since(wall)
	return err
}
