package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/fettle-dev/fettle/controllers"
)

const kubeconfig = `
apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {token: t}}]
`

// run runs the program with flags, and returns what the controllers would be run with.
func run(t *testing.T, image string, args ...string) (got controllers.Options, err error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(file, []byte(kubeconfig), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := command(io.Discard, func(string) string { return image }, func(_ context.Context, o controllers.Options) error {
		got = o
		return nil
	})
	cmd.SetOut(io.Discard)
	cmd.SetErr(io.Discard)
	cmd.SetArgs(append([]string{"--kubeconfig", file}, args...))
	err = cmd.ExecuteContext(t.Context())
	return got, err
}

func TestFlagsBecomeOptions(t *testing.T) {
	got, err := run(t, "", "--image", "registry.example.com/fettle:1", "--image-pull-policy", "Never", "--identity", "1000650000:0",
		"--namespaces", "a,b", "--workers", "9", "--lease-duration", "30s", "--leader-election=false")
	if err != nil {
		t.Fatal(err)
	}
	if got.Config == nil || got.Config.Host != "https://127.0.0.1:1" || got.Image != "registry.example.com/fettle:1" || got.PullPolicy != "Never" ||
		got.Identity != "1000650000:0" || strings.Join(got.Namespaces, " ") != "a b" || got.Workers != 9 || got.LeaseDuration != 30*time.Second || got.LeaderElection {
		t.Errorf("got %+v", got)
	}
}

func TestTheImageMayComeFromTheEnvironment(t *testing.T) {
	if got, err := run(t, "registry.example.com/fettle:env"); err != nil || got.Image != "registry.example.com/fettle:env" {
		t.Errorf("got %q, %v", got.Image, err)
	}
	if _, err := run(t, ""); err == nil || !strings.Contains(err.Error(), "--image") {
		t.Errorf("without any image: got %v", err)
	}
}

func TestBadFlagsAreRefused(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--identity", "0:0"}, "USER isn't 0"},
		{[]string{"--identity", "root"}, "USER:GROUP"},
		{[]string{"--image-pull-policy", "Sometimes"}, "IfNotPresent"},
		{[]string{"--workers", "0"}, "1 to 256"},
		{[]string{"--kubeconfig", "/nonexistent"}, "reach the cluster"},
		{[]string{"more"}, "unknown command"},
		{[]string{"--unknown"}, "unknown flag"},
	} {
		if _, err := run(t, "registry.example.com/fettle:1", tt.args...); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: got %v, want %q", tt.args, err, tt.want)
		}
	}
}

func TestThePageHasEveryFlagAndItsDefault(t *testing.T) {
	page, err := os.ReadFile("../../docs/controller.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(page)) {
		if cells := strings.Split(line, "|"); len(cells) > 3 && strings.HasPrefix(cells[1], " `--") {
			rows[strings.Trim(cells[1], " `-")] = strings.Trim(cells[2], " `")
		}
	}
	s := settings{Options: controllers.Defaults()}
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	s.add(flags)
	flags.VisitAll(func(f *pflag.Flag) {
		def, ok := rows[f.Name]
		if want := strings.Trim(f.DefValue, "[]"); !ok || def != want {
			t.Errorf("--%s: the page says the default is %q (there: %v), want %q", f.Name, def, ok, want)
		}
		delete(rows, f.Name)
	})
	for name := range rows {
		t.Errorf("the page has --%s, and there is no such flag", name)
	}
}
