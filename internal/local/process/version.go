package process

import (
	"context"
	"sync"
	"time"

	"github.com/fettle-dev/fettle/internal/driver"
	"github.com/fettle-dev/fettle/internal/shim/wire"
)

// versionDeadline is how long a version command may take.
const versionDeadline = 30 * time.Second

// Version returns the first line that an engine's version command prints, trimmed, at
// most 200 bytes; "" without command, or if it fails. It asks once per engine and
// remembers the answer; it never fails (runtime spec §18).
func (d *Driver) Version(ctx context.Context, engine string, command []string) string {
	d.mu.Lock()
	ask, ok := d.versions[engine]
	if !ok {
		ask = sync.OnceValue(func() string { return d.version(ctx, engine, command) })
		d.versions[engine] = ask
	}
	d.mu.Unlock()
	return ask()
}

func (d *Driver) version(ctx context.Context, engine string, command []string) string {
	if len(command) == 0 {
		return ""
	}
	result, err := d.Run(ctx, driver.Request{
		Engine:   engine,
		Command:  command,
		Passing:  wire.Passing{As: wire.None},
		Deadline: versionDeadline,
		Limits:   wire.Limits{Stdout: 4 << 10},
	})
	if err != nil || len(result.Outputs) == 0 {
		return ""
	}
	return driver.VersionIn(result.Outputs[0].Stdout.Head)
}
