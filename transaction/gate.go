package transaction

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrToolsBlocked is what AwaitTools's errors unwrap to.
var ErrToolsBlocked = errors.New("tools are blocked")

// gates are the settlements that tools and the model wait for (§ 23.4), by session and
// message.
type gates struct {
	mu sync.Mutex
	of map[string]map[string]*gate
}

// gate is one settlement. done is closed when it has ended.
type gate struct {
	agent  string
	done   chan struct{}
	report *Report
	err    error
}

// open returns the gate of a message, which is new if there was none.
func (g *gates) open(m Message) (opened *gate, fresh bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.of == nil {
		g.of = map[string]map[string]*gate{}
	}
	if g.of[m.Session.ID] == nil {
		g.of[m.Session.ID] = map[string]*gate{}
	}
	if old, ok := g.of[m.Session.ID][m.ID]; ok {
		return old, false
	}
	opened = &gate{agent: m.Agent, done: make(chan struct{})}
	g.of[m.Session.ID][m.ID] = opened
	return opened, true
}

func (g *gates) get(session, message string) *gate {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.of[session][message]
}

func (g *gates) all(session string) []*gate {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := make([]*gate, 0, len(g.of[session]))
	for _, x := range g.of[session] {
		out = append(out, x)
	}
	return out
}

func (g *gates) drop(session string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.of, session)
}

func (g *gates) dropAgent(agent string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, messages := range g.of {
		for id, x := range messages {
			if x.agent == agent {
				delete(messages, id)
			}
		}
	}
}

// Submit settles m in the background. A message that was submitted before is not
// settled again. AwaitTools waits for the settlement of one message and returns nil if
// its tools may run, else an error that names the status and unwraps to
// ErrToolsBlocked; nested calls ask with the message of their root call. AwaitSettled
// waits for all of a session, before the model is asked again. EndStep drops the state.
func (s *Service) Submit(ctx context.Context, m Message) {
	g, fresh := s.gates.open(m)
	if !fresh {
		return
	}
	go func() {
		defer close(g.done)
		defer func() {
			if cause := recover(); cause != nil {
				g.report, g.err = nil, fmt.Errorf("the settlement panicked: %v", cause)
			}
		}()
		g.report, g.err = s.Commit(ctx, m)
	}()
}

// AwaitTools says whether the tools of a message may run. A message that was not
// submitted has nothing to wait for.
func (s *Service) AwaitTools(ctx context.Context, session, messageID string) error {
	g := s.gates.get(session, messageID)
	if g == nil {
		return nil
	}
	select {
	case <-ctx.Done():
		return fmt.Errorf("%w: the settlement of message %q is outstanding: %w", ErrToolsBlocked, messageID, ctx.Err())
	case <-g.done:
	}
	switch {
	case g.err != nil:
		return fmt.Errorf("%w: the settlement failed: %w", ErrToolsBlocked, g.err)
	case g.report == nil || g.report.OK():
		return nil
	}
	return fmt.Errorf("%w: the blocks of this message are %s", ErrToolsBlocked, g.report.Status)
}

// AwaitSettled waits until no settlement of a session is outstanding.
func (s *Service) AwaitSettled(ctx context.Context, session string) error {
	for _, g := range s.gates.all(session) {
		select {
		case <-ctx.Done():
			return fmt.Errorf("a settlement is outstanding: %w", ctx.Err())
		case <-g.done:
		}
	}
	return nil
}

// Settled returns the report of a submitted message once AwaitTools or AwaitSettled has
// returned: nil if it had nothing to do, or isn't known.
func (s *Service) Settled(session, messageID string) *Report {
	g := s.gates.get(session, messageID)
	if g == nil {
		return nil
	}
	select {
	case <-g.done:
		return g.report
	default:
		return nil
	}
}

// EndStep drops what is known of the settlements of a session.
func (s *Service) EndStep(session string) { s.gates.drop(session) }
