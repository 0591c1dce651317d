package statedir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/content"
)

// Pack is a content.Store in one file that only grows. Bytes are gathered and appended
// a mebibyte at a time; what isn't in the file yet is served from memory. A Mark says
// how much of the file counts: what a killed process left behind it is cut off.
type Pack struct {
	file *os.File
	id   packID

	mu      sync.RWMutex
	written int64  // bytes of the file that count
	synced  int64  // of those, durable
	tail    []byte // bytes behind them, not written yet
}

var _ content.Store = (*Pack)(nil)

// Mark is a state of a pack: which file, and how many of its bytes count.
type Mark struct {
	ID     [16]byte
	Length int64
}

type packID = [16]byte

const (
	packMagic  = "fettle-pack 1\n"
	packHeader = int64(len(packMagic) + len(packID{}))
	packChunk  = 1 << 20
)

// CreatePack makes a pack at path, which must be absent. random gives its identity.
func CreatePack(path string, random io.Reader) (*Pack, error) {
	var id packID
	if _, err := io.ReadFull(random, id[:]); err != nil {
		return nil, fmt.Errorf("pack %s: draw an identity: %w", path, err)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, fileMode)
	if err != nil {
		return nil, fmt.Errorf("create the pack: %w", err)
	}
	if _, err := file.Write(append([]byte(packMagic), id[:]...)); err != nil {
		return nil, errors.Join(fmt.Errorf("write the pack: %w", err), file.Close(), os.Remove(path))
	}
	return &Pack{file: file, id: id, written: packHeader}, nil
}

// OpenPack opens the pack at path as it was at a mark. A file that isn't that pack, or
// is shorter, is refused with fault.ReasonState.
func OpenPack(path string, at Mark) (*Pack, error) {
	file, err := os.OpenFile(path, os.O_RDWR|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, fmt.Errorf("open the pack: %w", err)
	}
	if err := resumePack(file, at); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &Pack{file: file, id: at.ID, written: at.Length}, nil
}

func resumePack(file *os.File, at Mark) error {
	header := make([]byte, packHeader)
	if _, err := file.ReadAt(header, 0); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the pack: %w", err)
	}
	if !bytes.HasPrefix(header, []byte(packMagic)) {
		return unusable(packName, "isn't a pack of this version")
	}
	if !bytes.Equal(header[len(packMagic):], at.ID[:]) {
		return unusable(packName, "belongs to another state than the %s beside it", indexPrefix)
	}
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("look at the pack: %w", err)
	}
	if at.Length < packHeader || info.Size() < at.Length {
		return unusable(packName, "is cut: %d bytes of the %d that the %s counts", info.Size(), at.Length, indexPrefix)
	}
	if err := file.Truncate(at.Length); err != nil {
		return fmt.Errorf("cut what a killed process left in the pack: %w", err)
	}
	return nil
}

// Put implements content.Store.
func (p *Pack) Put(b []byte) (content.Ref, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ref := content.Ref{Off: p.written + int64(len(p.tail)), Len: int64(len(b))}
	if len(b) == 0 {
		return ref, nil
	}
	if len(p.tail)+len(b) > packChunk {
		if err := p.flush(); err != nil {
			return content.Ref{}, err
		}
	}
	if len(b) >= packChunk {
		return ref, p.append(b)
	}
	if p.tail == nil {
		p.tail = make([]byte, 0, packChunk)
	}
	p.tail = append(p.tail, b...)
	return ref, nil
}

// Get implements content.Store.
func (p *Pack) Get(r content.Ref, buf []byte) ([]byte, error) {
	if r.Len == 0 {
		return buf[:0], nil
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	end := p.written + int64(len(p.tail))
	if r.Off < packHeader || r.Len < 0 || r.Len > end-r.Off {
		return nil, fmt.Errorf("content at %d of length %d is outside the pack of %d bytes", r.Off, r.Len, end)
	}
	if int64(cap(buf)) < r.Len {
		buf = make([]byte, r.Len)
	}
	buf = buf[:r.Len]
	if r.Off >= p.written {
		copy(buf, p.tail[r.Off-p.written:])
		return buf, nil
	}
	if _, err := p.file.ReadAt(buf, r.Off); err != nil {
		return nil, fmt.Errorf("read %d bytes at %d of the pack: %w", r.Len, r.Off, err)
	}
	return buf, nil
}

// Sync makes everything durable that was put before, and returns the mark of it.
func (p *Pack) Sync() (Mark, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.flush(); err != nil {
		return Mark{}, err
	}
	if p.synced < p.written {
		if err := p.file.Sync(); err != nil {
			return Mark{}, fmt.Errorf("make the pack durable: %w", err)
		}
		p.synced = p.written
	}
	return Mark{ID: p.id, Length: p.written}, nil
}

// Close closes the file; what wasn't synced may be lost.
func (p *Pack) Close() error { return p.file.Close() }

// flush appends the tail. If that fails the tail stays, to be tried again.
func (p *Pack) flush() error {
	if len(p.tail) == 0 {
		return nil
	}
	if err := p.append(p.tail); err != nil {
		return err
	}
	p.tail = p.tail[:0]
	return nil
}

func (p *Pack) append(b []byte) error {
	if _, err := p.file.WriteAt(b, p.written); err != nil {
		return fmt.Errorf("append %d bytes to the pack: %w", len(b), err)
	}
	// Let the disk begin while there is still more to read: Sync then waits for less. It is
	// a hint, and Sync alone says what is durable.
	_ = unix.SyncFileRange(int(p.file.Fd()), p.written, int64(len(b)), unix.SYNC_FILE_RANGE_WRITE)
	p.written += int64(len(b))
	return nil
}
