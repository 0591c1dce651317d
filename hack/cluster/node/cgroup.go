package node

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// Hierarchy is a mounted cgroup hierarchy of the host.
type Hierarchy struct {
	Point   string // where it is mounted
	Type    string // cgroup or cgroup2
	Options string // what a mount of the same hierarchy is given: its controllers or name
}

// Groups are all hierarchies. A process is in one cgroup of each.
type Groups []Hierarchy

// needed are the controllers without which a kubelet doesn't start.
var needed = []string{"cpu", "cpuacct", "cpuset", "memory", "devices", "freezer", "pids"}

// ErrNoControllers says that the machine's cgroups aren't of the kind that the node needs.
var ErrNoControllers = errors.New("no cgroup v1 hierarchy: this machine can't host the test cluster; " +
	"set KUBECONFIG to run the tests on another one")

// Hierarchies reads the hierarchies from a mountinfo file and says whether they suffice.
func Hierarchies(mountinfo string) (Groups, error) {
	data, err := os.ReadFile(mountinfo)
	if err != nil {
		return nil, err
	}
	groups := parseMountinfo(string(data))
	have := map[string]bool{}
	for _, h := range groups {
		for _, controller := range strings.Split(h.Options, ",") {
			have[controller] = true
		}
	}
	for _, controller := range needed {
		if !have[controller] {
			return nil, fmt.Errorf("cgroup controller %s: %w", controller, ErrNoControllers)
		}
	}
	return groups, nil
}

// parseMountinfo reads lines such as
//
//	36 35 0:30 / /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu
func parseMountinfo(text string) Groups {
	var groups Groups
	seen := map[string]bool{}
	for _, line := range strings.Split(text, "\n") {
		before, after, ok := strings.Cut(line, " - ")
		mount, super := strings.Fields(before), strings.Fields(after)
		if !ok || len(mount) < 5 || len(super) < 3 {
			continue
		}
		h := Hierarchy{Point: mount[4], Type: super[0]}
		switch h.Type {
		case "cgroup":
			h.Options = controllers(super[2])
		case "cgroup2":
		default:
			continue
		}
		if key := h.Type + " " + h.Options; !seen[key] {
			seen[key] = true
			groups = append(groups, h)
		}
	}
	return groups
}

// controllers drops what isn't a controller or a name from super block options.
func controllers(options string) string {
	var kept []string
	for _, o := range strings.Split(options, ",") {
		switch {
		case strings.HasPrefix(o, "name="):
			kept = append(kept, "none", o)
		case o == "rw", o == "ro", o == "xattr", o == "clone_children", strings.Contains(o, "="):
		default:
			kept = append(kept, o)
		}
	}
	return strings.Join(kept, ",")
}
