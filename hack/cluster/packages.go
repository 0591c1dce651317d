package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// requirement is a program or file that the cluster needs, and the Debian package that has it.
type requirement struct{ name, pack string }

func needed() []requirement {
	return []requirement{
		{"containerd", "containerd"},
		{"ctr", "containerd"},
		{"runc", "runc"},
		{"/usr/lib/cni/bridge", "containernetworking-plugins"},
		{"iptables", "iptables"},
		{"conntrack", "conntrack"},
		{"ip", "iproute2"},
		{"nsenter", "util-linux"},
		{"git", "git"},
		{"ssh", "openssh-client"},
		{"/etc/ssl/certs/ca-certificates.crt", "ca-certificates"},
	}
}

// missing returns the packages of the programs that aren't there.
func missing(programs []requirement) []string {
	var packages []string
	for _, p := range programs {
		if !present(p.name) {
			packages = append(packages, p.pack)
		}
	}
	return packages
}

func present(name string) bool {
	if filepath.IsAbs(name) {
		_, err := os.Stat(name)
		return err == nil
	}
	_, err := exec.LookPath(name)
	return err == nil
}

// install installs what is missing, where there is apt-get.
func install(ctx context.Context, packages []string) error {
	if len(packages) == 0 {
		return nil
	}
	if !present("apt-get") {
		return fmt.Errorf("missing %v, and there is no apt-get: install them by hand", packages)
	}
	fmt.Println("installing", packages)
	for _, arguments := range [][]string{
		{"update", "-qq"},
		append([]string{"install", "-qq", "-y", "--no-install-recommends"}, packages...),
	} {
		cmd := exec.CommandContext(ctx, "apt-get", arguments...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("apt-get %v: %w\n%s", arguments, err, out)
		}
	}
	if still := missing(needed()); len(still) > 0 {
		return errors.New("apt-get has installed the packages, but these are still missing: " + fmt.Sprint(still))
	}
	return nil
}
