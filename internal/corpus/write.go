package corpus

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Write creates the tree of s below root, which must exist and be empty, and returns its
// files sorted by path.
func Write(root string, s Spec) ([]File, error) {
	files, dirs := s.Plan()
	for _, d := range dirs {
		if err := os.Mkdir(filepath.Join(root, d), 0o755); err != nil {
			return nil, fmt.Errorf("corpus directory: %w", err)
		}
	}
	text := NewText(s)
	var buf []byte
	for _, f := range files {
		buf = f.Content(text, buf)
		if err := writeNew(filepath.Join(root, f.Path), buf); err != nil {
			return nil, fmt.Errorf("corpus file: %w", err)
		}
	}
	return files, nil
}

func writeNew(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}
