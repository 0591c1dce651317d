package shim

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/fettle-dev/fettle/internal/shim/shimtest"
	"github.com/fettle-dev/fettle/internal/shim/wire"
)

// someUser is one that no system knows: a Pod's identity may be any number.
const someUser = 3912345

// TestTheShimWorksAsAnyUser runs as whoever runs the tests where that isn't root.
func TestTheShimWorksAsAnyUser(t *testing.T) {
	// Not t.TempDir, whose cleaning wouldn't mind what the shim has left.
	dir, err := os.MkdirTemp("", "shim-user-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	uid := os.Getuid()
	if uid == 0 {
		uid = someUser
		if err := os.Chown(dir, uid, uid); err != nil {
			t.Fatal(err)
		}
	}
	self := filepath.Join(dir, "shim")
	copyFile(t, "/proc/self/exe", self)
	tree := filepath.Join(dir, "tree")
	if err := os.Mkdir(tree, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(tree, uid, -1); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "socket")
	ln, stream := listenOnce(t, socket)
	defer ln.Close()
	if err := os.Chmod(socket, 0o777); err != nil {
		t.Fatal(err)
	}

	cmd := command("--socket", socket)
	cmd.Path = self
	if uid != os.Getuid() {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(context.Background(), shimtest.Timeout)
	defer stop()
	asker, _, err := wire.Attach(ctx, <-stream)
	if err != nil {
		t.Fatal(err)
	}
	defer asker.Close()
	req := request(t, sh(`id -u; cd "$HOME" && mkdir -p a/b && touch a/b/c && chmod 555 a/b && mkdir z && touch z/f && chmod 000 z && chmod 500 .; (setsid sleep 1000 &) ; touch "$OLDPWD/made"`)...)
	req.Dir, req.Home, req.Tmp, req.Cache = tree, filepath.Join(dir, "home"), filepath.Join(dir, "tmp"), filepath.Join(dir, "cache")
	r, err := asker.Ask(ctx, req, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the shim ended with %v", err)
	}
	if r.ExitCode != 0 || r.Unemptied != "" || r.Leftovers != 1 || r.Failure != nil {
		t.Fatalf("result = %+v, want a clean end, all emptied, one leftover", r)
	}
	if _, err := os.Lstat(req.Home); !os.IsNotExist(err) {
		t.Errorf("HOME is still there: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(tree, "made")); err != nil || strings.TrimSpace(string(r.Batches[0].Stdout.Head)) == "0" && uid != 0 {
		t.Errorf("the tool ran as %q and made %v", r.Batches[0].Stdout.Head, err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
