package node

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/hack/cluster/settings"
)

// covered are the directories of the host that the node has its own of, so that daemons can
// keep their default paths and nothing of the host is read or written there.
var covered = []string{"/run", "/var/lib", "/var/log"}

// shadowed are sysctls of the whole machine that a kubelet insists on. It is shown what it
// wants to see.
var shadowed = map[string]string{
	"vm/overcommit_memory":      "1",
	"vm/panic_on_oom":           "0",
	"kernel/panic":              "10",
	"kernel/panic_on_oops":      "1",
	"kernel/keys/root_maxkeys":  "1000000",
	"kernel/keys/root_maxbytes": "25000000",
}

func prepareMounts(s settings.Settings, groups Groups, keep []string) error {
	// Away from the host's peers, then a peer group of our own: what the kubelet mounts has
	// to reach containerd.
	if err := propagate("/", unix.MS_PRIVATE); err != nil {
		return err
	}
	if err := mount("proc", "/proc", "proc", 0, ""); err != nil {
		return err
	}
	if err := mount("sysfs", "/sys", "sysfs", 0, ""); err != nil {
		return err
	}
	if err := mountCgroups(groups); err != nil {
		return err
	}
	if err := cover(s, append(keep, s.Dir)); err != nil {
		return err
	}
	if err := shadow("/run/shadowed"); err != nil {
		return err
	}
	return propagate("/", unix.MS_SHARED)
}

// mountCgroups mounts each v1 hierarchy, which the cgroup namespace roots at our group.
func mountCgroups(groups Groups) error {
	if err := mount("cgroup", "/sys/fs/cgroup", "tmpfs", 0, "mode=755"); err != nil {
		return err
	}
	for _, h := range groups {
		if h.Type != "cgroup" {
			continue
		}
		name := filepath.Base(h.Point)
		point := filepath.Join("/sys/fs/cgroup", name)
		if err := os.Mkdir(point, 0o755); err != nil {
			return err
		}
		if err := mount("cgroup", point, "cgroup", 0, h.Options); err != nil {
			return err
		}
		for _, alias := range strings.Split(name, ",") {
			if alias == name {
				continue
			}
			if err := os.Symlink(name, filepath.Join("/sys/fs/cgroup", alias)); err != nil {
				return err
			}
		}
	}
	return nil
}

// cover mounts our own directories over the covered ones and brings back those in keep that
// have vanished by that.
func cover(s settings.Settings, keep []string) error {
	// A descriptor holds what is about to be covered.
	kept := map[string]*os.File{}
	for _, dir := range keep {
		held, err := os.OpenFile(dir, unix.O_PATH|unix.O_DIRECTORY, 0)
		if err != nil {
			return err
		}
		defer held.Close()
		kept[dir] = held
	}
	for _, dir := range covered {
		own := s.Path("root", dir)
		if err := os.MkdirAll(own, 0o755); err != nil {
			return err
		}
	}
	state := descriptor(kept[s.Dir])
	for _, dir := range covered {
		var err error
		if dir == "/run" { // sockets and the like are nothing for a disk
			err = mount("tmpfs", dir, "tmpfs", 0, "mode=755")
		} else {
			err = mount(filepath.Join(state, "root", dir), dir, "", unix.MS_BIND, "")
		}
		if err != nil {
			return err
		}
	}
	for dir, held := range kept {
		if !hidden(dir) {
			continue
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := mount(descriptor(held), dir, "", unix.MS_BIND, ""); err != nil {
			return err
		}
	}
	return os.MkdirAll("/run/lock", 0o755)
}

func descriptor(f *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", f.Fd()) }

// hidden says whether a path lies below a covered directory.
func hidden(path string) bool {
	for _, dir := range covered {
		if strings.HasPrefix(path, dir+"/") {
			return true
		}
	}
	return false
}

func shadow(dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for key, value := range shadowed {
		file := filepath.Join(dir, strings.ReplaceAll(key, "/", "."))
		if err := os.WriteFile(file, []byte(value+"\n"), 0o644); err != nil {
			return err
		}
		if err := mount(file, filepath.Join("/proc/sys", key), "", unix.MS_BIND, ""); err != nil {
			return err
		}
	}
	return nil
}

func mount(source, target, kind string, flags uintptr, options string) error {
	if err := unix.Mount(source, target, kind, flags, options); err != nil {
		return fmt.Errorf("mount %s at %s: %w", source, target, err)
	}
	return nil
}

func propagate(target string, how uintptr) error {
	if err := unix.Mount("", target, "", unix.MS_REC|how, ""); err != nil {
		return fmt.Errorf("mount propagation of %s: %w", target, err)
	}
	return nil
}
