// Package leak says what of a test cluster is visible on the host: processes, cgroups,
// mounts, the link, routes, packet filter rules and the state directory. After the cluster
// has been taken down there is nothing.
//
// It only looks.
package leak

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/fettle-dev/fettle/hack/cluster/node"
	"github.com/fettle-dev/fettle/hack/cluster/settings"
)

// Find returns one line for each thing.
func Find(s settings.Settings) ([]string, error) {
	var found []string
	for _, look := range []func(settings.Settings) ([]string, error){processes, cgroups, mounts, link, routes, rules, state} {
		things, err := look(s)
		if err != nil {
			return nil, err
		}
		found = append(found, things...)
	}
	return found, nil
}

// processes finds those in the cluster's cgroups, or with its state directory in their
// command line, but for this one.
func processes(s settings.Settings) ([]string, error) {
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, err
	}
	var found []string
	for _, dir := range dirs {
		pid := filepath.Base(dir)
		if pid == fmt.Sprint(os.Getpid()) {
			continue
		}
		// A process may end while it is looked at: then it is no leak.
		groups, _ := os.ReadFile(filepath.Join(dir, "cgroup"))
		command, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		if inGroup(string(groups), s.Cgroup()) || bytes.Contains(command, []byte(s.Dir+"/")) {
			name, _, _ := bytes.Cut(command, []byte{0})
			found = append(found, fmt.Sprintf("process %s (%s)", pid, name))
		}
	}
	return found, nil
}

// inGroup reads lines such as 4:memory:/group/below.
func inGroup(groups, name string) bool {
	for _, line := range strings.Split(groups, "\n") {
		fields := strings.SplitN(line, ":", 3)
		if len(fields) == 3 && (fields[2] == "/"+name || strings.HasPrefix(fields[2], "/"+name+"/")) {
			return true
		}
	}
	return false
}

func cgroups(s settings.Settings) ([]string, error) {
	groups, err := node.Hierarchies("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	var found []string
	for _, dir := range groups.Dirs(s.Cgroup()) {
		found = append(found, "cgroup "+dir)
	}
	return found, nil
}

func mounts(s settings.Settings) ([]string, error) {
	data, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	return mentioned("mount", string(data), s.Dir), nil
}

// mentioned returns the lines that name a directory or what is below it.
func mentioned(kind, text, dir string) []string {
	var found []string
	for _, line := range strings.Split(text, "\n") {
		if strings.Contains(line+" ", dir+" ") || strings.Contains(line, dir+"/") {
			found = append(found, kind+" "+line)
		}
	}
	return found
}

func link(s settings.Settings) ([]string, error) {
	if node.LinkExists(s) {
		return []string{"link " + s.Link()}, nil
	}
	return nil, nil
}

func routes(s settings.Settings) ([]string, error) {
	all, err := node.Routes()
	if err != nil {
		return nil, err
	}
	var found []string
	for _, r := range all {
		if r.Device != s.Link() {
			continue
		}
		found = append(found, "route "+r.Destination+" over "+r.Device)
	}
	return found, nil
}

// rules finds packet filter rules of the host with an address of the cluster.
func rules(s settings.Settings) ([]string, error) {
	out, err := exec.Command("iptables-save").Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, nil // without the program nothing can have been made
	}
	if err != nil {
		return nil, fmt.Errorf("iptables-save: %w", err)
	}
	return ruled(string(out), s.Network), nil
}

func ruled(saved string, network netip.Prefix) []string {
	var found []string
	for _, line := range strings.Split(saved, "\n") {
		for _, word := range strings.Fields(line) {
			address, _, _ := strings.Cut(word, "/")
			if a, err := netip.ParseAddr(address); err == nil && network.Contains(a) {
				found = append(found, "rule "+line)
				break
			}
		}
	}
	return found
}

func state(s settings.Settings) ([]string, error) {
	if _, err := os.Lstat(s.Dir); err == nil {
		return []string{"directory " + s.Dir}, nil
	}
	return nil, nil
}
