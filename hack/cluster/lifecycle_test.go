//go:build cluster

package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/hack/cluster/settings"
)

// other is a second cluster: its life must not be noticed by one that is up already.
var other = settings.Settings{Name: "life"}

// program runs bin/cluster on the other cluster.
func program(t *testing.T, arguments ...string) string {
	t.Helper()
	out, err := attempt(t, arguments...)
	if err != nil {
		t.Fatalf("cluster %q: %v\n%s", arguments, err, out)
	}
	return out
}

func attempt(t *testing.T, arguments ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(filepath.Join(repository(t), "bin", "cluster"), arguments...)
	cmd.Env = append(os.Environ(), other.Env()...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func repository(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// upArguments are those of the Makefile.
func upArguments(t *testing.T) []string {
	t.Helper()
	root := repository(t)
	output := func(name string, arguments ...string) string {
		out, err := exec.Command(name, arguments...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	return []string{"up",
		"-kube", output(filepath.Join(root, "hack", "kube", "build")),
		"-bin", filepath.Join(root, "bin"),
		"-node-modules", filepath.Join(root, "hack", "npm", "node_modules"),
		"-gofmt", filepath.Join(output("go", "env", "GOROOT"), "bin", "gofmt"),
	}
}

func TestAClusterComesUpFromNothingAndGoesWithoutATrace(t *testing.T) {
	var err error
	other, err = settings.FromEnv(func(variable string) string {
		return map[string]string{
			settings.NameVariable:    "life",
			settings.NetworkVariable: "10.98.0.0/16",
			settings.DirVariable:     filepath.Join(settings.Base, "life"),
		}[variable]
	})
	if err != nil {
		t.Fatal(err)
	}
	program(t, "down")
	before := surroundings(t)
	t.Cleanup(func() { program(t, "down") })

	began := time.Now()
	t.Logf("up from nothing:\n%s", program(t, upArguments(t)...))
	t.Logf("%.1f s", time.Since(began).Seconds())
	first := processes(t)

	t.Run("a second up starts nothing and is quick", func(t *testing.T) {
		began := time.Now()
		program(t, upArguments(t)...)
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("got %v, want at most 5 s", took)
		}
		if diff := cmp.Diff(first, processes(t)); diff != "" {
			t.Errorf("got other processes (-before +after):\n%s", diff)
		}
	})
	t.Run("a daemon stops and starts again", func(t *testing.T) {
		program(t, "stop", "-kill", "kube-apiserver")
		if got := processes(t); !slices.Contains(got, "kube-apiserver ended: signal killed") {
			t.Errorf("got %q, want the API server killed", got)
		}
		program(t, "start", "kube-apiserver")
		if got := processes(t); slices.Contains(got, "kube-apiserver ended: signal killed") {
			t.Errorf("got %q, want the API server running", got)
		}
		program(t, "stop", "kubelet")
		program(t, upArguments(t)...)
	})
	t.Run("nothing in the node can leave the machine", func(t *testing.T) {
		if got := program(t, "exec", "ip", "route", "show", "default"); got != "" {
			t.Errorf("got default route %q, want none", got)
		}
	})
	t.Run("leaks lists what is there", func(t *testing.T) {
		out, err := attempt(t, "leaks")
		if err == nil {
			t.Error("got nothing, want what runs")
		}
		for _, want := range []string{"process", "cgroup", "link fc-life", "route 10.98.0.0/16", "directory"} {
			if !strings.Contains(out, want) {
				t.Errorf("got %q, want %q in it", out, want)
			}
		}
	})

	program(t, "down")
	program(t, "leaks")
	program(t, "down")
	if diff := cmp.Diff(before, surroundings(t)); diff != "" {
		t.Errorf("the machine has changed (-before +after):\n%s", diff)
	}
}

func processes(t *testing.T) []string {
	t.Helper()
	var lines []string
	for _, line := range strings.Split(program(t, "daemons"), "\n") {
		if line != "" && !strings.HasPrefix(line, " ") {
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
	}
	return lines
}

var counter = regexp.MustCompile(`\[\d+:\d+\]|# .*`)

// surroundings is what of the machine a node could have changed: directories where daemons
// like to put things, sysctls that they like to set, packet filter rules and mounts.
func surroundings(t *testing.T) map[string]string {
	t.Helper()
	facts := map[string]string{}
	for _, top := range []string{"/etc/cni", "/run", "/var/lib", "/var/log"} {
		depth := strings.Count(top, "/") + 2
		err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) || path == settings.Base {
				return nil
			}
			if err != nil {
				return err
			}
			if strings.Count(path, "/") >= depth {
				return fs.SkipDir
			}
			if entry.IsDir() {
				facts[path] = "directory"
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, sysctl := range []string{
		"kernel/panic", "kernel/panic_on_oops", "kernel/keys/root_maxkeys", "vm/overcommit_memory", "vm/panic_on_oom",
		"net/ipv4/ip_forward", "net/netfilter/nf_conntrack_max",
	} {
		value, err := os.ReadFile(filepath.Join("/proc/sys", sysctl))
		if err != nil {
			value = []byte(err.Error())
		}
		facts[sysctl] = string(value)
	}
	rules, err := exec.Command("iptables-save").Output()
	if err != nil {
		t.Fatal(err)
	}
	facts["iptables"] = counter.ReplaceAllString(string(rules), "")
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	facts["mounts"] = string(mounts)
	return facts
}
