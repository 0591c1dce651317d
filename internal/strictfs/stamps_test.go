package strictfs

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestAFileSystemThatIsTrustedStampsWhatIsWrittenThroughAMapping does what leaves no
// stamp on a memory file system: it reads a mapping, and then writes to it.
func TestAFileSystemThatIsTrustedStampsWhatIsWrittenThroughAMapping(t *testing.T) {
	for _, below := range []string{t.TempDir(), "/dev/shm"} {
		dir, err := os.MkdirTemp(below, "stamps-")
		if err != nil {
			continue // not every machine has the second
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		file := filepath.Join(dir, "a")
		if err := os.WriteFile(file, []byte("aaaa"), 0o644); err != nil {
			t.Fatal(err)
		}
		root, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { root.Close() })
		before, err := root.Stat("a")
		if err != nil {
			t.Fatal(err)
		}
		if err := readThenWrite(file); err != nil {
			t.Fatal(err)
		}
		after, err := root.Stat("a")
		if err != nil {
			t.Fatal(err)
		}
		if before == after && root.Stamps() {
			t.Errorf("%s: the bytes changed and the identity didn't, and the file system is trusted", dir)
		}
	}
}

func readThenWrite(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	mapped, err := unix.Mmap(int(f.Fd()), 0, 4, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	mapped[0]++
	return unix.Munmap(mapped)
}
