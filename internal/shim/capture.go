package shim

import (
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/shim/wire"
)

// pipeSize is what a tool can print before it must wait for us.
const pipeSize = 1 << 20

// capture reads a stream of the tool to its end and keeps what its limits allow, so that
// neither a flood nor a slow reader holds anyone up.
type capture struct {
	read *os.File
	head []byte
	tail []byte // at most twice keep, so that it is moved rarely
	room int64  // what head may still take
	keep int    // length of the tail in bytes
	seen int64
	done chan struct{}
}

// newCapture returns a capture and the end that the tool writes to, a blocking
// descriptor that the caller closes once the tool has its own.
func newCapture(limit, tail int64) (*capture, int, error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return nil, -1, err
	}
	// A larger pipe is a courtesy that a system may refuse.
	_, _ = unix.FcntlInt(uintptr(fds[0]), unix.F_SETPIPE_SZ, pipeSize)
	if err := unix.SetNonblock(fds[0], true); err != nil {
		unix.Close(fds[0])
		unix.Close(fds[1])
		return nil, -1, err
	}
	c := &capture{read: os.NewFile(uintptr(fds[0]), "output"), room: limit, keep: int(tail), done: make(chan struct{})}
	return c, fds[1], nil
}

// drain reads until nobody can write any more; it is to run in a goroutine of its own.
func (c *capture) drain() {
	defer close(c.done)
	buf := make([]byte, 64<<10)
	for {
		n, err := c.read.Read(buf)
		c.take(buf[:n])
		if err != nil {
			return
		}
	}
}

func (c *capture) take(b []byte) {
	c.seen += int64(len(b))
	n := min(int64(len(b)), c.room)
	c.head = append(c.head, b[:n]...)
	c.room -= n
	b = b[n:]
	if len(b) >= c.keep {
		c.tail = append(c.tail[:0], b[len(b)-c.keep:]...)
		return
	}
	c.tail = append(c.tail, b...)
	if len(c.tail) > 2*c.keep {
		c.tail = c.tail[:copy(c.tail, c.tail[len(c.tail)-c.keep:])]
	}
}

// output ends the capture and returns what it kept. The tool and all that came of it are
// dead, so the pipe has ended too, unless the tool gave it away to a stranger: then what
// comes within patience counts.
func (c *capture) output() wire.Output {
	const patience = 200 * time.Millisecond
	// An error means that the pipe can't be waited on with a deadline: it is closed below.
	_ = c.read.SetReadDeadline(time.Now().Add(patience))
	<-c.done
	c.read.Close()
	return wire.Output{Head: c.head, Tail: c.tail[max(0, len(c.tail)-c.keep):], Total: c.seen}
}
