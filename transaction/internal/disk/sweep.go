package disk

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/fettle-dev/fettle/transaction/internal/owner"
)

// Sweep removes the temp files of dead owners but the newest keep of them (§ 14.5).
// named are the owners of other hosts that the caller knows to be dead. It touches
// nothing whose name isn't that of a temp file.
func (d *Disk) Sweep(proc owner.Proc, named []string, keep int) error {
	entries, err := os.ReadDir(d.tempDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	type file struct {
		name string
		mod  int64
	}
	var dead []file
	for _, e := range entries {
		gone, err := proc.IsTempOfDead(e.Name(), d.owner, named)
		if err != nil || !gone {
			continue
		}
		if info, err := e.Info(); err == nil {
			dead = append(dead, file{e.Name(), info.ModTime().UnixNano()})
		}
	}
	slices.SortFunc(dead, func(a, b file) int { return cmp.Or(cmp.Compare(b.mod, a.mod), cmp.Compare(a.name, b.name)) })
	var errs []error
	for _, f := range dead[min(keep, len(dead)):] {
		if err := os.RemoveAll(filepath.Join(d.tempDir, f.name)); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
