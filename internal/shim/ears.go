package shim

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/fettle-dev/fettle/internal/shim/wire"
)

// ackTime is how long the shim waits for the acknowledgement of its result.
const ackTime = 2 * time.Minute

// ears hear what fettle says, and what ends a run early: a cancellation, by message or by
// signal, or the death of whoever listens.
type ears struct {
	request chan *wire.Request
	cancel  chan struct{} // closed by the first cancellation
	acked   chan struct{} // closed by the acknowledgement
	broken  chan struct{} // closed when the channel is; err is set then
	err     error
}

func listen(conn *wire.Conn, stop <-chan os.Signal) *ears {
	e := &ears{
		request: make(chan *wire.Request, 1),
		cancel:  make(chan struct{}),
		acked:   make(chan struct{}),
		broken:  make(chan struct{}),
	}
	told := make(chan struct{})
	go e.receive(conn, told)
	go func() {
		select {
		case <-stop:
		case <-told:
		}
		close(e.cancel)
	}()
	return e
}

// receive reads messages until the channel ends. The stream carries one request, then no
// more than one cancel and one ack; anything else is as good as its end.
func (e *ears) receive(conn *wire.Conn, told chan<- struct{}) {
	defer close(e.broken)
	requested, cancelled, acked := false, false, false
	for {
		m, err := conn.Recv()
		switch {
		case err != nil:
			e.err = err
			return
		case m.Request != nil && !requested:
			requested = true
			e.request <- m.Request
		case m.Cancel != nil && requested && !cancelled:
			cancelled = true
			close(told)
		case m.Ack != nil && requested && !acked:
			acked = true
			close(e.acked)
		default:
			e.err = fmt.Errorf("%w: %w", wire.ErrBroken, wire.ErrProtocol)
			return
		}
	}
}

var errStopped = errors.New("told to stop before there was a request")

// requested waits for the request.
func (e *ears) requested() (*wire.Request, error) {
	select {
	case r := <-e.request:
		return r, nil
	case <-e.cancel:
		return nil, errStopped
	case <-e.broken:
	}
	// Both may have come by now: a request whose sender is gone is none.
	return nil, e.err
}

// acknowledged waits for the acknowledgement of the result.
func (e *ears) acknowledged() error {
	timer := time.NewTimer(ackTime)
	defer timer.Stop()
	select {
	case <-e.acked:
		return nil
	case <-timer.C:
		return wire.ErrBroken
	case <-e.broken:
	}
	// Both may have come by now; the acknowledgement was before.
	select {
	case <-e.acked:
		return nil
	default:
		return e.err
	}
}
