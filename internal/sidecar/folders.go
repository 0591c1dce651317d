package sidecar

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/strictfs"
)

func folders() []string { return []string{treeFolder, depsFolder, stateFolder} }

// makeFolders makes the folders of the run's own claim for a Pod of another identity:
// nobody but this run's sidecars and fixers mounts them.
func (o *Options) makeFolders() error {
	for _, name := range folders() {
		path := filepath.Join(o.Layout.Workspace, name)
		if err := os.Mkdir(path, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("folder of the run's claim: %w", err)
		}
		if err := os.Chmod(path, 0o777); err != nil { // whatever the umask is
			return fmt.Errorf("folder of the run's claim: %w", err)
		}
	}
	return nil
}

// settleIn makes the folders for this Pod. Where the Pod can't have them as it is, it
// answers with an outcome that asks for another.
func (s *session) settleIn() (*v1alpha1.RunOutcome, error) {
	for _, name := range folders() {
		if err := os.Mkdir(filepath.Join(s.Layout.Workspace, name), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return unsettled(err)
		}
	}
	if err := os.Mkdir(s.Layout.state(), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return unsettled(err)
	}
	return nil, nil
}

func unsettled(err error) (*v1alpha1.RunOutcome, error) {
	if errors.Is(err, fs.ErrPermission) {
		return &v1alpha1.RunOutcome{Redo: &v1alpha1.PodRedo{Folders: true}}, nil
	}
	return nil, fmt.Errorf("folder of the run's claim: %w", err)
}

// judgeOwner looks whose the files of a claim are that is edited in place. Where another
// identity than this Pod's has them, it answers with an outcome that asks for that one, or
// says that no Pod may write to them.
func (s *session) judgeOwner(tree *strictfs.Root) (*v1alpha1.RunOutcome, error) {
	const root = 0
	id, err := tree.StatDir(".")
	switch {
	case err != nil:
		return nil, fmt.Errorf("owner of the source's files: %w", err)
	case id.UID == uint32(os.Geteuid()):
		return nil, nil
	case !s.identityIsGiven() && id.UID != root:
		return &v1alpha1.RunOutcome{Redo: &v1alpha1.PodRedo{
			RunAs: &v1alpha1.RunAs{User: int64(id.UID), Group: new(int64(id.GID))},
		}}, nil
	}
	if _, err := tree.Now(); isDenied(err) {
		return &v1alpha1.RunOutcome{
			Result: v1alpha1.ResultFailed, Reason: v1alpha1.ReasonNotWritable,
			Message: fmt.Sprintf("the files of the claim %s belong to %d:%d, and %d:%d can't write to them",
				s.run.Spec.Plan.Source.PersistentVolumeClaim.ClaimName, id.UID, id.GID, os.Geteuid(), os.Getegid()),
		}, nil
	}
	return nil, nil
}

// identityIsGiven says whether somebody has said already whose the files are.
func (s *session) identityIsGiven() bool {
	if s.run.Spec.Plan.Source.PersistentVolumeClaim.RunAs != nil {
		return true
	}
	known := s.run.Status.Source
	return known != nil && known.RunAs != nil
}

func isDenied(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}
