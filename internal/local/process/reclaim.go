package process

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/fettle-dev/fettle/internal/shim/procs"
	"github.com/fettle-dev/fettle/internal/shim/scratch"
	"github.com/fettle-dev/fettle/internal/shim/wire"
)

// Reclaim ends what an earlier process left behind under this state directory: tools that
// outlived fettle, shim and guard together, and private folders. It is to be called
// before recovery looks at the tree, by the holder of the state directory's lock, so that
// nothing it finds belongs to a living run. It returns how many processes it killed; an
// error means that one may still write.
func (d *Driver) Reclaim(ctx context.Context) (int, error) {
	below := d.folder + string(filepath.Separator)
	killed, err := procs.KillMarked(ctx, wire.MarkerEnv, func(value string) bool { return strings.HasPrefix(value, below) })
	if err != nil {
		return killed, fmt.Errorf("end tools of an earlier run: %w", err)
	}
	folders, err := os.ReadDir(d.folder)
	if err != nil {
		return killed, fmt.Errorf("clear folders of an earlier run: %w", err)
	}
	for _, f := range folders {
		if err := scratch.Remove(filepath.Join(d.folder, f.Name())); err != nil {
			return killed, fmt.Errorf("clear folders of an earlier run: %w", err)
		}
	}
	return killed, nil
}
