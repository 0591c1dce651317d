package strictfs

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/tree"
)

// Each benchmark takes floor, subject and peer in turns within one loop and reports
// ratios of CPU time, for the machine is noisy and its neighbours slow all of them alike.

// BenchmarkSafeOpen compares a strict open and close with an unsafe openat and with
// os.Root, on a path of five components (goal P9: at most 1.3 and 0.25).
func BenchmarkSafeOpen(b *testing.B) {
	const path = "a/b/c/d/file.txt"
	dir, root := benchRoot(b)
	writeFile(b, filepath.Join(dir, path), []byte("x"))
	osRoot, err := os.OpenRoot(dir)
	must(b, err)
	defer osRoot.Close()
	name := append([]byte(path), 0)
	m := newMeter(
		func() { closeFD(b, rawOpen(b, root.fd, name, unix.O_RDONLY|unix.O_CLOEXEC)) },
		func() {
			fd, err := root.open(path, readable)
			must(b, err)
			closeFD(b, fd)
		},
		func() {
			f, err := osRoot.Open(path)
			must(b, err)
			must(b, f.Close())
		},
	)
	for b.Loop() {
		m.round(32)
	}
	b.ReportMetric(m.ratio(1, 0), "x-openat")
	b.ReportMetric(m.ratio(1, 2), "x-os.Root")
}

// BenchmarkSafeRead compares ReadFile with openat, fstat, read and close by hand.
func BenchmarkSafeRead(b *testing.B) {
	const path = "a/b/c/d/file.txt"
	dir, root := benchRoot(b)
	writeFile(b, filepath.Join(dir, path), make([]byte, 4096))
	name, buf := append([]byte(path), 0), make([]byte, 8192)
	m := newMeter(
		func() {
			fd := rawOpen(b, root.fd, name, unix.O_RDONLY|unix.O_CLOEXEC)
			var st unix.Stat_t
			must(b, unix.Fstat(fd, &st))
			_, err := unix.Read(fd, buf[:st.Size+1])
			must(b, err)
			closeFD(b, fd)
		},
		func() {
			_, _, err := root.ReadFile(path, 1<<20, buf)
			must(b, err)
		},
	)
	for b.Loop() {
		m.round(32)
	}
	b.ReportMetric(m.ratio(1, 0), "x-floor")
}

// BenchmarkWalk compares listing a tree of 30,000 files by ReadDir with openat and
// getdents64 by hand, each relative to its parent (goal P1: at most 1.5 of its CPU).
func BenchmarkWalk(b *testing.B) {
	dir, root := benchRoot(b)
	files, below := benchTree(b, dir), &floor{b: b}
	m := newMeter(
		func() { wantFiles(b, below.walk(root.fd, []byte(".\x00")), files) },
		func() { wantFiles(b, readDirWalk(b, root), files) },
	)
	for b.Loop() {
		m.round(1)
	}
	b.ReportMetric(m.ratio(1, 0), "x-floor-cpu")
}

// BenchmarkRevisit compares Revisit of 30,000 files with the getdents64 and fstatat of
// each that a look at everything costs (goal P3: at most 1.0 of its CPU).
func BenchmarkRevisit(b *testing.B) {
	dir, root := benchRoot(b)
	files, below := benchTree(b, dir), &floor{b: b}
	var paths []string
	must(b, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && path != dir {
			paths = append(paths, path[len(dir)+1:])
		}
		return err
	}))
	slices.Sort(paths)
	m := newMeter(
		func() { wantFiles(b, below.walkStat(root.fd, []byte(".\x00")), files) },
		func() {
			n := 0
			must(b, root.Revisit(b.Context(), paths, func(_ int, id tree.Identity, err error) bool {
				if id.Kind == tree.Regular {
					n++
				}
				return err == nil
			}))
			wantFiles(b, n, files)
		},
	)
	for b.Loop() {
		m.round(1)
	}
	b.ReportMetric(m.ratio(1, 0), "x-floor-cpu")
}

// BenchmarkOverwrite compares an atomic overwrite of 4 KiB, nothing synced, with the
// same calls by hand, and with a rename over the old file, which some file systems
// answer by a flush.
func BenchmarkOverwrite(b *testing.B) {
	dir, root := benchRoot(b)
	data := make([]byte, 4096)
	path, tmp := filepath.Join(dir, "f"), filepath.Join(dir, "tmp")
	writeFile(b, path, data)
	m := newMeter(
		func() {
			fd, err := unix.Openat(root.fd, "tmp", unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o644)
			must(b, err)
			_, err = unix.Write(fd, data)
			must(b, err)
			closeFD(b, fd)
			must(b, unix.Renameat2(root.fd, "tmp", root.fd, "f", unix.RENAME_EXCHANGE))
			must(b, unix.Unlinkat(root.fd, "tmp", 0))
		},
		func() {
			_, _, err := root.WriteNew("tmp", data, tree.Attr{Mode: 0o644})
			must(b, err)
			must(b, root.Exchange("tmp", "f"))
			must(b, root.Remove("tmp"))
		},
		func() {
			must(b, os.WriteFile(tmp, data, 0o644))
			must(b, os.Rename(tmp, path))
		},
	)
	for b.Loop() {
		m.round(16)
	}
	b.ReportMetric(m.ratio(1, 0), "x-floor-cpu")
	b.ReportMetric(m.wallRatio(1, 2), "x-rename-over")
}

func must(b *testing.B, err error) {
	if err != nil {
		b.Helper()
		b.Fatal(err)
	}
}

func benchRoot(b *testing.B) (string, *Root) {
	dir := b.TempDir()
	root, err := Open(dir)
	must(b, err)
	b.Cleanup(func() { must(b, root.Close()) })
	return dir, root
}

func writeFile(b *testing.B, path string, data []byte) {
	must(b, os.MkdirAll(filepath.Dir(path), 0o755))
	must(b, os.WriteFile(path, data, 0o644))
}

// benchTree makes 4,500 directories with 30,000 files, the same each time, and returns
// how many files.
func benchTree(b *testing.B, dir string) int {
	const dirs, files = 4500, 30_000
	random := rand.New(rand.NewPCG(1, 2))
	made := []string{dir}
	for i := range dirs {
		path := filepath.Join(made[random.IntN(len(made))], fmt.Sprintf("directory%d", i))
		must(b, os.Mkdir(path, 0o755))
		made = append(made, path)
	}
	for i := range files {
		writeFile(b, filepath.Join(made[random.IntN(len(made))], fmt.Sprintf("some_file_%d.go", i)), nil)
	}
	return files
}

func wantFiles(b *testing.B, got, want int) {
	if got != want {
		b.Fatalf("%d files, want %d", got, want)
	}
}

// readDirWalk lists all directories by their path from the root, one after the other.
func readDirWalk(b *testing.B, root *Root) (files int) {
	pending := []string{tree.Root}
	for len(pending) > 0 {
		dir := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		must(b, root.ReadDir(dir, func(name []byte, kind tree.Kind) bool {
			switch {
			case kind != tree.Directory:
				files++
			case dir == tree.Root:
				pending = append(pending, string(name))
			default:
				pending = append(pending, dir+"/"+string(name))
			}
			return true
		}))
	}
	return files
}
