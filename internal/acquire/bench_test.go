package acquire

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/corpus"
	"github.com/fettle-dev/fettle/internal/strictfs"
	"github.com/fettle-dev/fettle/internal/workspace/statedir"
)

// discard is a store that keeps no bytes.
type discard struct{}

func (discard) Put(b []byte) (content.Ref, error) { return content.Ref{Len: int64(len(b))}, nil }

func (discard) Get(content.Ref, []byte) ([]byte, error) { return nil, errors.ErrUnsupported }

// Performance notes, P2: listing, reading, judging and sorting costs at most 1.6 times
// the CPU of a plain open-fstat-read-close loop, and at most 2.3 times with the bytes
// kept in a pack.
func BenchmarkAcquire(b *testing.B) {
	root := b.TempDir()
	files, err := corpus.Write(root, corpus.Gen30k())
	if err != nil {
		b.Fatal(err)
	}
	fs, err := strictfs.Open(root)
	if err != nil {
		b.Fatal(err)
	}
	defer fs.Close()
	s, req := source(b, fs), request(b, "**")
	req.Bounds.MaxFiles = len(files)
	stores := map[string]func() (content.Store, func() error){
		"discard": func() (content.Store, func() error) { return discard{}, func() error { return nil } },
		"pack": func() (content.Store, func() error) {
			path := filepath.Join(b.TempDir(), "pack")
			pack, err := statedir.CreatePack(path, rand.Reader)
			if err != nil {
				b.Fatal(err)
			}
			// Packs of earlier rounds mustn't press on the page cache of later ones.
			return pack, func() error { return errors.Join(pack.Close(), os.Remove(path)) }
		},
	}
	for name, open := range stores {
		b.Run(name, func(b *testing.B) {
			var floor, subject corpus.Meter
			for b.Loop() {
				if err := floor.Time(func() error { _, err := corpus.Floor{Read: true}.Run(root); return err }); err != nil {
					b.Fatal(err)
				}
				store, closeStore := open()
				err := subject.Time(func() error {
					res, err := s.Resolve(context.Background(), req)
					if err != nil {
						return err
					}
					got, err := s.Read(context.Background(), req, res, store)
					if err == nil && got.Workspace.Len() != len(files) {
						b.Errorf("acquired %d files, want %d", got.Workspace.Len(), len(files))
					}
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
				if err := closeStore(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(subject.CPU.Seconds()/floor.CPU.Seconds(), "x-floor-cpu")
			b.ReportMetric(subject.Wall.Seconds()/floor.Wall.Seconds(), "x-floor-wall")
			b.ReportMetric(subject.CPU.Seconds()*1e3/float64(b.N), "cpu-ms/op")
		})
	}
}
