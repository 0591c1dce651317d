// Package corpus generates file trees from a seed, so that tests, benchmarks and soak
// runs on different machines see the same names, sizes and bytes (docs/performance.md,
// corpus gen30k). It is for tests: nothing of the product imports it.
//
// It writes below the directory that it is given and nowhere else, and refuses to write
// over what is there.
package corpus

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Spec describes a tree; equal Specs give equal trees.
type Spec struct {
	Seed      uint64
	Files     int
	Dirs      int     // directories below the root, each holding at least one entry
	MeanBytes float64 // arithmetic mean of the file sizes
	Sigma     float64 // spread of the logarithm of the sizes; 0 makes all sizes equal
	MaxBytes  int     // no file is larger
}

// Gen30k is the corpus of the performance goals: 30,000 text files in some 4,400
// directories, sizes log-normal with a mean of 9 KB.
func Gen30k() Spec {
	return Spec{Seed: 30_000, Files: 30_000, Dirs: 4_400, MeanBytes: 9_000, Sigma: 1.3, MaxBytes: 1 << 20}
}

// Small is a corpus of the same make for tests: 600 files in 90 directories.
func Small() Spec {
	return Spec{Seed: 600, Files: 600, Dirs: 90, MeanBytes: 900, Sigma: 1, MaxBytes: 1 << 16}
}

// File is one file of a plan.
type File struct {
	Path string // workspace path
	Size int
	seed uint64
}

// Plan returns the files of the tree sorted by path, and its directories sorted, so that
// a parent stands before what lies below it.
func (s Spec) Plan() (files []File, dirs []string) {
	rng := rand.New(rand.NewPCG(s.Seed, 0x666574746c65))
	dirs = s.planDirs(rng)
	used := make(map[string]bool, s.Files)
	files = make([]File, 0, s.Files)
	for len(files) < s.Files {
		dir := ""
		if i := len(files); i < len(dirs) {
			dir = dirs[i] + "/" // no directory is empty
		} else if i := rng.IntN(len(dirs) + 1); i < len(dirs) {
			dir = dirs[i] + "/"
		}
		path := dir + word(rng) + extension(rng)
		if used[path] {
			continue
		}
		used[path] = true
		files = append(files, File{Path: path, Size: s.size(rng), seed: rng.Uint64()})
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(dirs)
	return files, dirs
}

func (s Spec) planDirs(rng *rand.Rand) []string {
	dirs := make([]string, 0, s.Dirs)
	used := make(map[string]bool, s.Dirs)
	for len(dirs) < s.Dirs {
		dir := word(rng)
		// Most directories lie below one that is there: depths like those of real trees.
		if len(dirs) > 12 {
			if parent := dirs[rng.IntN(len(dirs))]; strings.Count(parent, "/") < 9 {
				dir = parent + "/" + dir
			}
		}
		if used[dir] {
			continue
		}
		used[dir] = true
		dirs = append(dirs, dir)
	}
	return dirs
}

func (s Spec) size(rng *rand.Rand) int {
	mu := math.Log(s.MeanBytes) - s.Sigma*s.Sigma/2
	n := int(math.Exp(mu + s.Sigma*rng.NormFloat64()))
	return min(n, s.MaxBytes)
}

// Text is the stock that contents are cut from; make one per tree with NewText.
type Text []byte

// NewText returns the stock of s.
func NewText(s Spec) Text {
	const size = 1 << 18
	rng := rand.New(rand.NewPCG(s.Seed, 0x74657874))
	var t Text
	for len(t) < size {
		t = fmt.Appendf(t, "const %s%d = %q; // ", word(rng), rng.IntN(1000), word(rng))
		for range rng.IntN(8) {
			t = append(t, word(rng)...)
			t = append(t, ' ')
		}
		t = append(t, '\n')
	}
	return t
}

// Content returns the bytes of f, in buf if they fit: a line that tells f from other
// files, then lines of ASCII text, LF after each but perhaps the last.
func (f File) Content(t Text, buf []byte) []byte {
	buf = fmt.Appendf(buf[:0], "// %s %x\n", f.Path, f.seed)
	at := int(f.seed % uint64(len(t)))
	for len(buf) < f.Size {
		buf = append(buf, t[at:min(len(t), at+f.Size-len(buf))]...)
		at = 0
	}
	return buf[:f.Size]
}

func word(rng *rand.Rand) string {
	const consonants, vowels = "bcdfgklmnprst", "aeiou"
	b := make([]byte, 0, 12)
	for range 2 + rng.IntN(4) {
		b = append(b, consonants[rng.IntN(len(consonants))], vowels[rng.IntN(len(vowels))])
	}
	return string(b)
}

func extension(rng *rand.Rand) string {
	extensions := [...]string{".go", ".go", ".ts", ".ts", ".tsx", ".js", ".css", ".json", ".md", ".yaml"}
	return extensions[rng.IntN(len(extensions))]
}
