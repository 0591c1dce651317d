package git

import (
	"bufio"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
)

// keepPack is the number of objects from which a batch stays a pack in the repository;
// fewer become loose objects.
const keepPack = 200

// Write writes objects. They are there, and durable, when it returns; after an error
// none, some or all of them are, but none is damaged.
func (r *Repo) Write(ctx context.Context, objects []Object) error {
	_, err := r.WriteStream(ctx, len(objects), func(w *PackWriter) error {
		for _, o := range objects {
			if _, err := w.Add(o); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// WriteStream writes count objects that fill adds. It is for contents too large to be
// held.
func (r *Repo) WriteStream(ctx context.Context, count int, fill func(*PackWriter) error) (int, error) {
	if count == 0 {
		return 0, fill(&PackWriter{})
	}
	args := []string{"unpack-objects", "-q"}
	if count >= keepPack {
		args = []string{"index-pack", "--stdin"}
	}
	in, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := r.run(ctx, in, args...)
		in.CloseWithError(errors.Join(err, io.ErrClosedPipe)) // a writer must not wait for a dead reader
		done <- err
	}()
	w := newPackWriter(out, count)
	err := fill(w)
	if err == nil {
		err = w.finish()
	}
	out.CloseWithError(err) // nil: end of file
	if gitErr := <-done; err == nil || gitErr != nil && errors.Is(err, io.ErrClosedPipe) {
		err = gitErr
	}
	return w.added, err
}

// PackWriter writes objects in Git's pack format, uncompressed if they are few: git
// compresses loose objects itself.
type PackWriter struct {
	buf   *bufio.Writer
	sum   hash.Hash
	level int
	want  int
	added int
}

func newPackWriter(w io.Writer, count int) *PackWriter {
	p := &PackWriter{sum: sha1.New(), want: count, level: zlib.NoCompression}
	if count >= keepPack {
		p.level = zlib.BestSpeed
	}
	p.buf = bufio.NewWriterSize(io.MultiWriter(w, p.sum), 1<<16)
	header := append([]byte("PACK"), 0, 0, 0, 2)
	_, _ = p.buf.Write(binary.BigEndian.AppendUint32(header, uint32(count))) // finish tells
	return p
}

// Add adds an object and returns its name.
func (p *PackWriter) Add(o Object) (ID, error) {
	return p.AddStream(o.Kind, int64(len(o.Data)), func(w io.Writer) error {
		_, err := w.Write(o.Data)
		return err
	})
}

// AddStream adds an object of exactly size bytes that write writes.
func (p *PackWriter) AddStream(kind Kind, size int64, write func(io.Writer) error) (ID, error) {
	if p.added == p.want {
		return "", errors.New("more objects than announced")
	}
	p.added++
	if _, err := p.buf.Write(entryHeader(kind, size)); err != nil {
		return "", err
	}
	z, err := zlib.NewWriterLevel(p.buf, p.level)
	if err != nil {
		return "", err
	}
	h := NewHash(kind, size)
	counted := &counter{w: io.MultiWriter(h, z)}
	if err := write(counted); err != nil {
		return "", err
	}
	if counted.n != size {
		return "", fmt.Errorf("%d bytes in place of %d: %w", counted.n, size, ErrChanged)
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	return Sum(h), nil
}

// ErrChanged says that a content hadn't the size that was announced.
var ErrChanged = errors.New("changed while it was read")

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// entryHeader is the kind and size of an object in a pack.
func entryHeader(kind Kind, size int64) []byte {
	types := map[Kind]byte{Commit: 1, Tree: 2, Blob: 3}
	b := types[kind]<<4 | byte(size&15)
	size >>= 4
	var out []byte
	for size > 0 {
		out = append(out, b|0x80)
		b = byte(size & 0x7F)
		size >>= 7
	}
	return append(out, b)
}

// finish writes the end of the pack.
func (p *PackWriter) finish() error {
	if p.added != p.want {
		return fmt.Errorf("%d objects in place of %d: %w", p.added, p.want, ErrChanged)
	}
	if err := p.buf.Flush(); err != nil {
		return err
	}
	sum := p.sum.Sum(nil)
	if _, err := p.buf.Write(sum); err != nil {
		return err
	}
	return p.buf.Flush()
}
