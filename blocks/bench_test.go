package blocks

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// message returns about size bytes of prose and blocks of source code.
func message(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "The next file holds part %d.\n\n```go file=pkg/part%d.go mode=create\n", i, i)
		for j := range 2000 {
			fmt.Fprintf(&b, "\tcase %d: return `%d`, nil // see ~~~ above\n", j, i*j)
		}
		b.WriteString("```\n")
	}
	return b.String()
}

func BenchmarkParse(b *testing.B) {
	text := message(1 << 20)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if p := Parse(text, Defaults()); len(p.Blocks) < 10 || len(p.Errors) > 0 {
			b.Fatal(p.Errors)
		}
	}
}

// A message of the shortest lines there are is the worst case.
func BenchmarkParseShortLines(b *testing.B) {
	text := "``` file=a\n" + strings.Repeat("\n", 1<<20) + "```\n"
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(text, Defaults())
	}
}

func BenchmarkValidate(b *testing.B) {
	cfg := Defaults()
	p := Parse(message(1<<20), cfg)
	b.ReportAllocs()
	for b.Loop() {
		Validate(p, Rules{Config: cfg})
	}
}

// source is a file of a MiB with distinct lines.
func source() []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < 1<<20; i++ {
		fmt.Fprintf(&b, "\tline %d of the file\n", i)
	}
	return b.Bytes()
}

func BenchmarkResolveReplace(b *testing.B) {
	file := source()
	body := "<<<<<<< SEARCH\n\tline 20000 of the file\n=======\n\tnew\n>>>>>>> REPLACE\n"
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ResolveReplace(file, body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkResolveDiff(b *testing.B) {
	file := source()
	body := "@@ -20010 +20010 @@\n-\tline 20000 of the file\n+\tnew\n"
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ResolveDiff(file, body, 200); err != nil {
			b.Fatal(err)
		}
	}
}

// The largest table that § 19.2 aligns.
func BenchmarkFeedbackDiff(b *testing.B) {
	before, after := []byte(strings.Repeat("a\nb\n", 1000)), []byte(strings.Repeat("b\nc\na\nd\n", 500))
	b.ReportAllocs()
	for b.Loop() {
		NewDiff("f", before, after, 200)
	}
}
