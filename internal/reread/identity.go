package reread

import (
	"time"

	"github.com/fettle-dev/fettle/internal/tree"
)

// A stamp proves nothing about a change that came within one tick of the file system's
// clock. These are longer than any tick: of kernels whose stamps move by the jiffy, and
// of file systems whose stamps show whole seconds.
const (
	racyMargin       = 20 * time.Millisecond
	racyMarginCoarse = 2 * time.Second
)

// settled says whether a time of change lies so far before the snapshot's start that
// every later change has another one. A start of 0 is unknown.
func settled(ctime, started int64) bool {
	margin := racyMargin
	if ctime%int64(time.Second) == 0 {
		margin = racyMarginCoarse
	}
	return ctime < started-int64(margin)
}

// sameFile says whether two looks saw one file without any change in between, given that
// the earlier one was settled. The number of names isn't part of a file.
func sameFile(a, b tree.Identity) bool {
	a.Nlink = b.Nlink
	return a == b
}

// DirStamp is what tells that a directory holds the same names as before: every name
// that comes or goes stamps it.
type DirStamp struct {
	Dev, Ino     uint64
	Mtime, Ctime int64
}

func stampOf(id tree.Identity) DirStamp {
	return DirStamp{Dev: id.Dev, Ino: id.Ino, Mtime: id.Mtime, Ctime: id.Ctime}
}
