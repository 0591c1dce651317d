package linediff

import (
	"bytes"
	"iter"
)

// lines yields the lines of text, each with its terminator: \r\n, \n or a lone \r
// (spec §3.3).
func lines(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		lf, cr := next(text, '\n', 0), next(text, '\r', 0)
		for start := 0; start < len(text); {
			end := min(lf, cr) + 1
			if cr < lf && lf == cr+1 {
				end++
			}
			end = min(end, len(text))
			if !yield(text[start:end]) {
				return
			}
			start = end
			if lf < start {
				lf = next(text, '\n', start)
			}
			if cr < start {
				cr = next(text, '\r', start)
			}
		}
	}
}

// next returns the position of the first c at or after start, or len(text).
func next(text []byte, c byte, start int) int {
	if i := bytes.IndexByte(text[start:], c); i >= 0 {
		return start + i
	}
	return len(text)
}

// trim cuts what both texts begin and end with, in whole lines that end with \n.
func trim(a, b []byte) ([]byte, []byte) {
	same := commonPrefix(a, b)
	same = bytes.LastIndexByte(a[:same], '\n') + 1
	a, b = a[same:], b[same:]

	same = commonSuffix(a, b)
	if i := bytes.IndexByte(a[len(a)-same:], '\n'); i >= 0 {
		same -= i + 1
		return a[:len(a)-same], b[:len(b)-same]
	}
	return a, b
}

// step is how many bytes are compared at once.
const step = 64

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for i+step <= n && string(a[i:i+step]) == string(b[i:i+step]) {
		i += step
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

func commonSuffix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for i+step <= n && string(a[len(a)-i-step:len(a)-i]) == string(b[len(b)-i-step:len(b)-i]) {
		i += step
	}
	for i < n && a[len(a)-1-i] == b[len(b)-1-i] {
		i++
	}
	return i
}
