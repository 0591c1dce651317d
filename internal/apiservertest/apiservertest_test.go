package apiservertest

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
)

// shared is the server of all tests of this package.
var shared *rest.Config

// helperVariable makes the test binary a process that launches a program and waits to be
// killed.
const helperVariable = "APISERVERTEST_HELPER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(helperVariable); dir != "" {
		launchAndWait(dir)
	}
	os.Exit(Run(m, func(config *rest.Config) { shared = config }))
}

func launchAndWait(dir string) {
	p, err := launch(dir, "/bin/sleep", "600")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(p.cmd.Process.Pid)
	<-p.ended
	os.Exit(0)
}

// client returns one of the shared server, which has the namespace that examples name.
func client(t *testing.T) *rest.RESTClient {
	t.Helper()
	c, err := newClient(shared)
	if err != nil {
		t.Fatal(err)
	}
	namespace := `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a"}}`
	err = c.Post().AbsPath("/api/v1/namespaces").SetHeader("Content-Type", "application/json").Body([]byte(namespace)).Do(t.Context()).Error()
	if err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	return c
}

func TestEachServerHasItsOwnObjects(t *testing.T) {
	other, err := newClient(Start(t))
	if err != nil {
		t.Fatal(err)
	}
	const namespace = "/api/v1/namespaces/team-a"
	if err := client(t).Get().AbsPath(namespace).Do(t.Context()).Error(); err != nil {
		t.Errorf("shared server: got %v, want the namespace", err)
	}
	if err := other.Get().AbsPath(namespace).Do(t.Context()).Error(); !apierrors.IsNotFound(err) {
		t.Errorf("other server: got %v, want not found", err)
	}
}

func TestNobodyGetsInWithoutTheToken(t *testing.T) {
	config := rest.CopyConfig(shared)
	config.BearerToken = "wrong"
	c, err := newClient(config)
	if err != nil {
		t.Fatal(err)
	}
	err = c.Get().AbsPath("/api/v1/namespaces").Do(t.Context()).Error()
	if !apierrors.IsUnauthorized(err) {
		t.Errorf("got %v, want unauthorized", err)
	}
}

func TestMissingProgramsAreAnErrorThatSaysWhatToDo(t *testing.T) {
	_, err := findPrograms(func(string) string { return t.TempDir() })
	if err == nil {
		t.Fatal("got nil, want an error")
	}
	for _, want := range []string{"hack/kube/build", ProgramsVariable} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %q, want %q in it", err, want)
		}
	}
}

func TestAProgramThatEndsSaysWhy(t *testing.T) {
	p, err := launch(t.TempDir(), "/bin/sh", "-c", "echo no such flag >&2; exit 3")
	if err != nil {
		t.Fatal(err)
	}
	<-p.ended
	err = p.death()
	if err == nil || !strings.Contains(err.Error(), "no such flag") || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("got %v, want its words and its exit status", err)
	}
	p.kill()
}

func TestAProgramEndsWithTheProcessThatLaunchedIt(t *testing.T) {
	helper := exec.Command(os.Args[0])
	helper.Env = append(os.Environ(), helperVariable+"="+t.TempDir())
	out, err := helper.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := helper.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 32)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(line[:n])))
	if err != nil {
		t.Fatal(err)
	}
	if err := helper.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = helper.Wait() // it was killed
	for deadline := time.Now().Add(20 * time.Second); running(pid); {
		if time.Now().After(deadline) {
			t.Fatalf("process %d lives on", pid)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// running says whether a process is there and no zombie, which somebody else has to reap.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}
