package image

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// Loader imports images into a containerd.
type Loader struct {
	Ctr    string // path of ctr
	Socket string // where containerd listens
	Marks  string // directory that remembers which images are there; it lives and dies with containerd's data
}

// Load imports an image unless the same one is there, and says whether it did.
func (l Loader) Load(ctx context.Context, i Image) (loaded bool, err error) {
	key, err := i.Key()
	if err != nil {
		return false, err
	}
	mark := l.mark(i.Ref)
	old, err := os.ReadFile(mark)
	if err == nil && string(old) == key {
		return false, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if err := l.load(ctx, i); err != nil {
		return false, err
	}
	if err := os.MkdirAll(l.Marks, 0o755); err != nil {
		return false, err
	}
	return true, os.WriteFile(mark, []byte(key), 0o644)
}

func (l Loader) mark(ref string) string {
	sum := sha256.Sum256([]byte(ref))
	return filepath.Join(l.Marks, hex.EncodeToString(sum[:8]))
}

// load streams the image: its archive is never a file.
func (l Loader) load(ctx context.Context, i Image) error {
	reader, writer := io.Pipe()
	written := make(chan error, 1)
	go func() {
		err := i.Write(writer)
		writer.CloseWithError(err)
		written <- err
	}()
	cmd := exec.CommandContext(ctx, l.Ctr, "--address="+l.Socket, "--namespace=k8s.io", "images", "import", "-")
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = reader, &out, &out
	err := cmd.Run()
	// An import that ended early has to end the writer, too.
	reader.CloseWithError(io.ErrClosedPipe)
	if err := <-written; err != nil && !errors.Is(err, io.ErrClosedPipe) {
		return err
	}
	if err != nil {
		return fmt.Errorf("image %s: import: %w: %s", i.Ref, err, bytes.TrimSpace(out.Bytes()))
	}
	return nil
}
