package strictfs

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// ExchangeWith swaps path, which exists, and a name of another tree, which exists, too.
// Trees of two file systems answer unix.EXDEV; it is Exchange otherwise.
func (r *Root) ExchangeWith(path string, other *Root, with string) error {
	if err := r.renameTo(path, other, with, unix.RENAME_EXCHANGE); err != nil {
		return fmt.Errorf("exchange %q and %q: %w", path, with, err)
	}
	return nil
}

// RenameTo moves path to a name of another tree, which must be absent, as Rename does
// within one. Trees of two file systems answer unix.EXDEV.
func (r *Root) RenameTo(path string, other *Root, to string) error {
	if err := r.renameTo(path, other, to, unix.RENAME_NOREPLACE); err != nil {
		return fmt.Errorf("rename %q to %q: %w", path, to, err)
	}
	return nil
}

// ReplaceIn moves path over a name of another tree, whatever stands there but a
// directory: for file systems without the flags that the others need.
func (r *Root) ReplaceIn(path string, other *Root, to string) error {
	if err := r.renameTo(path, other, to, 0); err != nil {
		return fmt.Errorf("rename %q to %q: %w", path, to, err)
	}
	return nil
}
