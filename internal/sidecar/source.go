package sidecar

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/pathdoor"
	"github.com/fettle-dev/fettle/internal/strictfs"
	"github.com/fettle-dev/fettle/internal/tree"
)

// maxKey bounds what is read of one key: all of a ConfigMap has at most 1 MiB.
const maxKey = 4 << 20

// inPlace says whether the run changes the files of a user's claim.
func (s *session) inPlace() bool {
	return s.run.Spec.Plan.Source.PersistentVolumeClaim != nil && !s.checks()
}

// checks says whether the run works on a copy and publishes nothing.
func (s *session) checks() bool { return s.run.Spec.Plan.Mode == v1alpha1.PipelineModeCheck }

// bring fills the tree of the run's own claim from its source. It is done before the run
// has any state; what an earlier attempt left half done is removed first.
func (s *session) bring(ctx context.Context) error {
	source := s.run.Spec.Plan.Source
	switch {
	case source.ConfigMap != nil:
		return s.bringKeys(*source.ConfigMap)
	case source.PersistentVolumeClaim != nil && s.checks():
		return s.bringCopy(ctx, *source.PersistentVolumeClaim)
	case source.PersistentVolumeClaim != nil:
		return nil
	default:
		return fault.New(fault.StepUnavailable, "", "", "this build brings in no Git repository yet").
			WithHint("put the files into a claim or a ConfigMap")
	}
}

// bringKeys writes a file for each item of a ConfigMap.
func (s *session) bringKeys(source v1alpha1.ConfigMapSource) error {
	files, err := s.filesOf(source)
	if err != nil {
		return err
	}
	mounted, err := os.OpenRoot(s.Layout.Source)
	if err != nil {
		return fmt.Errorf("source: %w", err)
	}
	defer func() { _ = mounted.Close() }()
	if err := empty(s.tree, tree.Root); err != nil {
		return fmt.Errorf("empty the tree: %w", err)
	}
	dirs := map[string]bool{tree.Root: true}
	for _, f := range files {
		data, err := readKey(mounted, f.mounted)
		if err != nil {
			return fault.New(fault.StepFailed, fault.ReasonIO, f.path, "the ConfigMap %s has no readable key %s", source.Name, f.key).WithCause(err)
		}
		if err := makeFile(s.tree, f, data, dirs); err != nil {
			return err
		}
	}
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.path
	}
	all := make([]string, 0, len(dirs))
	for d := range dirs {
		all = append(all, d)
	}
	if err := s.tree.Sync(paths, all); err != nil {
		return fmt.Errorf("source: %w", err)
	}
	return nil
}

// keyFile is one file of a source.
type keyFile struct {
	key     string
	mounted string // below the source, as the kubelet lays it out
	path    string // in the tree
}

// filesOf lists the files of a ConfigMap: its items, through the door of literals, or
// without items a file for each key.
func (s *session) filesOf(source v1alpha1.ConfigMapSource) ([]keyFile, error) {
	depth := s.config.Acquire.Bounds.MaxDepth
	var files []keyFile
	for _, item := range source.Items {
		path, err := pathdoor.Literal(string(item.Path), depth)
		if err != nil {
			return nil, err
		}
		files = append(files, keyFile{key: item.Key, mounted: string(item.Path), path: path})
	}
	if len(source.Items) > 0 {
		return files, nil
	}
	entries, err := os.ReadDir(s.Layout.Source)
	if err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "..") { // those are the kubelet's; no key begins so
			files = append(files, keyFile{key: e.Name(), mounted: e.Name(), path: e.Name()})
		}
	}
	return files, nil
}

// readKey reads a file that the kubelet has put there, by its links: none of them leads
// out of the volume.
func readKey(mounted *os.Root, name string) ([]byte, error) {
	file, err := mounted.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxKey+1))
	if err == nil && len(data) > maxKey {
		err = tree.ErrTooLarge
	}
	return data, err
}

// makeFile writes one file; dirs are the directories that there are.
func makeFile(t tree.Writer, f keyFile, data []byte, dirs map[string]bool) error {
	dir, _ := tree.Split(f.path)
	if err := makeParents(t, dir, dirs); err != nil {
		return misplaced(f, err)
	}
	if _, _, err := t.WriteNew(f.path, data, tree.Attr{Mode: 0o644}); err != nil {
		return misplaced(f, err)
	}
	return nil
}

func makeParents(t tree.Writer, dir string, made map[string]bool) error {
	if made[dir] {
		return nil
	}
	parent, _ := tree.Split(dir)
	if err := makeParents(t, parent, made); err != nil {
		return err
	}
	made[dir] = true
	return t.Mkdir(dir)
}

// misplaced says which item of a source can't be where it is wanted.
func misplaced(f keyFile, err error) error {
	if errors.Is(err, tree.ErrExists) || errors.Is(err, tree.ErrAbsent) {
		return fault.New(fault.InvalidPipeline, fault.ReasonType, f.path, "the source's item %s is where another one is", f.key).
			WithHint("give each item a path of its own, and none a path below another's")
	}
	return fmt.Errorf("source: %w", err)
}

// bringCopy copies the path of a user's claim, which this run only reads.
func (s *session) bringCopy(ctx context.Context, source v1alpha1.ClaimSource) error {
	from, err := s.openBelowSource(filepath.Join(s.Layout.Source, string(source.Path)))
	if err != nil {
		return err
	}
	defer from.Close()
	own, err := strictfs.OpenIn(s.Layout.Workspace, s.scratch())
	if err != nil {
		return err
	}
	defer own.Close()
	if err := empty(own, treeFolder); err != nil {
		return fmt.Errorf("empty the tree: %w", err)
	}
	if err := own.RemoveDir(treeFolder); err != nil {
		return fmt.Errorf("empty the tree: %w", err)
	}
	if _, err := from.CopyTo(ctx, s.Layout.tree(), nil); err != nil {
		return fmt.Errorf("copy the source: %w", err)
	}
	return s.tree.Reopen()
}

// openBelowSource opens a directory of the user's claim, which is to be reached without
// links. Refusals are *fault.Error.
func (s *session) openBelowSource(dir string) (*strictfs.Root, error) {
	below, err := filepath.Rel(s.Layout.Source, dir)
	if err != nil || !filepath.IsLocal(below) {
		return nil, fmt.Errorf("tree %s: it isn't below %s", dir, s.Layout.Source)
	}
	if below != tree.Root {
		whole, err := strictfs.OpenIn(s.Layout.Source, s.scratch())
		if err != nil {
			return nil, err
		}
		_, err = whole.StatDir(below)
		whole.Close()
		if err != nil {
			return nil, unreachable(below, err)
		}
	}
	return strictfs.OpenIn(dir, s.scratch())
}

func unreachable(path string, err error) error {
	refusal := func(reason fault.Reason, what string) error {
		return fault.New(fault.PathRefused, reason, path, "the source's path %s", what).WithHint("name a directory of the claim, by a path without links")
	}
	switch {
	case errors.Is(err, tree.ErrLink):
		return refusal(fault.ClassLink, "is a symbolic link, or runs through one")
	case errors.Is(err, tree.ErrNotDirectory):
		return refusal(fault.ClassParentNotDirectory, "is not a directory")
	case errors.Is(err, fs.ErrNotExist):
		return refusal(fault.ReasonAbsent, "doesn't exist in the claim")
	case errors.Is(err, tree.ErrUnlookable):
		return refusal(fault.ClassUnreadableComponent, "can't be looked at")
	default:
		return fmt.Errorf("source: %w", err)
	}
}

// empty removes everything below a directory.
func empty(t tree.Tree, dir string) error {
	type entry struct {
		name string
		kind tree.Kind
	}
	var entries []entry
	err := t.ReadDir(dir, func(name []byte, kind tree.Kind) bool {
		entries = append(entries, entry{string(name), kind})
		return true
	})
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := e.name
		if dir != tree.Root {
			path = dir + "/" + e.name
		}
		if e.kind != tree.Directory {
			err = t.Remove(path)
		} else if err = empty(t, path); err == nil {
			err = t.RemoveDir(path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
