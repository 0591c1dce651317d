package statedir

import (
	"crypto/rand"
	"fmt"
	"math"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/persist"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// cpu is the processor time of this process, in seconds.
func cpu(b *testing.B) float64 {
	b.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// usualBooks are those of 30,000 files of which nothing has changed.
func usualBooks(b testing.TB) persist.Books {
	b.Helper()
	const files = 30_000
	rnd := mathrand.New(mathrand.NewPCG(1, 1))
	store := &offset{}
	books := persist.Books{Workspace: workspace.New(files), Baselines: workspace.NewBaselines(files)}
	for i := range files {
		path := fmt.Sprintf("packages/component-%04d/source/file-%05d.ts", i/10, i)
		ref, err := store.Put(make([]byte, rnd.IntN(300)))
		if err != nil {
			b.Fatal(err)
		}
		books.Workspace.Put(path, workspace.File{Content: ref, Mode: 0o644, MIME: "text/plain", Origin: path, Disk: path})
		books.Baselines.PutAcquired(path, ref)
		now := int64(1_700_000_000_000_000_000) + rnd.Int64N(1e15)
		books.Baselines.PutPersisted(path, workspace.Persisted{Content: ref, ID: tree.Identity{
			Dev: 2049, Ino: rnd.Uint64N(1e7), Size: ref.Len, Mtime: now, Ctime: now, Mode: 0o644, UID: 1000, GID: 1000, Nlink: 1, Kind: tree.Regular,
		}})
	}
	return books
}

// A checkpoint of 30,000 files is to cost at most about 15 ms of processor time.
func BenchmarkSave(b *testing.B) {
	books := usualBooks(b)
	o := options(b)
	d := open(b, o)
	if _, err := d.Load(); err != nil {
		b.Fatal(err)
	}
	d.pack.written = 1 << 30 // as if the contents were there
	start := cpu(b)
	for i := 0; b.Loop(); i++ {
		books.Written = []string{fmt.Sprint(i)} // so that each differs
		if err := d.Save(Checkpoint{Books: books}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric((cpu(b)-start)*1000/float64(b.N), "cpu-ms/op")
}

func BenchmarkDecode(b *testing.B) {
	data := encodeBooks(usualBooks(b))
	start := cpu(b)
	for b.Loop() {
		if _, err := decodeBooks("index-1", data, Mark{Length: math.MaxInt64}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric((cpu(b)-start)*1000/float64(b.N), "cpu-ms/op")
	b.ReportMetric(float64(len(data))/30_000, "B/file")
}

// Performance notes, P11: what the first snapshot of bytes costs over reading them. Each
// round reads a tree of 3,000 files twice, once into a buffer and once into a pack.
func BenchmarkSnapshot(b *testing.B) {
	dir := b.TempDir()
	rnd := mathrand.New(mathrand.NewPCG(7, 7))
	var paths []string
	total := 0
	for i := range 3000 {
		size := int(math.Exp(rnd.NormFloat64()*1.2 + 8.4)) // log-normal, of mean 9 KB
		size = min(size, 1<<20)
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			b.Fatal(err)
		}
		paths, total = append(paths, path), total+size
	}
	buf := make([]byte, 1<<20+1)
	read := func(use func([]byte)) {
		for _, path := range paths {
			fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
			if err != nil {
				b.Fatal(err)
			}
			var st unix.Stat_t
			if err := unix.Fstat(fd, &st); err != nil {
				b.Fatal(err)
			}
			n, err := unix.Read(fd, buf)
			if err != nil {
				b.Fatal(err)
			}
			unix.Close(fd)
			use(buf[:n])
		}
	}
	var plain, packed float64
	for i := 0; b.Loop(); i++ {
		start := cpu(b)
		read(func([]byte) {})
		plain += cpu(b) - start

		path := filepath.Join(b.TempDir(), packName)
		start = cpu(b)
		p, err := CreatePack(path, rand.Reader)
		if err != nil {
			b.Fatal(err)
		}
		read(func(data []byte) {
			if _, err := p.Put(data); err != nil {
				b.Fatal(err)
			}
		})
		if err := p.flush(); err != nil {
			b.Fatal(err)
		}
		packed += cpu(b) - start
		p.Close()
		os.Remove(path)
	}
	gigabytes := float64(total) * float64(b.N) / 1e9
	b.ReportMetric(packed/gigabytes, "cpu-s/GB")
	b.ReportMetric(packed/plain, "x-read")
	b.ReportMetric(0, "ns/op")
}
