package sidecar

import (
	"context"
	"time"

	"github.com/fettle-dev/fettle/internal/gate"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/runtime"
)

// watch remembers the invocation that was accounted for while this process was at work:
// there is at most one.
type watch struct {
	runtime.Silent
	now    func() time.Time
	open   *runtime.OpenInvocation // what recovery found open
	record *report.Invocation
	ended  time.Time
}

// InvocationEnded implements runtime.Observer.
func (w *watch) InvocationEnded(in report.Invocation) { w.record, w.ended = &in, w.now() }

// gatekeeper answers for a gate that nobody is asked about while the Pod runs. On a copy
// it approves: nothing of that is published.
type gatekeeper struct {
	approves bool
	payload  *gate.Payload // that was shown last
}

// Decide implements runtime.Gate.
func (g *gatekeeper) Decide(_ context.Context, payload gate.Payload, digest string) ([]gate.Decision, error) {
	g.payload = &payload
	if g.approves {
		return []gate.Decision{{Digest: digest, Approved: true, By: "mode Check"}}, nil
	}
	return nil, nil
}
