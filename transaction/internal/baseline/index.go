package baseline

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/transaction/internal/git"
)

// index lists the files and links of a work tree's index, relative to its top. Without
// an index nothing is tracked.
func (l *lister) index(top *workTree) ([]string, error) {
	names, err := l.readIndex(top.git)
	if err != nil {
		return nil, fmt.Errorf("index of the work tree %q: %w", top.dir, err)
	}
	return names, nil
}

func (l *lister) readIndex(from gitDir) ([]string, error) {
	dir := filepath.Join(l.Scratch, l.TempName())
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	copied := filepath.Join(dir, "index")
	if err := copyFile(copied, from, "index"); err != nil {
		if errors.Is(err, tree.ErrAbsent) {
			return nil, nil
		}
		return nil, err
	}
	if err := copyShared(dir, from); err != nil {
		return nil, err
	}
	formats, err := objectFormats(copied)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, f := range formats {
		names, err := l.list(dir, f, from.objects())
		if err == nil {
			return names, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

func copyFile(to string, from gitDir, name string) error {
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(from.copyTo(f, name), f.Close())
}

// copyShared copies the shared indexes, of which a split one names one.
func copyShared(dir string, from gitDir) error {
	var shared []string
	err := from.root.ReadDir(from.path, func(name []byte, kind tree.Kind) bool {
		if bytes.HasPrefix(name, []byte("sharedindex.")) && kind == tree.Regular {
			shared = append(shared, string(name))
		}
		return true
	})
	if err != nil {
		return err
	}
	for _, name := range shared {
		if err := copyFile(filepath.Join(dir, name), from, name); err != nil && !errors.Is(err, tree.ErrAbsent) {
			return err
		}
	}
	return nil
}

// objectFormat is the hash that a repository names objects by.
type objectFormat string

const (
	formatSHA1   objectFormat = "sha1"
	formatSHA256 objectFormat = "sha256"
)

// objectFormats tells by the checksum at the end of an index which hash it uses. One
// without a checksum may use either.
func objectFormats(path string) ([]objectFormat, error) {
	for _, try := range []struct {
		format objectFormat
		hash   hash.Hash
	}{{formatSHA1, sha1.New()}, {formatSHA256, sha256.New()}} {
		sum, err := checksum(path, try.hash)
		if err != nil {
			return nil, err
		}
		if bytes.Equal(sum, try.hash.Sum(nil)) {
			return []objectFormat{try.format}, nil
		}
		if len(bytes.Trim(sum, "\x00")) == 0 {
			return []objectFormat{formatSHA1, formatSHA256}, nil
		}
	}
	return nil, errors.New("its checksum is wrong")
}

// checksum feeds h with a file but for its last bytes, which it returns.
func checksum(path string, h hash.Hash) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() < int64(h.Size()) {
		return nil, errors.New("it is cut short")
	}
	if _, err := io.CopyN(h, f, info.Size()-int64(h.Size())); err != nil {
		return nil, err
	}
	sum := make([]byte, h.Size())
	_, err = io.ReadFull(f, sum)
	return sum, err
}

// list has git list the index in dir, which becomes a bare repository with nothing in
// it. objects are those of the other repository.
func (l *lister) list(dir string, format objectFormat, objects string) ([]string, error) {
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
	if format == formatSHA256 {
		config = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n"
	}
	err := errors.Join(
		os.MkdirAll(filepath.Join(dir, "objects"), 0o700),
		os.MkdirAll(filepath.Join(dir, "refs"), 0o700),
		os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/none\n"), 0o600),
		os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600),
	)
	if err != nil {
		return nil, err
	}
	out, err := git.ListIndex(l.ctx, git.Index{
		Repo: dir, File: filepath.Join(dir, "index"), Objects: objects, Environ: l.Environ,
	})
	if err != nil {
		return nil, err
	}
	var names []string
	for entry := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		mode, rest, _ := strings.Cut(entry, " ")
		_, name, ok := strings.Cut(rest, "\t")
		if ok && mode != "160000" && mode != "040000" {
			names = append(names, name)
		}
	}
	return names, nil
}
