package workspace

import "github.com/fettle-dev/fettle/internal/fault"

// Bounds limit a workspace (spec §1.3, §7.2). A value equal to a limit is allowed.
type Bounds struct {
	MaxFiles        int
	MaxBytesPerFile int64
	MaxTotalBytes   int64
	MaxDepth        int // segments of a path
}

// DefaultBounds are the limits of spec §1.3.
func DefaultBounds() Bounds {
	return Bounds{MaxFiles: 20_000, MaxBytesPerFile: 2 << 20, MaxTotalBytes: 512 << 20, MaxDepth: 32}
}

// Check returns WorkspaceBounds for the first limit that w exceeds: the count, then each
// file in order, then the total (spec §7.2). Depth is the doors' to judge.
func (b Bounds) Check(w *Workspace) error {
	if w.Len() > b.MaxFiles {
		return b.TooManyFiles(w.Len())
	}
	var total int64
	for path, r := range w.files.all() {
		if r.content.Len > b.MaxBytesPerFile {
			return b.FileTooLarge(path, r.content.Len)
		}
		total += r.content.Len
	}
	if total > b.MaxTotalBytes {
		return b.TotalTooLarge(total)
	}
	return nil
}

// TooManyFiles is the refusal of a workspace of n files.
func (b Bounds) TooManyFiles(n int) *fault.Error {
	return fault.New(fault.WorkspaceBounds, fault.ReasonMaxFiles, "",
		"the workspace would hold %d files, and bounds.maxFiles is %d", n, b.MaxFiles).
		WithHint("narrow what is acquired or created, or raise bounds.maxFiles")
}

// FileTooLarge is the refusal of a file of n bytes.
func (b Bounds) FileTooLarge(path string, n int64) *fault.Error {
	return fault.New(fault.WorkspaceBounds, fault.ReasonMaxBytesPerFile, path,
		"the file would have %d bytes, and bounds.maxBytesPerFile is %d", n, b.MaxBytesPerFile).
		WithHint("leave the file out, or raise bounds.maxBytesPerFile")
}

// TotalTooLarge is the refusal of a workspace of n bytes.
func (b Bounds) TotalTooLarge(n int64) *fault.Error {
	return fault.New(fault.WorkspaceBounds, fault.ReasonMaxTotalBytes, "",
		"the workspace would hold %d bytes, and bounds.maxTotalBytes is %d", n, b.MaxTotalBytes).
		WithHint("narrow what is acquired or created, or raise bounds.maxTotalBytes")
}
