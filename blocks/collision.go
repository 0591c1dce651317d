package blocks

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:generate go run gen_collision.go

// CollisionKey returns a string that is equal for two paths exactly if they differ at
// most by Unicode normalisation (NFC) and full case folding (§ 4.2): two names that some
// file systems take for one. Bytes that aren't UTF-8 stand for themselves. The key is
// for comparing only; it is no path.
func CollisionKey(path string) string {
	if isASCII(path) {
		return strings.ToUpper(path)
	}
	var folded strings.Builder
	for _, s := range decompose(path) {
		folded.WriteString(fold(s))
	}
	return strings.Join(decompose(folded.String()), "")
}

// expansion maps a code point to what stands for it.
type expansion struct {
	r  rune
	to string
}

// classRange gives a combining class to the code points from lo to hi.
type classRange struct {
	lo, hi rune
	class  uint8
}

// decompose returns the canonical decomposition of s, one string for each code point
// or byte that isn't part of one.
func decompose(s string) []string {
	out := make([]string, 0, len(s))
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		d := expand(decompositions[:], r, s[:n])
		if r >= hangulBase && r < hangulBase+hangulCount {
			d = decomposeHangul(r)
		}
		for len(d) > 0 {
			_, m := utf8.DecodeRuneInString(d)
			out = append(out, d[:m])
			d = d[m:]
		}
		s = s[n:]
	}
	sortMarks(out)
	return out
}

// sortMarks brings each run of combining marks into canonical order.
func sortMarks(parts []string) {
	for i := 0; i < len(parts); {
		j := i
		for j < len(parts) && combiningClass(parts[j]) != 0 {
			j++
		}
		slices.SortStableFunc(parts[i:j], func(a, b string) int {
			return int(combiningClass(a)) - int(combiningClass(b))
		})
		i = j + 1
	}
}

func combiningClass(s string) uint8 {
	r, _ := utf8.DecodeRuneInString(s)
	i, ok := slices.BinarySearchFunc(combiningClasses[:], r, func(c classRange, r rune) int {
		switch {
		case c.hi < r:
			return -1
		case c.lo > r:
			return 1
		}
		return 0
	})
	if !ok {
		return 0
	}
	return combiningClasses[i].class
}

// fold returns the case folding of one code point: its full folding, and in place of
// every code point the least of those that fold to one another and is no mark.
func fold(s string) string {
	r, _ := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError {
		return s
	}
	var b strings.Builder
	for _, r := range expand(fullFolds[:], r, s) {
		least := r
		for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
			if o < least && o != ypogegrammeni || least == ypogegrammeni {
				least = o
			}
		}
		b.WriteRune(least)
	}
	return b.String()
}

// ypogegrammeni is the one combining mark that folds to a letter, iota.
const ypogegrammeni = 0x345

// expand returns what stands for r in a table, otherwise s.
func expand(table []expansion, r rune, s string) string {
	i, ok := slices.BinarySearchFunc(table, r, func(e expansion, r rune) int { return int(e.r - r) })
	if !ok {
		return s
	}
	return table[i].to
}

// Hangul syllables decompose by arithmetic (Unicode, section 3.12).
const (
	hangulBase  = 0xAC00
	hangulCount = 11172
	leadBase    = 0x1100
	vowelBase   = 0x1161
	tailBase    = 0x11A7
	vowelCount  = 21
	tailCount   = 28
)

func decomposeHangul(r rune) string {
	i := r - hangulBase
	out := []rune{leadBase + i/(vowelCount*tailCount), vowelBase + i%(vowelCount*tailCount)/tailCount}
	if tail := i % tailCount; tail != 0 {
		out = append(out, tailBase+tail)
	}
	return string(out)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
