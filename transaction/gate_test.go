package transaction_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/transaction"
	"github.com/fettle-dev/fettle/transaction/mem"
)

// slow is a backend that commits when it is told to.
type slow struct {
	transaction.Backend
	entered chan struct{}
	release chan struct{}
}

func (s *slow) Commit(ctx context.Context, req transaction.CommitRequest) (transaction.Report, error) {
	close(s.entered)
	<-s.release
	return s.Backend.Commit(ctx, req)
}

// gated is a service whose messages wait in a slow backend.
func gated(t *testing.T) (*transaction.Service, *slow) {
	s := newTestService(t)
	b := &slow{mem.New(nil), make(chan struct{}), make(chan struct{})}
	s.RegisterResolver(prefixResolver{"slow/", transaction.Scope{Root: "/r", Name: "slow", Backend: b}})
	return s, b
}

func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

// § 23.4, contract-021: tools and the model wait for settlement.
func TestToolsAndTheModelWaitForSettlement(t *testing.T) {
	s, b := gated(t)
	m := message("A", "/r", "1", "``` file=slow/a\nx\n```\n")
	s.Submit(t.Context(), m)
	<-b.entered
	if err := s.AwaitTools(soon(t), "s", "1"); !errors.Is(err, transaction.ErrToolsBlocked) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("outstanding: got %v, want tools blocked", err)
	}
	if err := s.AwaitSettled(soon(t), "s"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("outstanding: the model was asked: %v", err)
	}
	if err := s.AwaitTools(t.Context(), "s", "another message"); err != nil {
		t.Errorf("tools of another message: %v", err)
	}
	if err := s.AwaitSettled(t.Context(), "another session"); err != nil {
		t.Errorf("another session: %v", err)
	}
	close(b.release)
	if err := s.AwaitTools(t.Context(), "s", "1"); err != nil {
		t.Errorf("settled: %v", err)
	}
	if err := s.AwaitSettled(t.Context(), "s"); err != nil {
		t.Errorf("settled: %v", err)
	}
	if r := s.Settled("s", "1"); r == nil || !r.OK() {
		t.Errorf("got %+v", r)
	}
	s.EndStep("s")
	if r := s.Settled("s", "1"); r != nil {
		t.Errorf("after the step: got %+v", r)
	}
}

// A message that is submitted twice is settled once.
func TestAMessageIsSettledOnce(t *testing.T) {
	s, root := newTestService(t), newRoot(t, nil)
	m := message("A", root, "1", "``` file=a mode=create\nx\n```\n")
	for range 3 {
		s.Submit(t.Context(), m)
	}
	if err := s.AwaitTools(t.Context(), "s", "1"); err != nil {
		t.Error(err)
	}
}

func TestAReportThatIsNotOKDeniesItsTools(t *testing.T) {
	s, root := newTestService(t), newRoot(t, nil)
	for id, tt := range map[string]struct{ text, says string }{
		"fails": {"``` file=../a\nx\n```\n", "failed"},
		"unmet": {"``` file=a mode=update\nx\n```\n", "precondition-failed"},
		"fine":  {"``` file=a mode=append\nx\n```\n", ""},
		"prose": {"prose", ""},
	} {
		s.Submit(t.Context(), message(id, root, id, tt.text))
		err := s.AwaitTools(t.Context(), "s", id)
		if denied := errors.Is(err, transaction.ErrToolsBlocked); denied != (tt.says != "") || denied && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: got %v, want %q", id, err, tt.says)
		}
	}
}

// A settlement that itself fails denies the tools, a panic of the host's included.
func TestASettlementThatFailsDeniesItsTools(t *testing.T) {
	s := newTestService(t)
	s.RegisterResolver(panicking{})
	s.Submit(t.Context(), message("A", "/r", "1", "``` file=a\nx\n```\n"))
	if err := s.AwaitTools(t.Context(), "s", "1"); !errors.Is(err, transaction.ErrToolsBlocked) || !strings.Contains(err.Error(), "no resolver") {
		t.Errorf("got %v", err)
	}
	bad := message("A", "/r", "2", "``` file=a\nx\n```\n")
	bad.TransactionID = "not valid"
	s.Submit(t.Context(), bad)
	if err := s.AwaitTools(t.Context(), "s", "2"); !errors.Is(err, transaction.ErrToolsBlocked) || !errors.Is(err, transaction.ErrTransactionID) {
		t.Errorf("got %v", err)
	}
}

type panicking struct{}

func (panicking) Resolve(context.Context, string, transaction.Session, []string) (*transaction.Scope, error) {
	panic("no resolver")
}

// § 11.7: disposing of an agent drops its pending settlements.
func TestDisposingOfAnAgentDropsItsSettlements(t *testing.T) {
	s, b := gated(t)
	s.Submit(t.Context(), message("A", "/r", "1", "``` file=slow/a\nx\n```\n"))
	<-b.entered
	s.DisposeAgent("A")
	if err := s.AwaitSettled(soon(t), "s"); err != nil {
		t.Errorf("the model waits for it: %v", err)
	}
	close(b.release)
}
