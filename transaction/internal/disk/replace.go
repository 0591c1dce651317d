package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/internal/strictfs"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/transaction/internal/git"
)

// Change is a path that shall get new bytes, or be removed, if it still has those that
// are expected.
type Change struct {
	Path     string
	Expected string // version
	Target   string // version; blocks.VersionAbsent removes
	Mode     git.Mode
	// Write writes the bytes of Target. It is called before anything is replaced.
	Write func(w io.Writer) error
}

// Drift is a path that hadn't the expected bytes: somebody works on it. It is left.
type Drift struct {
	Change
	Found State
}

// batch is the number of files that are staged, and made durable, together.
const batch = 64

// Apply makes the changes. Each file changes all at once, and only if it still has the
// expected bytes at that very moment; others are drift. before is called before each
// path is touched, an error of it ends the work. What was done is durable when Apply
// returns nil.
func (d *Disk) Apply(changes []Change, before func(path string) error) ([]Drift, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	if err := d.UseTemp(); err != nil {
		return nil, err
	}
	var drift []Drift
	for len(changes) > 0 {
		n := min(batch, len(changes))
		more, err := d.applyBatch(changes[:n], before)
		if err != nil {
			return drift, err
		}
		drift = append(drift, more...)
		changes = changes[n:]
	}
	return drift, nil
}

// place is a name in a tree.
type place struct {
	root *strictfs.Root
	path string
}

func (p place) remove() {
	_ = p.root.Remove(p.path) // a temp file that stays is swept
}

func (d *Disk) applyBatch(changes []Change, before func(path string) error) (drift []Drift, err error) {
	staged := make([]place, len(changes))
	defer func() {
		for _, s := range staged {
			if s.root != nil {
				s.remove()
			}
		}
	}()
	touched := map[string]bool{}
	for i, c := range changes {
		if c.Target == blocks.VersionAbsent {
			continue
		}
		if staged[i], err = d.stage(c, touched); err != nil {
			return nil, err
		}
	}
	if err := syncPlaces(staged); err != nil {
		return nil, err
	}
	for i, c := range changes {
		if err := before(c.Path); err != nil {
			return drift, err
		}
		found, err := d.install(c, staged[i])
		if err != nil {
			return drift, fmt.Errorf("%q: %w", c.Path, err)
		}
		if found != nil {
			drift = append(drift, Drift{c, *found})
			continue
		}
		dir, _ := tree.Split(c.Path)
		touched[dir] = true
	}
	dirs := make([]string, 0, len(touched))
	for dir := range touched {
		dirs = append(dirs, dir)
	}
	return drift, d.root.Sync(nil, dirs)
}

// stage writes the new bytes to a temp file on the file system of the target. touched
// gets the directories that it adds entries to.
func (d *Disk) stage(c Change, touched map[string]bool) (place, error) {
	if err := d.parents(c.Path, touched); err != nil {
		if isInTheWay(err) {
			return place{}, nil // install will find what is there
		}
		return place{}, err
	}
	if d.siblings {
		return d.stageBeside(c)
	}
	name := d.owner.TempName()
	f, err := os.OpenFile(filepath.Join(d.tempDir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return place{}, fmt.Errorf("stage %q: %w", c.Path, err)
	}
	p := place{d.temp, name}
	err = errors.Join(c.Write(f), f.Chmod(permissions(c.Mode)), f.Close())
	if err != nil {
		p.remove()
		return place{}, fmt.Errorf("stage %q: %w", c.Path, err)
	}
	return p, nil
}

// stageBeside is stage where the directory for temp files is on another file system.
func (d *Disk) stageBeside(c Change) (place, error) {
	var b strings.Builder
	if err := c.Write(&b); err != nil {
		return place{}, fmt.Errorf("stage %q: %w", c.Path, err)
	}
	p := place{d.root, d.beside(c.Path)}
	_, _, err := d.root.WriteNew(p.path, []byte(b.String()), tree.Attr{Mode: uint32(permissions(c.Mode))})
	return p, err
}

// beside returns the name of a temp file in the directory of path.
func (d *Disk) beside(path string) string {
	dir, _ := tree.Split(path)
	if dir == tree.Root {
		return d.owner.TempName()
	}
	return dir + "/" + d.owner.TempName()
}

func permissions(m git.Mode) fs.FileMode {
	if m == git.ModeExecutable {
		return 0o755
	}
	return 0o644
}

// parents makes the missing directories above path.
func (d *Disk) parents(path string, touched map[string]bool) error {
	dir, _ := tree.Split(path)
	if dir == tree.Root {
		return nil
	}
	_, err := d.root.StatDir(dir)
	if err == nil || errors.Is(err, tree.ErrNotDirectory) || !errors.Is(err, tree.ErrAbsent) {
		return err
	}
	if err := d.parents(dir, touched); err != nil {
		return err
	}
	above, _ := tree.Split(dir)
	touched[above] = true
	err = d.root.Mkdir(dir)
	if errors.Is(err, tree.ErrExists) {
		_, err = d.root.StatDir(dir) // somebody was quicker
	}
	return err
}

// isInTheWay reports whether a directory couldn't be made for what stands in its place:
// work of somebody.
func isInTheWay(err error) bool {
	return errors.Is(err, tree.ErrLink) || errors.Is(err, tree.ErrAbsent) || errors.Is(err, tree.ErrNotDirectory) || errors.Is(err, tree.ErrExists)
}

func syncPlaces(staged []place) error {
	files := map[*strictfs.Root][]string{}
	for _, s := range staged {
		if s.root != nil {
			files[s.root] = append(files[s.root], s.path)
		}
	}
	for root, paths := range files {
		if err := root.Sync(paths, nil); err != nil {
			return err
		}
	}
	return nil
}
