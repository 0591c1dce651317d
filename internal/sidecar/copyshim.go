package sidecar

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// shimName is the program that lies beside fettle in the image.
const shimName = "fettle-shim"

// CopyShim puts the shim that lies beside executable into dir, whole or not at all: the
// kubelet may start the other container at any moment, and may end this one.
func CopyShim(executable, dir string) error {
	from, err := os.Open(filepath.Join(filepath.Dir(executable), shimName))
	if err != nil {
		return fmt.Errorf("copy the shim: %w", err)
	}
	defer from.Close()
	to, err := os.CreateTemp(dir, "."+shimName+"-")
	if err != nil {
		return fmt.Errorf("copy the shim: %w", err)
	}
	_, err = io.Copy(to, from)
	if err == nil {
		err = to.Chmod(0o755)
	}
	if err == nil {
		err = to.Sync()
	}
	err = errors.Join(err, to.Close())
	if err == nil {
		err = os.Rename(to.Name(), filepath.Join(dir, shimName))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("copy the shim: %w", err), os.Remove(to.Name()))
	}
	return nil
}
