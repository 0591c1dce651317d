package persist

import (
	"errors"

	"github.com/fettle-dev/fettle/internal/tree/treemem"
)

// failing makes the disk refuse the changes that yes says, but no removal of a
// temporary: what a broken disk leaves is its own.
func failing(w *world, yes func() bool) {
	w.disk.OnOp(func(op treemem.Op) error {
		if op.Name != treemem.OpRemove && yes() {
			return errors.New("input/output error")
		}
		return nil
	})
}
