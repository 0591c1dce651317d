// Package apiservertest gives tests a real Kubernetes API server: etcd and kube-apiserver of
// the build in hack/kube, on ports and in a directory of their own, with the definitions of
// config/crd installed. Nothing is faked: schemas, defaults, CEL, server-side apply, admission
// and RBAC are what a cluster has.
//
// There is no node and no controller of Kubernetes' own: nothing runs Pods, collects garbage
// or makes ServiceAccounts. hack/cluster has all of that.
//
// It refuses to build what it runs, for that takes minutes: a test without it fails and says
// what to do. What it starts ends with the test, and with the test's process however that
// ends.
package apiservertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// Start starts an API server that ends with the test, and returns how an administrator
// reaches it.
func Start(t testing.TB) *rest.Config {
	t.Helper()
	server, err := start(t.Context(), t.TempDir())
	if err != nil {
		t.Fatalf("API server: %v", err)
	}
	t.Cleanup(server.stop)
	return server.config
}

// Run starts an API server for all tests of a package, tells use how to reach it, runs the
// tests and returns their exit code. It is for TestMain.
func Run(m *testing.M, use func(*rest.Config)) (code int) {
	dir, err := os.MkdirTemp("", "apiservertest")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(dir)
	server, err := start(context.Background(), dir)
	if err != nil {
		return failed(err)
	}
	defer server.stop()
	use(server.config)
	return m.Run()
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, "API server:", err)
	return 1
}

// patience is how long a start may take on a busy machine; a quiet one takes four seconds.
const patience = 2 * time.Minute

// attempts is how often a start is tried: ports are free when they are chosen, but another
// process may be quicker.
const attempts = 3

func start(ctx context.Context, dir string) (*server, error) {
	programs, err := findPrograms(os.Getenv)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for attempt := 1; ; attempt++ {
		s, err := startOnce(ctx, programs, dir)
		if !errors.Is(err, errPortTaken) || attempt == attempts {
			return s, err
		}
	}
}
