package blocks

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// plainFence is a fenced code block as both parsers see it. CommonMark takes the
// opener's indentation off the content, which § 2.5 keeps, and ends the last line of a
// text, so lines are compared without leading spaces and always terminated.
type plainFence struct {
	Info    string
	Content string
}

func fencesOf(message string) []plainFence {
	out := []plainFence{}
	scan := newFenceScanner(message)
	for f, ok := scan.next(); ok; f, ok = scan.next() {
		if !f.prose {
			out = append(out, plainFence{strings.Trim(f.info, " \t"), plainContent(f.content)})
		}
	}
	return out
}

func commonMarkFences(message string) []plainFence {
	src := []byte(message)
	out := []plainFence{}
	doc := goldmark.DefaultParser().Parse(text.NewReader(src))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		f, ok := n.(*ast.FencedCodeBlock)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		info := ""
		if f.Info != nil {
			info = string(f.Info.Segment.Value(src))
		}
		var content strings.Builder
		for i := range f.Lines().Len() {
			line := f.Lines().At(i)
			content.Write(line.Value(src))
		}
		out = append(out, plainFence{strings.Trim(info, " \t"), plainContent(content.String())})
		return ast.WalkContinue, nil
	})
	return out
}

func plainContent(content string) string {
	if content != "" && !strings.HasSuffix(content, "\n") {
		content += "\n"
	}
	lines := strings.Split(content, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimLeft(l, " ")
	}
	return strings.Join(lines, "\n")
}

// inCommonSubset reports whether a message lies where the specification and CommonMark agree:
// without containers, HTML and link definitions, which § 2.3 doesn't track, and without
// tabs and lone CRs, which CommonMark takes for indentation and line ends. The last line
// is terminated: goldmark loses the info string of an opener that isn't.
func inCommonSubset(message string) bool {
	if !strings.HasSuffix(message, "\n") || strings.ContainsAny(message, "\t\r\x00<[") || strings.ToValidUTF8(message, "") != message {
		return false
	}
	for line := range strings.SplitSeq(message, "\n") {
		line = strings.TrimLeft(line, " ")
		if line == "" {
			continue
		}
		if strings.IndexByte(">-*+=#", line[0]) >= 0 || '0' <= line[0] && line[0] <= '9' {
			return false
		}
	}
	return true
}

func checkCommonMark(t *testing.T, message string) {
	t.Helper()
	if d := cmp.Diff(commonMarkFences(message), fencesOf(message)); d != "" {
		t.Errorf("fences of %q (-CommonMark +ours):\n%s", message, d)
	}
}

func FuzzFencesAgreeWithCommonMark(f *testing.F) {
	for _, s := range []string{
		"``` file=a\nx\n```\n", "~~~ a\n```\n~~~~\n", "````\n```\n   ````\nb\n```\nx",
		"a\n```js\n\n    ```\n```  \n```\n", "    ```\nx\n", "```a`b\nx\n```\n", "~~~ a`b~\n~~~\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, message string) {
		if inCommonSubset(message) {
			checkCommonMark(t, message)
		}
	})
}

// Random messages out of the pieces that fences are made of.
func TestFencesAgreeWithCommonMarkOnRandomMessages(t *testing.T) {
	indents := []string{"", "", " ", "  ", "   ", "    ", "     "}
	pieces := []string{"```", "````", "~~~", "~~~~", "``", "~~", "`````", "`", "~"}
	tails := []string{"", "", "", " ", "  ", " file=a", "js", " a`b", " ~x", "```", " ``` x"}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		var lines []string
		for range rng.IntN(9) {
			switch rng.IntN(4) {
			case 0:
				lines = append(lines, pick(rng, []string{"", "text", "  text", "     code", "a ``` b"}))
			default:
				lines = append(lines, pick(rng, indents)+pick(rng, pieces)+pick(rng, tails))
			}
		}
		message := strings.Join(lines, "\n") + "\n"
		if !inCommonSubset(message) {
			t.Fatalf("%q is outside the subset", message)
		}
		if checkCommonMark(t, message); t.Failed() {
			return
		}
	}
}

func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }

// Parse must find exactly the fences with a file value, whatever surrounds them.
func TestParseSeesEveryFenceOfTheScanner(t *testing.T) {
	message := "x\n``` file=a\n1\n```\n~~~\n``` file=b\n~~~\n  ~~~js file=c\n3\n ~~~\n"
	var got []string
	for _, b := range Parse(message, Defaults()).Blocks {
		got = append(got, b.Path)
	}
	if want := []string{"a", "c"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
