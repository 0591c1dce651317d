// Package sidecar is the driver in a Pod: each Pod of a run has one, which takes the run on
// from where the state says that it stands, serves the one invocation that the Pod is for,
// and says where it stands then (architecture: "How a run executes in a cluster";
// docs/design/2026-12-01-pods.md).
//
// It may be killed at any moment; the next Pod's goes on. It refuses to say more of a run
// than it has read from the disk: where it can't do its work it ends with ExitStuck, and
// the state is as it was. It starts no tool: the shim in the other container does. It
// knows Kubernetes by package status only, and never touches a tree but through the
// runtime and, before that has begun, to bring in the source.
package sidecar

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/fettle-dev/fettle/internal/outcome"
	"github.com/fettle-dev/fettle/internal/report"
)

// Exit codes, the sidecar's verdict.
const (
	ExitOK     = 0 // the run stands at the next invocation or a gate, asks for a redo, or has ended well
	ExitFailed = 1 // the run has ended and failed, with its accounting written
	ExitStuck  = 2 // the sidecar couldn't do its work; the state says how far it came
)

// Options say for which Pod of which run a sidecar is.
type Options struct {
	Namespace string
	Run       string // its name
	Entry     string // see package outcome
	Attempt   int    // of the entry, from 1
	Tree      string // where the tree is; "" is Layout's
	Layout    Layout
	Host      string // of the API server
	Port      string
	Path      string // PATH, for git

	ReportLimit int           // bytes of the report's data; 0 is DefaultReportLimit
	Patience    time.Duration // with an API server that is away; 0 is DefaultPatience
	AttachTime  time.Duration // for the shim to come; 0 is DefaultAttachTime
	Settle      time.Duration // after a fixer that died, for the rest of it to die; 0 is DefaultSettle

	Log    io.Writer // words for people
	Now    func() time.Time
	Random io.Reader
}

// What Options say where they don't.
const (
	DefaultReportLimit = 64 << 10
	DefaultPatience    = 2 * time.Minute
	DefaultAttachTime  = 15 * time.Minute
	DefaultSettle      = 2 * time.Second
)

// Run does the work of one sidecar and returns its exit code. The end of ctx asks it to
// stop, as SIGTERM does: it ends the tool, leaves the run where it is, and returns
// ExitStuck, unless the run has come to where it would have stopped anyway.
func Run(ctx context.Context, o Options) int {
	o.fill()
	if o.Entry == outcome.Folders {
		return o.ended(o.makeFolders())
	}
	s := &session{Options: o, stop: ctx.Done()}
	defer s.close()
	code, err := s.work(ctx)
	if err != nil {
		return o.ended(err)
	}
	return code
}

func (o *Options) fill() {
	def := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	def(&o.Patience, DefaultPatience)
	def(&o.AttachTime, DefaultAttachTime)
	def(&o.Settle, DefaultSettle)
	if o.ReportLimit == 0 {
		o.ReportLimit = DefaultReportLimit
	}
	if o.Tree == "" {
		o.Tree = o.Layout.tree()
	}
}

// ended is the exit code of a sidecar that has nothing to tell but an error. The error is
// its last words: they are no outcome, and say so by that.
func (o *Options) ended(err error) int {
	if err == nil {
		return ExitOK
	}
	fmt.Fprintln(o.Log, "fettle sidecar:", report.Printable(err.Error()))
	o.lastWords([]byte(outcome.Cut(report.Printable(err.Error()), outcome.MaxBytes)))
	return ExitStuck
}

// lastWords are what the kubelet keeps of a container. Where there is no such file nobody
// will ask for them.
func (o *Options) lastWords(text []byte) {
	if err := os.WriteFile(o.Layout.Termination, text, 0o600); err != nil {
		fmt.Fprintln(o.Log, "fettle sidecar: last words:", err)
	}
}
