package wire

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"
)

// shim is the other side of a conversation, by hand.
type shim struct {
	t    *testing.T
	conn *Conn
	raw  net.Conn
}

func talk(t *testing.T) (*shim, net.Conn) {
	t.Helper()
	ours, theirs := net.Pipe()
	t.Cleanup(func() { ours.Close(); theirs.Close() })
	for _, c := range []net.Conn{ours, theirs} {
		if err := c.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	return &shim{t: t, conn: NewConn(theirs), raw: theirs}, ours
}

func (s *shim) send(m Message) {
	if err := s.conn.Send(m); err != nil {
		s.t.Errorf("shim: %v", err)
	}
}

func (s *shim) recv() Message {
	m, err := s.conn.Recv()
	if err != nil {
		s.t.Errorf("shim: %v", err)
	}
	return m
}

func TestAConversation(t *testing.T) {
	s, ours := talk(t)
	acked := make(chan bool, 1)
	go func() {
		s.send(Message{Hello: &Hello{Version: Version, PID: 5}})
		r := s.recv()
		s.send(Message{Started: &Started{PID: 6, Program: r.Request.Argv[0]}})
		s.send(Message{Result: &Result{Ended: Exited, ExitCode: 4}})
		acked <- s.recv().Ack != nil
	}()
	a, hello, err := Attach(context.Background(), ours)
	if err != nil || hello.PID != 5 {
		t.Fatalf("Attach = %+v, %v", hello, err)
	}
	defer a.Close()
	var started Started
	got, err := a.Ask(context.Background(), valid(), func(s Started) { started = s })
	if err != nil || got.ExitCode != 4 || started.PID != 6 || started.Program != "tool" {
		t.Errorf("Ask = %+v, %v, started %+v", got, err, started)
	}
	if !<-acked {
		t.Error("the result was not acknowledged")
	}
}

func TestACancelledAskStillReturnsTheResult(t *testing.T) {
	s, ours := talk(t)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		s.send(Message{Hello: &Hello{Version: Version}})
		s.recv()
		cancel()
		if m := s.recv(); m.Cancel == nil {
			s.t.Errorf("the shim heard %+v, want cancel", m)
		}
		s.send(Message{Result: &Result{Ended: Cancelled, Started: true}})
		s.recv()
	}()
	a, _, err := Attach(context.Background(), ours)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if got, err := a.Ask(ctx, valid(), nil); err != nil || got.Ended != Cancelled {
		t.Errorf("Ask = %+v, %v, want the shim's word", got, err)
	}
}

func TestAttachRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		say  func(*shim)
	}{
		{"another version", func(s *shim) { s.send(Message{Hello: &Hello{Version: Version + 1}}) }},
		{"another message", func(s *shim) { s.send(Message{Ack: &Ack{}}) }},
		{"the end", func(s *shim) { s.raw.Close() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, ours := talk(t)
			go tt.say(s)
			if _, _, err := Attach(context.Background(), ours); !errors.Is(err, ErrBroken) {
				t.Errorf("Attach = %v, want ErrBroken", err)
			}
		})
	}
}

func TestAttachEndsWithItsContext(t *testing.T) {
	_, ours := talk(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Attach(ctx, ours); !errors.Is(err, context.Canceled) {
		t.Errorf("Attach = %v, want the context's error", err)
	}
}

func TestAskTellsABrokenChannelFromARequestThatIsWrong(t *testing.T) {
	for _, tt := range []struct {
		name string
		say  func(*shim)
	}{
		{"the end before a result", func(s *shim) { s.raw.Close() }},
		{"the end after the start", func(s *shim) { s.send(Message{Started: &Started{}}); s.raw.Close() }},
		{"a message out of place", func(s *shim) { s.send(Message{Hello: &Hello{}}) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, ours := talk(t)
			go func() {
				s.send(Message{Hello: &Hello{Version: Version}})
				s.recv()
				tt.say(s)
			}()
			a, _, err := Attach(context.Background(), ours)
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			if _, err := a.Ask(context.Background(), valid(), nil); !errors.Is(err, ErrBroken) {
				t.Errorf("Ask = %v, want ErrBroken", err)
			}
		})
	}
	s, ours := talk(t)
	go s.send(Message{Hello: &Hello{Version: Version}})
	a, _, err := Attach(context.Background(), ours)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if _, err := a.Ask(context.Background(), Request{}, nil); err == nil || errors.Is(err, ErrBroken) {
		t.Errorf("Ask = %v, want what is wrong with the request", err)
	}
}
