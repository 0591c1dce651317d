package shim

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/shim/shimtest"
	"github.com/fettle-dev/fettle/internal/shim/wire"
)

func TestARequestThatIsWrongIsRefusedByTheShimToo(t *testing.T) {
	s := attach(t)
	// The asker would refuse it; another one might not.
	r := request(t, "/bin/true")
	r.Home = "/"
	result := run(&r, nil, nil, nil)
	if result.Failure == nil || result.Failure.Cause != wire.BadRequest {
		t.Errorf("result = %+v, want BadRequest", result)
	}
	s.asker.Close()
	if err := s.cmd.Wait(); err == nil {
		t.Errorf("the shim ended with 0 though nobody asked it anything")
	}
}

func TestInAPodTheShimAttachesToASocketWithItsOwnCommand(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "shim.sock")
	ln, stream := listenOnce(t, socket)
	cmd := command("--socket", socket, "--", "/bin/sh", "-c", "echo hello")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	ctx, stop := context.WithTimeout(context.Background(), shimtest.Timeout)
	defer stop()
	asker, hello, err := wire.Attach(ctx, <-stream)
	if err != nil {
		t.Fatal(err)
	}
	defer asker.Close()
	if diff := cmp.Diff([]string{"/bin/sh", "-c", "echo hello"}, hello.Command); diff != "" {
		t.Errorf("command (-want +got):\n%s", diff)
	}
	r, err := asker.Ask(ctx, request(t), nil)
	if err != nil || string(r.Batches[0].Stdout.Head) != "hello\n" {
		t.Errorf("result = %+v, %v, want hello", r, err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the shim ended with %v", err)
	}
}

func TestAFileInPlaceOfTheSocketSaysThatThereIsNothingToRun(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "shim.sock")
	if err := os.WriteFile(socket, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	if code := Main([]string{"--unguarded", "--socket", socket}, &stderr); code != ExitOK || !strings.Contains(stderr.String(), "nothing to run") {
		t.Errorf("Main = %d, %q, want %d and a word", code, stderr.String(), ExitOK)
	}
}

func TestWithWrongFlagsTheShimSaysHowItIsUsed(t *testing.T) {
	for _, args := range [][]string{{"--fd", "1"}, {"--fd", "3", "--socket", "x"}, {"--what"}} {
		var stderr strings.Builder
		if code := Main(args, &stderr); code != ExitUsage || stderr.Len() == 0 {
			t.Errorf("Main(%v) = %d, %q, want %d and a word", args, code, stderr.String(), ExitUsage)
		}
	}
	var stderr strings.Builder
	if code := Main([]string{"--unguarded", "--socket", filepath.Join(t.TempDir(), "none"), "--wait", "0s"}, &stderr); code != ExitBroken || !strings.Contains(stderr.String(), "attach to") {
		t.Errorf("Main = %d, %q, want %d: no socket", code, stderr.String(), ExitBroken)
	}
}
