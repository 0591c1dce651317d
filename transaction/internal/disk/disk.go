// Package disk is the directory that a store projects to: what a path holds, told as
// the version that Git would give its bytes, and how it gets new bytes without ever
// writing over somebody's work (block transaction spec §§ 4.4, 13.2-13.5).
//
// Every path goes to the kernel by strictfs, so no link is followed. Contents are hashed
// as they are: no attribute, filter or setting of a repository takes part (§ 15.3). It
// never touches an entry named .git or anything below one.
package disk

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/internal/strictfs"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/transaction/internal/git"
	"github.com/fettle-dev/fettle/transaction/internal/owner"
)

// Disk is a directory and, once something is written, a place to stage files.
type Disk struct {
	root     *strictfs.Root
	tempDir  string
	temp     *strictfs.Root // nil until UseTemp
	siblings bool           // temp is on another file system: stage beside the targets
	owner    owner.Owner
}

// Open returns the directory root, absolute, clean and without links. Files are staged
// in temp, which is made when it is needed, under names of own.
func Open(root, temp string, own owner.Owner) (*Disk, error) {
	r, err := strictfs.Open(root)
	if err != nil {
		return nil, err
	}
	return &Disk{root: r, tempDir: temp, owner: own}, nil
}

// Root returns the tree that the directory is.
func (d *Disk) Root() *strictfs.Root { return d.root }

// Close lets go of the directories.
func (d *Disk) Close() error {
	err := d.root.Close()
	if d.temp != nil {
		err = errors.Join(err, d.temp.Close())
	}
	return err
}

// UseTemp makes the directory for staging, unless it is there.
func (d *Disk) UseTemp() error {
	if d.temp != nil {
		return nil
	}
	if err := os.MkdirAll(d.tempDir, 0o700); err != nil {
		return fmt.Errorf("directory for temporary files: %w", err)
	}
	temp, err := strictfs.Open(d.tempDir)
	if err != nil {
		return fmt.Errorf("directory for temporary files: %w", err)
	}
	a, errRoot := d.root.StatDir(tree.Root)
	b, errTemp := temp.StatDir(tree.Root)
	if err := errors.Join(errRoot, errTemp); err != nil {
		return errors.Join(err, temp.Close())
	}
	d.temp, d.siblings = temp, a.Dev != b.Dev
	return nil
}

// State is what a path holds.
type State struct {
	// Version is the blob id of the bytes, blocks.VersionAbsent, or
	// blocks.VersionNonFile for a directory, a link, a special file, and what lies below
	// a link.
	Version    string
	Executable bool
	Kind       tree.Kind // 0: absent, or below a link
}

var (
	absent  = State{Version: blocks.VersionAbsent}
	nonFile = State{Version: blocks.VersionNonFile}
)

// tries bounds how often a file that changes while it is read is read again.
const tries = 5

// Look tells what path holds. A file is read once, whatever its size.
func (d *Disk) Look(path string) (State, error) {
	for range tries {
		s, err := d.look(path)
		if !errors.Is(err, git.ErrChanged) {
			return s, err
		}
	}
	return State{}, fmt.Errorf("%q: %w again and again", path, git.ErrChanged)
}

func (d *Disk) look(path string) (State, error) {
	f, id, err := d.root.OpenFile(path)
	if err != nil {
		return d.notAFile(path, err)
	}
	defer f.Close()
	h := git.NewHash(git.Blob, id.Size)
	n, err := io.Copy(h, f)
	if err != nil {
		return State{}, err
	}
	if n != id.Size {
		return State{}, git.ErrChanged
	}
	return State{Version: string(git.Sum(h)), Executable: id.Mode&0o111 != 0, Kind: tree.Regular}, nil
}

// notAFile says what is at a path that could not be opened as a file.
func (d *Disk) notAFile(path string, err error) (State, error) {
	switch {
	case errors.Is(err, tree.ErrAbsent):
		return absent, nil
	case errors.Is(err, tree.ErrInvalid), errors.Is(err, tree.ErrLink), errors.Is(err, tree.ErrNotRegular):
		s := nonFile
		if id, err := d.root.Stat(path); err == nil {
			s.Kind = id.Kind
		}
		return s, nil
	}
	return State{}, err
}

// Read returns the bytes of a file and its state; nil for what is no regular file.
func (d *Disk) Read(path string) ([]byte, State, error) {
	data, id, err := d.root.ReadFile(path, math.MaxInt64-1, nil)
	if err != nil {
		s, err := d.notAFile(path, err)
		return nil, s, err
	}
	if data == nil {
		data = []byte{}
	}
	v := git.Object{Kind: git.Blob, Data: data}.ID()
	return data, State{Version: string(v), Executable: id.Mode&0o111 != 0, Kind: tree.Regular}, nil
}

// Ancestor returns the outermost ancestor of path that is no directory, and what it is;
// 0 if there is none.
func (d *Disk) Ancestor(path string) (string, tree.Kind, error) {
	for i := range len(path) {
		if path[i] != '/' {
			continue
		}
		id, err := d.root.Stat(path[:i])
		if errors.Is(err, tree.ErrAbsent) {
			return "", 0, nil
		}
		if err != nil {
			return "", 0, err
		}
		if id.Kind != tree.Directory {
			return path[:i], id.Kind, nil
		}
	}
	return "", 0, nil
}
