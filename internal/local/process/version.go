package process

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/fettle-dev/fettle/internal/shim/wire"
)

const (
	versionBytes    = 200 // runtime spec §18
	versionDeadline = 30 * time.Second
)

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
	result, err := d.Run(ctx, Request{
		Engine:   engine,
		Command:  command,
		Passing:  wire.Passing{As: wire.None},
		Deadline: versionDeadline,
		Limits:   wire.Limits{Stdout: 4 << 10},
	})
	if err != nil || len(result.Outputs) == 0 {
		return ""
	}
	return firstLine(result.Outputs[0].Stdout.Head)
}

// firstLine returns the first line of text, trimmed, as valid UTF-8 of bounded length.
func firstLine(text []byte) string {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	s := strings.TrimSpace(strings.ToValidUTF8(string(line), "\uFFFD"))
	if len(s) <= versionBytes {
		return s
	}
	end := versionBytes
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return strings.TrimSpace(s[:end])
}
