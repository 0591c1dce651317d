package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/fettle-dev/fettle/hack/cluster/leak"
	"github.com/fettle-dev/fettle/hack/cluster/node"
	"github.com/fettle-dev/fettle/hack/cluster/settings"
)

// errLeak says that something is left.
var errLeak = errors.New("the cluster has left something behind")

func down(ctx context.Context, s settings.Settings, _ []string) error {
	unlock, err := lock(s)
	if err != nil {
		return err
	}
	defer unlock()
	began := time.Now()
	if err := remove(s); err != nil {
		return err
	}
	// Other clusters may have their state beside ours.
	_ = os.Remove(filepath.Dir(s.Dir))
	if err := leaks(ctx, s, nil); err != nil {
		return err
	}
	fmt.Printf("cluster down in %.1f s\n", time.Since(began).Seconds())
	return nil
}

// remove ends the node and removes all of it. The kernel takes mounts and network with the
// last process of their namespaces.
func remove(s settings.Settings) error {
	groups, err := node.Hierarchies("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	if err := groups.Kill(s.Cgroup(), 30*time.Second); err != nil {
		return err
	}
	if err := node.Disconnect(s); err != nil {
		return err
	}
	if err := groups.Remove(s.Cgroup(), 30*time.Second); err != nil {
		return err
	}
	return removeState(s)
}

// mark is the entry of a state directory that is made first and removed last: a directory
// that has others and not this one is something else that the settings happen to name.
const mark = "pki"

// removeState removes the state directory.
func removeState(s settings.Settings) error {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(s.Path(mark)); err != nil && len(entries) > 0 {
		return fmt.Errorf("%s: not the state of a cluster, so it isn't removed", s.Dir)
	}
	for _, entry := range entries {
		if entry.Name() == mark {
			continue
		}
		if err := os.RemoveAll(s.Path(entry.Name())); err != nil {
			return err
		}
	}
	return os.RemoveAll(s.Dir)
}

func leaks(_ context.Context, s settings.Settings, _ []string) error {
	found, err := leak.Find(s)
	if err != nil {
		return err
	}
	for _, line := range found {
		fmt.Println("left:", line)
	}
	if len(found) > 0 {
		return errLeak
	}
	return nil
}
