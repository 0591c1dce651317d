package linediff

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Performance notes §4, P8: counts are minimal; 1 MB with 1% edits in at most 5 ms, the
// worst of 100,000 lines in at most 1 s, and no slower than git but for 100k/20%. Each
// round times Count and the git process in turn; ms is Count, x-git their ratio.
func BenchmarkLineStat(b *testing.B) {
	for _, input := range statInputs() {
		b.Run(input.name, func(b *testing.B) {
			dir := b.TempDir()
			before, after := filepath.Join(dir, "before"), filepath.Join(dir, "after")
			for path, data := range map[string][]byte{before: input.before, after: input.after} {
				if err := os.WriteFile(path, data, 0o600); err != nil {
					b.Fatal(err)
				}
			}
			var own, git time.Duration
			for b.Loop() {
				start := time.Now()
				stat := Count(input.before, input.after)
				own += time.Since(start)
				if !stat.Exact {
					b.Fatal("the count isn't exact")
				}
				start = time.Now()
				cmd := exec.Command("git", "diff", "--numstat", "--no-index", before, after)
				if out, err := cmd.Output(); len(out) == 0 {
					b.Fatalf("git diff: %v", err)
				}
				git += time.Since(start)
			}
			b.ReportMetric(float64(own.Microseconds())/1000/float64(b.N), "ms")
			b.ReportMetric(float64(own)/float64(git), "x-git")
			b.ReportMetric(0, "ns/op")
		})
	}
}

type statInput struct {
	name          string
	before, after []byte
}

func statInputs() []statInput {
	rnd := rand.New(rand.NewPCG(4, 4))
	megabyte := sourceLike(rnd, 30_000)
	hundred := make([][]byte, 100_000)
	for i := range hundred {
		hundred[i] = fmt.Appendf(nil, "line %d\n", rnd.IntN(1_000_000))
	}
	other := make([][]byte, len(hundred))
	for i := range other {
		other[i] = fmt.Appendf(nil, "other %d\n", i)
	}
	reversed := make([][]byte, len(hundred))
	for i, line := range hundred {
		reversed[len(hundred)-1-i] = line
	}
	shuffled := append([][]byte(nil), hundred...)
	rnd.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	inserted := append(append(append([][]byte(nil), hundred[:50_000]...), []byte("new\n")), hundred[50_000:]...)
	indented := make([][]byte, len(megabyte))
	for i, line := range megabyte {
		indented[i] = append([]byte("  "), line...)
	}
	join := func(name string, before, after [][]byte) statInput {
		return statInput{name, bytes.Join(before, nil), bytes.Join(after, nil)}
	}
	return []statInput{
		join("1MB/1pct", megabyte, changed(rnd, megabyte, 1)),
		join("1MB/20pct", megabyte, changed(rnd, megabyte, 20)),
		join("1MB/indented", megabyte, indented),
		{"1MB/oneline", bytes.Repeat([]byte("x"), 1<<20), append(bytes.Repeat([]byte("x"), 1<<20), 'y')},
		join("100k/insert", hundred, inserted),
		join("100k/1pct", hundred, changed(rnd, hundred, 1)),
		join("100k/20pct", hundred, changed(rnd, hundred, 20)),
		join("100k/disjoint", hundred, other),
		join("100k/shuffled", hundred, shuffled),
		join("100k/reversed", hundred, reversed),
		join("100k/2symbols", coins(rnd), coins(rnd)),
	}
}

// sourceLike has the repetitions of source code: a third of its lines are common ones.
func sourceLike(rnd *rand.Rand, n int) [][]byte {
	common := []string{"}\n", "\n", "\treturn nil\n", "\t}\n", "\tif err != nil {\n", "\t\treturn err\n", "{\n", "\tbreak\n"}
	list := make([][]byte, n)
	for i := range list {
		if rnd.IntN(3) == 0 {
			list[i] = []byte(common[rnd.IntN(len(common))])
			continue
		}
		list[i] = fmt.Appendf(nil, "\tvalue%d := compute(input%d, %d)\n", rnd.IntN(n), rnd.IntN(100), i)
	}
	return list
}

// changed is list with percent of its lines replaced, removed, doubled or copied.
func changed(rnd *rand.Rand, list [][]byte, percent int) [][]byte {
	var out [][]byte
	for i, line := range list {
		if rnd.IntN(100) >= percent {
			out = append(out, line)
			continue
		}
		switch rnd.IntN(4) {
		case 0:
			out = append(out, fmt.Appendf(nil, "changed %d\n", i))
		case 1:
		case 2:
			out = append(out, line, line)
		case 3:
			out = append(out, list[rnd.IntN(len(list))])
		}
	}
	return out
}

func coins(rnd *rand.Rand) [][]byte {
	list := make([][]byte, 100_000)
	for i := range list {
		list[i] = []byte([]string{"head\n", "tail\n"}[rnd.IntN(2)])
	}
	return list
}

// What a person may have to wait for a diff of the inputs above.
func BenchmarkUnified(b *testing.B) {
	for _, input := range statInputs() {
		b.Run(input.name, func(b *testing.B) {
			for b.Loop() {
				AppendUnified(nil, Side{Path: "a", Data: input.before}, Side{Path: "a", Data: input.after})
			}
		})
	}
}
