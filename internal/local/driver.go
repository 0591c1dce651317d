package local

import (
	"context"
	"slices"

	"github.com/fettle-dev/fettle/internal/diagnostic/adapter"
	"github.com/fettle-dev/fettle/internal/driver"
	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/local/process"
	"github.com/fettle-dev/fettle/internal/runtime"
)

// Driver runs the tools of a run as processes on this machine. It confines none yet, and
// says so: Declared.
type Driver struct {
	// Place says how tools are run; its Reopen is for the user of the driver to set.
	driver.Place

	process *process.Driver
}

var _ runtime.Driver = (*Driver)(nil)

// NewDriver returns a driver over processes. roots are the absolute paths that the root
// goes by: as it was given, and without links.
func NewDriver(p *process.Driver, roots ...string) *Driver {
	return &Driver{Place: driver.Place{Run: p.Run, Roots: slices.Compact(roots)}, process: p}
}

// Version implements runtime.Driver.
func (d *Driver) Version(ctx context.Context, e engine.Engine) string {
	return d.process.Version(ctx, e.ID, e.VersionCommand)
}

// Look says what is wrong with the tool of an invocation as far as that can be told
// without running it: it isn't installed, or its output can't be read.
func (d *Driver) Look(engineID string, x engine.Exec) error {
	if _, err := adapter.New(x.Diagnostics); err != nil {
		return fault.OfEngine(err, engineID)
	}
	_, err := d.process.Look(engineID, x.Command)
	return err
}
