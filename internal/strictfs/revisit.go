package strictfs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/tree"
)

// Revisit implements tree.Reader. A path costs one statx from the root, and each
// directory above that isn't among the paths one more.
//
// It is the one place where a path is resolved by a call that would follow a link in a
// parent. Every parent has been seen to be a directory, from the root down, in the same
// call; so to be led astray, somebody must put a link there in between. Nobody is
// there: it runs when no fixer lives (runtime spec §13). And if somebody were, nothing
// wrong would come of it. What decides is whether the identity is the recorded one: one
// with the same device, inode and time of change is that file, by whatever way it was
// found. Any other is read, and that resolves the path strictly, as does Stat here,
// which has the last word on everything that is absent or can't be looked at.
func (r *Root) Revisit(ctx context.Context, paths []string, visit func(i int, id tree.Identity, err error) bool) error {
	if !slices.IsSorted(paths) {
		return fmt.Errorf("revisit: paths aren't sorted: %w", tree.ErrInvalid)
	}
	const contextEvery = 128
	v := revisit{root: r, name: make([]byte, 0, shortPath)}
	for i, path := range paths {
		if i%contextEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		id, err := v.stat(path)
		if err != nil {
			err = fmt.Errorf("stat %q: %w", path, err)
		}
		if !visit(i, id, err) {
			return nil
		}
	}
	return nil
}

// revisit is the state of one call of Revisit.
type revisit struct {
	root *Root
	// above are the directories above the last path, from the first component down,
	// each judged. As paths are sorted, all that is below a directory comes in a row.
	above []judged
	// seen are the paths so far that are directories, sorted: they needn't be judged
	// again when paths below them come.
	seen []string
	name []byte // buffer of a path with its NUL
}

// judged is a directory and why nothing is to be looked at below it, or nil.
type judged struct {
	dir string
	err error
}

func (v *revisit) stat(path string) (tree.Identity, error) {
	if path != tree.Root && !tree.Valid(path) {
		return tree.Identity{}, tree.ErrInvalid
	}
	if len(path) >= unix.PathMax {
		return v.root.identify(path, handle) // too long, wherever it leads
	}
	if err := v.judgeParents(path); err != nil {
		return tree.Identity{}, err
	}
	var stat unix.Statx_t
	err := v.statx(path, &stat)
	if err != nil || stat.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0 && path != tree.Root {
		return v.root.identify(path, handle)
	}
	id := identityOf(&stat)
	if id.Kind == tree.Directory {
		v.seen = append(v.seen, path)
	}
	return id, nil
}

// judgeParents says why there is no way to path, or nil.
func (v *revisit) judgeParents(path string) error {
	for len(v.above) > 0 && !isBelow(path, v.above[len(v.above)-1].dir) {
		v.above = v.above[:len(v.above)-1]
	}
	var err error
	start := 0
	if n := len(v.above); n > 0 {
		err = v.above[n-1].err
		start = len(v.above[n-1].dir) + 1
	}
	for err == nil {
		i := strings.IndexByte(path[start:], '/')
		if i < 0 {
			return nil
		}
		dir := path[:start+i]
		err = v.judge(dir)
		v.above = append(v.above, judged{dir, err})
		start += i + 1
	}
	return err
}

// judge says why nothing is to be looked at below dir, whose parents are judged.
func (v *revisit) judge(dir string) error {
	if _, ok := slices.BinarySearch(v.seen, dir); ok {
		return nil
	}
	var stat unix.Statx_t
	err := v.statx(dir, &stat)
	if err == nil && stat.Attributes&unix.STATX_ATTR_MOUNT_ROOT == 0 && stat.Mode&unix.S_IFMT == unix.S_IFDIR {
		return nil
	}
	return v.root.judgeBelow(dir)
}

// judgeBelow says, strictly, why nothing is to be looked at below dir, or nil.
func (r *Root) judgeBelow(dir string) error {
	p, _, err := r.openParent(dir + "/x")
	if err != nil {
		return err
	}
	p.close()
	return nil
}

func (v *revisit) statx(path string, stat *unix.Statx_t) error {
	v.name = append(append(v.name[:0], path...), 0)
	return statx(v.root.fd, v.name, stat)
}

func isBelow(path, dir string) bool {
	return len(path) > len(dir) && path[len(dir)] == '/' && path[:len(dir)] == dir
}
