package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
)

// WorkspaceDigest returns the digest of a workspace (spec §10.2): of the canonical JSON of
// the list of pairs [path, hex SHA-256 of its content], which must come sorted by path.
// An error that the sequence yields ends it.
func WorkspaceDigest(files iter.Seq2[WorkspaceFile, error]) (string, error) {
	h := sha256.New()
	row := []byte{'['}
	last := ""
	for f, err := range files {
		if err != nil {
			return "", fmt.Errorf("digest the workspace: %w", err)
		}
		if last != "" {
			if f.Path <= last {
				return "", fmt.Errorf("digest the workspace: %q comes after %q", f.Path, last)
			}
			row = append(row, ',')
		}
		last = f.Path
		row = append(appendText(append(row, '['), f.Path), `,"`...)
		row = append(hex.AppendEncode(row, f.SHA256[:]), `"]`...)
		h.Write(row)
		row = row[:0]
	}
	h.Write(append(row, ']'))
	return digestOf(h.Sum(nil)), nil
}

// WorkspaceFile is one row of a workspace digest.
type WorkspaceFile struct {
	Path   string
	SHA256 [sha256.Size]byte // of its bytes
}
