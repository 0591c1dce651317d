package node

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/hack/cluster/settings"
)

const mountinfo = `22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
36 35 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct
37 35 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
38 35 0:32 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd
39 35 0:33 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset,clone_children
40 35 0:34 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate
41 22 0:31 / /elsewhere/memory rw - cgroup cgroup rw,memory
broken line
`

func TestHierarchiesAreReadFromMountinfoOnceEach(t *testing.T) {
	want := Groups{
		{"/sys/fs/cgroup/cpu,cpuacct", "cgroup", "cpu,cpuacct"},
		{"/sys/fs/cgroup/memory", "cgroup", "memory"},
		{"/sys/fs/cgroup/systemd", "cgroup", "none,name=systemd"},
		{"/sys/fs/cgroup/cpuset", "cgroup", "cpuset"},
		{"/sys/fs/cgroup/unified", "cgroup2", ""},
	}
	if diff := cmp.Diff(want, parseMountinfo(mountinfo)); diff != "" {
		t.Errorf("got what differs from want (-want +got):\n%s", diff)
	}
}

func TestAMachineWithoutAControllerIsRefused(t *testing.T) {
	for _, controller := range needed {
		t.Run(controller, func(t *testing.T) {
			var lines []string
			for _, c := range needed {
				if c != controller {
					lines = append(lines, "1 2 0:1 / /sys/fs/cgroup/"+c+" rw - cgroup cgroup rw,"+c)
				}
			}
			file := filepath.Join(t.TempDir(), "mountinfo")
			if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := Hierarchies(file)
			if !errors.Is(err, ErrNoControllers) || !strings.Contains(err.Error(), controller) {
				t.Errorf("got %v, want %v that names %s", err, ErrNoControllers, controller)
			}
		})
	}
}

func TestRoutesThatOverlapAreFound(t *testing.T) {
	routes := []Route{
		{"default", "eth0"},
		{"10.99.3.0/24", "inside"},
		{"10.99.0.7", "address"},
		{"10.0.0.0/8", "around"},
		{"10.98.0.0/16", "beside"},
	}
	var got []string
	for _, r := range Overlapping(routes, netip.MustParsePrefix("10.99.0.0/16")) {
		got = append(got, r.Device)
	}
	if diff := cmp.Diff([]string{"inside", "address", "around"}, got); diff != "" {
		t.Errorf("got what differs from want (-want +got):\n%s", diff)
	}
}

func TestANetworkThatIsTakenIsRefusedUnlessByOurOwnLink(t *testing.T) {
	s := settings.Settings{Name: "test", Network: netip.MustParsePrefix("10.99.0.0/16")}
	if err := refuseOverlap(s, []Route{{"10.99.0.0/30", s.Link()}}); err != nil {
		t.Errorf("own link: got %v, want nil", err)
	}
	err := refuseOverlap(s, []Route{{"10.99.4.0/24", "eth1"}})
	if err == nil {
		t.Fatal("other link: got nil, want an error")
	}
	for _, want := range []string{"10.99.4.0/24", "eth1", settings.NetworkVariable} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("other link: got %q, want %q in it", err, want)
		}
	}
}

func TestOnlyWhatLiesBelowACoveredDirectoryIsHidden(t *testing.T) {
	for path, want := range map[string]bool{
		"/run/fettle":       true,
		"/var/lib/a/b":      true,
		"/var/library":      false,
		"/root/.cache/kube": false,
	} {
		if got := hidden(path); got != want {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
}

func TestGroupsBelowAreFoundAndRemoved(t *testing.T) {
	groups := Groups{{Point: t.TempDir(), Type: "cgroup"}, {Point: t.TempDir(), Type: "cgroup"}}
	// Directories stand for groups here; the kernel's would have files too.
	deep := filepath.Join(groups[1].Point, "name", "pods", "one")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(groups[1].Point, "name2"), 0o755); err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(groups[1].Point, "name")}
	if diff := cmp.Diff(want, groups.Dirs("name")); diff != "" {
		t.Errorf("got what differs from want (-want +got):\n%s", diff)
	}
	if err := groups.Remove("name", 0); err != nil {
		t.Fatal(err)
	}
	if left := groups.Dirs("name"); len(left) > 0 {
		t.Errorf("got %v left, want none", left)
	}
	if !isDir(filepath.Join(groups[1].Point, "name2")) {
		t.Error("name2 is gone, want only name removed")
	}
}

func TestProcessesAreCountedOnceOverAllHierarchies(t *testing.T) {
	groups := Groups{{Point: t.TempDir(), Type: "cgroup"}, {Point: t.TempDir(), Type: "cgroup"}}
	for file, content := range map[string]string{
		filepath.Join(groups[0].Point, "name", "cgroup.procs"):         "7\n8\n",
		filepath.Join(groups[1].Point, "name", "cgroup.procs"):         "7\n",
		filepath.Join(groups[1].Point, "name", "pods", "cgroup.procs"): "9\n",
	} {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := groups.Processes("name")
	if diff := cmp.Diff([]int{7, 8, 9}, got); diff != "" || err != nil {
		t.Errorf("error %v, and got what differs from want (-want +got):\n%s", err, diff)
	}
}
