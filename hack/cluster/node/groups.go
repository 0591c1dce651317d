package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// make makes a group with this name in each hierarchy.
func (g Groups) make(name string) error {
	for _, h := range g {
		dir := filepath.Join(h.Point, name)
		err := os.Mkdir(dir, 0o755)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := h.inheritCPUs(dir); err != nil {
			return err
		}
	}
	return nil
}

// inheritCPUs gives a new group of the cpuset hierarchy the CPUs and memory nodes of its
// parent: without them no process may join it.
func (h Hierarchy) inheritCPUs(dir string) error {
	for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
		value, err := os.ReadFile(filepath.Join(h.Point, file))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, file), value, 0); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "cgroup.clone_children"), []byte("1"), 0)
}

// join moves this process into the groups with this name.
func (g Groups) join(name string) error {
	for _, h := range g {
		// 0 is the process that writes, whatever it is called in this PID namespace.
		if err := os.WriteFile(filepath.Join(h.Point, name, "cgroup.procs"), []byte("0"), 0); err != nil {
			return fmt.Errorf("cgroup: %w", err)
		}
	}
	return nil
}

// Dirs returns the groups with this name that exist.
func (g Groups) Dirs(name string) []string {
	var dirs []string
	for _, h := range g {
		if dir := filepath.Join(h.Point, name); isDir(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// Processes returns the processes in the groups with this name and below.
func (g Groups) Processes(name string) ([]int, error) {
	seen := map[int]bool{}
	var pids []int
	for _, dir := range g.Dirs(name) {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.Name() != "cgroup.procs" {
				return ignoreGone(err)
			}
			data, err := os.ReadFile(path)
			for _, field := range strings.Fields(string(data)) {
				if pid, err := strconv.Atoi(field); err == nil && !seen[pid] {
					seen[pid] = true
					pids = append(pids, pid)
				}
			}
			return ignoreGone(err)
		})
		if err != nil {
			return nil, err
		}
	}
	return pids, nil
}

// ignoreGone accepts that groups vanish while they are looked at.
func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENODEV) {
		return nil
	}
	return err
}

// Kill kills every process in the groups with this name and waits until none is left.
func (g Groups) Kill(name string, patience time.Duration) error {
	deadline := time.Now().Add(patience)
	for {
		pids, err := g.Processes(name)
		if err != nil {
			return err
		}
		if len(pids) == 0 {
			return nil
		}
		for _, pid := range pids {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				return fmt.Errorf("process %d: %w", pid, err)
			}
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("processes %v outlive a kill by %v", pids, patience)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Remove removes the groups with this name. The kernel lets go of a group a moment after its
// last process has ended.
func (g Groups) Remove(name string, patience time.Duration) error {
	deadline := time.Now().Add(patience)
	for _, dir := range g.Dirs(name) {
		for {
			err := removeGroup(dir)
			if err == nil {
				break
			}
			if time.Now().After(deadline) {
				return err
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	return nil
}

// removeGroup removes a group and those below it; files of a group go with it.
func removeGroup(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ignoreGone(err)
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		if err := removeGroup(filepath.Join(dir, entry.Name())); err != nil {
			return err
		}
	}
	return ignoreGone(syscallError("rmdir", dir, syscall.Rmdir(dir)))
}

func syscallError(op, path string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}
