package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// Conn frames messages on a stream. Send may be called by several goroutines at once,
// Recv by one.
type Conn struct {
	stream io.ReadWriter
	send   sync.Mutex
}

// NewConn returns a Conn on stream, which stays the caller's to close.
func NewConn(stream io.ReadWriter) *Conn { return &Conn{stream: stream} }

// Send writes one message. Its errors wrap ErrBroken.
func (c *Conn) Send(m Message) error {
	frame, err := Encode(m)
	if err != nil {
		return err
	}
	c.send.Lock()
	defer c.send.Unlock()
	if _, err := c.stream.Write(frame); err != nil {
		return fmt.Errorf("%w: %w", ErrBroken, err)
	}
	return nil
}

// Recv reads one message. Its errors wrap ErrBroken: a stream that ended, in the midst
// of a frame or not, or that holds what is no message.
func (c *Conn) Recv() (Message, error) {
	m, err := Decode(c.stream)
	if err != nil {
		return Message{}, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	return m, nil
}

// Encode returns the frame of a message.
func Encode(m Message) ([]byte, error) {
	var b bytes.Buffer
	b.Write(make([]byte, 4))
	if err := json.NewEncoder(&b).Encode(m); err != nil {
		return nil, fmt.Errorf("encode message: %w", err)
	}
	frame := b.Bytes()
	size := len(frame) - 4
	if size > MaxFrame {
		return nil, fmt.Errorf("encode message: %d bytes exceed the limit of %d", size, MaxFrame)
	}
	binary.BigEndian.PutUint32(frame, uint32(size))
	return frame, nil
}

// Decode reads one frame and its message, which has exactly one member.
func Decode(r io.Reader) (Message, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return Message{}, err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > MaxFrame {
		return Message{}, fmt.Errorf("frame of %d bytes exceeds the limit of %d", size, MaxFrame)
	}
	// The length is the other side's word, so memory follows what really arrives.
	var body bytes.Buffer
	if n, err := io.CopyN(&body, r, int64(size)); err != nil {
		return Message{}, fmt.Errorf("frame ends after %d of %d bytes: %w", n, size, err)
	}
	dec := json.NewDecoder(&body)
	dec.DisallowUnknownFields()
	var m Message
	if err := dec.Decode(&m); err != nil {
		return Message{}, fmt.Errorf("decode message: %w", err)
	}
	if dec.More() {
		return Message{}, fmt.Errorf("decode message: %w: something follows it", ErrProtocol)
	}
	if n := m.members(); n != 1 {
		return Message{}, fmt.Errorf("%w: %d members in place of one", ErrProtocol, n)
	}
	return m, nil
}

func (m Message) members() int {
	n := 0
	for _, set := range []bool{m.Hello != nil, m.Request != nil, m.Started != nil, m.Cancel != nil, m.Result != nil, m.Ack != nil} {
		if set {
			n++
		}
	}
	return n
}
