package blocks

import (
	"slices"
	"strings"
	"testing"
)

func TestAttributeErrorsAreJudgedFromLeftToRight(t *testing.T) {
	tests := []struct {
		name string
		info string
		want []tokenError
	}{
		{"a bare word before any attribute is the language", "go file=a", nil},
		{"a second bare word is not", "go x file=a", []tokenError{{CodeUnknownAttr, "x", ""}}},
		{"a refused token is no attribute, so a language may follow", "wut=1 go file=a", []tokenError{{CodeUnknownAttr, "wut=1", ""}}},
		{"a refused token stores nothing", "mode= mode=write file=a", []tokenError{{CodeUnknownAttr, "mode=", ""}}},
		{"an error names the file known by then", "x=1 file=a y=2", []tokenError{{CodeUnknownAttr, "x=1", ""}, {CodeUnknownAttr, "y=2", "a"}}},
		{"equal errors are all kept", "file=a x x", []tokenError{{CodeUnknownAttr, "x", "a"}, {CodeUnknownAttr, "x", "a"}}},
		{"a quote must close before white space", `file=a mode="x"y z`, []tokenError{{CodeUnknownAttr, `mode="x"y`, "a"}, {CodeUnknownAttr, "z", "a"}}},
		{"a quote that never closes reaches to the end", `file=a mode="x y  `, []tokenError{{CodeUnknownAttr, `mode="x y`, "a"}}},
		{"an escaped quote doesn't close", `file=a mode="x\" y`, []tokenError{{CodeUnknownAttr, `mode="x\" y`, "a"}}},
		{"a duplicate is judged after its value", "file=a file= file=b", []tokenError{{CodeUnknownAttr, "file=", "a"}, {CodeDuplicateAttr, "file=b", "a"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := parseAttributes(tt.info, 99).rejected; !slices.Equal(got, tt.want) {
				t.Errorf("%q: got %+v, want %+v", tt.info, got, tt.want)
			}
		})
	}
}

func TestQuotedValuesUnescapeQuotesAndBackslashesOnly(t *testing.T) {
	for info, want := range map[string]string{
		`file="a b"`:       "a b",
		`file="a\"b"`:      `a"b`,
		`file="a\\"`:       `a\`,
		`file="a\\\"b"`:    `a\"b`,
		`file="a\nb\\"`:    `a\nb\`,
		`file=a"b c"`:      `a"b`,
		"file=\"a\u3000\"": "a\u3000",
	} {
		if got := parseAttributes(info, 9).file; got != want {
			t.Errorf("%s: got %q, want %q", info, got, want)
		}
	}
}

func TestNearMisses(t *testing.T) {
	tests := map[string]bool{
		"FILE=a": true, "file = a": true, "{file=a}": true, "js:file=a": true, "file=": true,
		`file="a`: true, "éfile=a": true, "file\u00a0=a": true, "a=b file\t=c": true, "pathfile =a file=": true,
		"path=a file=": false, "profile=a": false, "my-file=a": false, "9file=a": false, "_file=a": false,
		"file": false, "fil e=a": false, `path="x file=y`: false, "files=a": false,
	}
	for info, want := range tests {
		a := parseAttributes(info, 9)
		if got := a.file == "" && isNearMiss(info, a.hasPathKey); got != want {
			t.Errorf("%q: got %v, want %v", info, got, want)
		}
	}
}

func TestErrorsAndHintsNameTheirLine(t *testing.T) {
	p := Parse("a\n``` file=b x\n1\n```\n\n``` FILE=c\n```\n~~~ file=d\n2\n~~~\n", Defaults())
	if len(p.Errors) != 1 || p.Errors[0].Line != 2 {
		t.Errorf("errors: got %+v, want one on line 2", p.Errors)
	}
	if len(p.Hints) != 1 || p.Hints[0].Line != 6 {
		t.Errorf("hints: got %+v, want one on line 6", p.Hints)
	}
	if len(p.Blocks) != 1 || p.Blocks[0].Line != 8 {
		t.Errorf("blocks: got %+v, want one on line 8", p.Blocks)
	}
}

// Tokens refused beyond the bound are forgotten, but their fence stays refused.
func TestAHostileMessageHasBoundedFindings(t *testing.T) {
	p := Parse("``` file=a"+strings.Repeat(" x", 3*maxFindings)+"\n```\n``` file=b y\n```\n"+strings.Repeat("```FILE=`\n", 2*maxFindings), Defaults())
	if len(p.Blocks) != 0 || len(p.Errors) != maxFindings || len(p.Hints) != maxFindings {
		t.Errorf("got %d blocks, %d errors, %d hints, want 0, %d, %d", len(p.Blocks), len(p.Errors), len(p.Hints), maxFindings, maxFindings)
	}
}

func TestInvalidUTF8FailsOnlyAMessageThatHasSomething(t *testing.T) {
	for message, want := range map[string]bool{
		"\xff":                     false,
		"\xff\n``` FILE=a\n```\n":  false,
		"\xff\n``` file=a\n```\n":  true,
		"``` file=a x\n\xff\n```":  true,
		"``` file=a\n\xff\n":       true,
		"``` file=a\n\u00ff\n```":  false,
		"``` file=\"\xff\"\n```\n": true,
	} {
		if got := Parse(message, Defaults()).EncodingError() != nil; got != want {
			t.Errorf("%q: got %v, want %v", message, got, want)
		}
	}
}

func TestPartsAreJoinedByOneLF(t *testing.T) {
	p := Parse(Join([]string{"``` file=a\nx", "y", "```"}), Defaults())
	if len(p.Blocks) != 1 || p.Blocks[0].Content != "x\ny\n" {
		t.Errorf("got %+v, want one block of two lines", p)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("``` file=a mode=edit\nx\n```\n~~~ file=\"b c\"\n~~~")
	f.Add("``` file = a\n```\n```` path=x file=\"\\\"\n")
	f.Fuzz(func(t *testing.T, message string) {
		p := Parse(message, Defaults())
		for i, b := range p.Blocks {
			if b.Path == "" || b.Index != i || b.Content != "" && !strings.HasSuffix(b.Content, "\n") || !strings.Contains(message, b.Content) {
				t.Errorf("block %+v", b)
			}
			reparsed := Parse(rewrite(b), Defaults())
			if len(reparsed.Blocks) != 1 || len(reparsed.Errors) > 0 {
				t.Fatalf("%q: got %+v", rewrite(b), reparsed)
			}
			got := reparsed.Blocks[0]
			got.Index, got.Line = b.Index, b.Line
			if got != b {
				t.Errorf("%q written anew: got %+v, want %+v", message, got, b)
			}
		}
		for _, h := range p.Hints {
			if h.Line < 1 || h.Info != trimSpace(h.Info) {
				t.Errorf("hint %+v", h)
			}
		}
	})
}

// rewrite writes a block as a message: with the longest fence and every value quoted.
func rewrite(b Block) string {
	quote := func(s string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"` }
	fence := strings.Repeat("~", longestRun([]byte(b.Content), '~')+3)
	info := b.Lang + " file=" + quote(b.Path) + " mode=" + quote(string(b.Mode)) + " diff=" + quote(string(b.Diff)) + " encoding=" + quote(b.Encoding)
	if b.NewlineExplicit {
		info += " newline=" + quote(string(b.Newline))
	}
	return fence + " " + info + "\n" + b.Content + fence + "\n"
}
