package leak

import (
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/hack/cluster/settings"
)

func TestAProcessIsFoundByItsCgroup(t *testing.T) {
	for _, tt := range []struct {
		name, groups string
		want         bool
	}{
		{"in the group", "4:memory:/fettle-cluster-a\n", true},
		{"below the group", "1:cpu:/\n4:memory:/fettle-cluster-a/kubepods/x\n", true},
		{"in the group of another cluster", "4:memory:/fettle-cluster-ab\n", false},
		{"in none", "4:memory:/\n0::/\n", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := inGroup(tt.groups, "fettle-cluster-a"); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestAProcessIsFoundByTheStateDirectoryInItsCommandLine(t *testing.T) {
	s := settings.Settings{Name: "leaktest", Dir: t.TempDir()}
	file := filepath.Join(s.Dir, "fifo")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("tail", "-f", file)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	found, err := processes(s)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || !strings.Contains(found[0], "(tail)") {
		t.Errorf("got %q, want the one process tail", found)
	}
}

func TestOnlyMountsOfTheStateDirectoryAreFound(t *testing.T) {
	text := "1 2 0:1 / /state rw - ext4 a rw\n1 2 0:1 / /state/x rw - ext4 a rw\n1 2 0:1 /state/y /z rw - ext4 a rw\n1 2 0:1 / /state2 rw - ext4 a rw\n"
	if got := mentioned("mount", text, "/state"); len(got) != 3 {
		t.Errorf("got %q, want three", got)
	}
}

func TestOnlyRulesWithAnAddressOfTheClusterAreFound(t *testing.T) {
	saved := "*nat\n-A X -s 10.99.1.0/24 -j Y\n-A X -d 10.98.0.1/32 -j Y\n-A KUBE -m comment --comment mine\n"
	want := []string{"rule -A X -s 10.99.1.0/24 -j Y"}
	if diff := cmp.Diff(want, ruled(saved, netip.MustParsePrefix("10.99.0.0/16"))); diff != "" {
		t.Errorf("got what differs from want (-want +got):\n%s", diff)
	}
}

func TestTheStateDirectoryIsFound(t *testing.T) {
	s := settings.Settings{Dir: t.TempDir()}
	if got, err := state(s); err != nil || len(got) != 1 {
		t.Errorf("there: got %q, %v, want one", got, err)
	}
	s.Dir = filepath.Join(s.Dir, "none")
	if got, err := state(s); err != nil || len(got) != 0 {
		t.Errorf("not there: got %q, %v, want none", got, err)
	}
}
