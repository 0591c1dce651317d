package apiservertest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ProgramsVariable names a directory with etcd and kube-apiserver, in place of the one that
// hack/kube/build fills.
const ProgramsVariable = "FETTLE_KUBE"

// programs are the paths of what is started.
type programs struct{ etcd, apiServer string }

// findPrograms finds them, or says how to get them.
func findPrograms(getenv func(string) string) (programs, error) {
	dir := getenv(ProgramsVariable)
	if dir == "" {
		var err error
		dir, err = builtPrograms()
		if err != nil {
			return programs{}, err
		}
	}
	found := programs{etcd: filepath.Join(dir, "etcd"), apiServer: filepath.Join(dir, "kube-apiserver")}
	for _, path := range []string{found.etcd, found.apiServer} {
		if _, err := os.Stat(path); err != nil {
			return programs{}, fmt.Errorf("%w; run hack/kube/build (once, about ten minutes), or set %s to a directory that has it",
				err, ProgramsVariable)
		}
	}
	return found, nil
}

// builtPrograms asks hack/kube/build where it puts them.
func builtPrograms() (string, error) {
	root, err := repository()
	if err != nil {
		return "", err
	}
	cmd := exec.Command(filepath.Join(root, "hack", "kube", "build"), "--where")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("hack/kube/build: %w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	return strings.TrimSpace(string(out)), err
}

// repository is the directory of the module that the test belongs to.
func repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		_, err := os.Stat(filepath.Join(dir, "hack", "kube", "build"))
		if err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || parent == dir {
			return "", fmt.Errorf("hack/kube/build: not found in any directory above the test's; set %s", ProgramsVariable)
		}
		dir = parent
	}
}
