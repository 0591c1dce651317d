package blocks

import (
	"bytes"
	"index/suffixarray"
	"slices"
)

// matches returns, in ascending order, the lines of file at which pattern begins, of
// those from lo to hi. Overlapping matches count. The pattern has at least one line.
// Time is linear in the lines looked at and those of the pattern, whatever they hold.
func matches(file fileLines, pattern [][]byte, lo, hi int) []int {
	lo, hi = max(lo, 0), min(hi, file.len()-len(pattern))
	if lo > hi {
		return nil
	}
	var found []int
	next := restarts(pattern)
	state := 0
	for i := lo; i < hi+len(pattern); i++ {
		line := file.text(i)
		for state > 0 && !bytes.Equal(pattern[state], line) {
			state = next[state-1]
		}
		if bytes.Equal(pattern[state], line) {
			state++
		}
		if state == len(pattern) {
			found = append(found, i+1-len(pattern))
			state = next[state-1]
		}
	}
	return found
}

// restarts is the failure function of Knuth, Morris and Pratt: for each prefix of the
// pattern the length of its longest proper suffix that the pattern begins with.
func restarts(pattern [][]byte) []int {
	next := make([]int, len(pattern))
	for i, k := 1, 0; i < len(pattern); i++ {
		for k > 0 && !bytes.Equal(pattern[i], pattern[k]) {
			k = next[k-1]
		}
		if bytes.Equal(pattern[i], pattern[k]) {
			k++
		}
		next[i] = k
	}
	return next
}

// indexThreshold is the number of line comparisons from which an index of the file pays.
const indexThreshold = 1 << 24

// finder finds many patterns in one file.
type finder struct {
	file  fileLines
	index *lineIndex // nil: scan
}

// newFinder prepares for a number of searches. Many of them in a long file go through
// an index, so that a hostile message can't make them cost their product.
func newFinder(file fileLines, searches int) finder {
	f := finder{file: file}
	if searches*file.len() > indexThreshold {
		f.index = newLineIndex(file)
	}
	return f
}

func (f finder) find(pattern [][]byte) []int {
	if f.index != nil {
		return f.index.find(pattern)
	}
	return matches(f.file, pattern, 0, f.file.len())
}

// lineIndex is a suffix array of a file's lines, each between two LFs.
type lineIndex struct {
	suffixes *suffixarray.Index
	starts   []int // offset of the LF before each line
}

func newLineIndex(file fileLines) *lineIndex {
	text := make([]byte, 0, len(file.data)+2)
	starts := make([]int, 0, file.len())
	for i := range file.len() {
		starts = append(starts, len(text))
		text = append(append(text, '\n'), file.text(i)...)
	}
	return &lineIndex{suffixes: suffixarray.New(append(text, '\n')), starts: starts}
}

func (x *lineIndex) find(pattern [][]byte) []int {
	key := []byte{'\n'}
	for _, line := range pattern {
		key = append(append(key, line...), '\n')
	}
	found := x.suffixes.Lookup(key, -1)
	slices.Sort(found)
	for i, offset := range found {
		found[i], _ = slices.BinarySearch(x.starts, offset)
	}
	return found
}
