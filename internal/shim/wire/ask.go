package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// answerTime is how long a shim may take to answer beyond the grace that it gives the
// tool: to kill what is left, empty directories and send the result.
const answerTime = 30 * time.Second

// Attach receives the hello of a shim, bounded by ctx. On an error the stream is closed.
func Attach(ctx context.Context, stream io.ReadWriteCloser) (*Asker, Hello, error) {
	a := &Asker{conn: NewConn(stream), stream: stream, inbox: make(chan reply)}
	a.gone = make(chan struct{})
	go a.receive()
	m, err := a.next(ctx.Done(), nil)
	switch {
	case err != nil:
	case m.Hello == nil:
		err = fmt.Errorf("%w: %w before hello", ErrBroken, ErrProtocol)
	case m.Hello.Version != Version:
		err = fmt.Errorf("%w: it speaks version %d, not %d", ErrBroken, m.Hello.Version, Version)
	default:
		return a, *m.Hello, nil
	}
	a.Close()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return nil, Hello{}, err
}

// Asker is fettle's end of a conversation with an attached shim.
type Asker struct {
	conn   *Conn
	stream io.Closer
	inbox  chan reply
	gone   chan struct{} // closed when nobody listens any more
	closed bool
}

type reply struct {
	message Message
	err     error
}

// receive hands on messages until the stream ends or nobody listens any more.
func (a *Asker) receive() {
	for {
		m, err := a.conn.Recv()
		select {
		case a.inbox <- reply{m, err}:
		case <-a.gone:
			return
		}
		if err != nil {
			return
		}
	}
}

var errInterrupted = errors.New("interrupted")

// next returns the next message, errInterrupted if done is closed before, or ErrBroken
// if the timer fires before.
func (a *Asker) next(done <-chan struct{}, timeout <-chan time.Time) (Message, error) {
	select {
	case r := <-a.inbox:
		return r.message, r.err
	case <-done:
		return Message{}, errInterrupted
	case <-timeout:
		return Message{}, fmt.Errorf("%w: no answer", ErrBroken)
	}
}

// Close ends the conversation: a shim that still runs a tool kills it. It may be called
// twice. The stream is closed with it.
func (a *Asker) Close() error {
	if a.closed {
		return nil
	}
	a.closed = true
	close(a.gone)
	return a.stream.Close()
}

// Ask sends a request and returns the shim's result, acknowledged. When ctx is cancelled
// the shim is told to cancel, and its result is awaited all the same: only it knows how
// the tool ended. started is called once the tool runs. An error means that there is no
// result, and that only the disk can say what happened; it wraps ErrBroken, or is that
// of Request.Validate, in which case nothing was sent.
func (a *Asker) Ask(ctx context.Context, r Request, started func(Started)) (Result, error) {
	if err := r.Validate(); err != nil {
		return Result{}, err
	}
	if err := a.conn.Send(Message{Request: &r}); err != nil {
		return Result{}, err
	}
	done := ctx.Done()
	overdue := time.NewTimer(time.Hour)
	overdue.Stop() // until it is known when an answer is due
	for {
		m, err := a.next(done, overdue.C)
		switch {
		case errors.Is(err, errInterrupted):
			done = nil
			overdue.Reset(r.Grace + answerTime)
			if err := a.conn.Send(Message{Cancel: &Cancel{}}); err != nil {
				return Result{}, err
			}
		case err != nil:
			return Result{}, err
		case m.Started != nil:
			if r.Deadline > 0 && done != nil {
				overdue.Reset(r.Deadline + r.Grace + answerTime)
			}
			if started != nil {
				started(*m.Started)
			}
		case m.Result != nil:
			// A lost ack makes the shim exit non-zero, and changes nothing of the result.
			_ = a.conn.Send(Message{Ack: &Ack{}})
			return *m.Result, nil
		default:
			return Result{}, fmt.Errorf("%w: %w in place of a result", ErrBroken, ErrProtocol)
		}
	}
}
