package blocks

import (
	"strings"
	"testing"
)

// § 24.2-24.4: what the texts say, that they don't mention the other dialect, and that
// the mode they advertise is accepted.
func TestPromptTeachesTheActiveDialectOnly(t *testing.T) {
	base := []string{
		"`file=`", "relative", `file="docs/how it works.md"`, "`mode`", "`diff`", "`newline`", "`encoding`", "new files only", "existing files only",
		"empty block", "one transaction", "before any tool call", "one block for each file", "one root", "`stale`", "longer fence", "tildes", "only an example", "`path=`",
	}
	replace := []string{"<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", "whole lines", "exactly once", "empty REPLACE deletes", "anchor", "overlap", "empty SEARCH", "`newline=`", "mode=edit"}
	diff := []string{"@@ -", "without file headers", "context", "remove", "add", "two or three lines", "hint", "recomputed", "numbered", "No newline at end of file", "overlap", "`newline=`", "mode=diff", "longer fence"}
	for format, tt := range map[EditFormat]struct{ says, never []string }{
		FormatReplace: {append(base, replace...), []string{"mode=diff", "hunk", "@@"}},
		FormatGitDiff: {append(base, diff...), []string{"mode=edit", "SEARCH"}},
		FormatNone:    {base, []string{"mode=edit", "mode=diff", "SEARCH", "@@"}},
	} {
		cfg := Defaults()
		cfg.EditFormat = format
		text := Prompt(cfg)
		for _, s := range tt.says {
			if !strings.Contains(text, s) {
				t.Errorf("%s: the prompt doesn't say %q", format, s)
			}
		}
		for _, s := range tt.never {
			if strings.Contains(text, s) {
				t.Errorf("%s: the prompt says %q", format, s)
			}
		}
		if p := Parse(text, cfg); len(p.Blocks) > 0 || len(p.Errors) > 0 {
			t.Errorf("%s: the prompt itself parses to %+v", format, p)
		}
	}
}

// Each example stands in a longer fence. Taken out of it and sent in order, they are
// accepted and do what they show.
func TestPromptExamplesWork(t *testing.T) {
	for format, final := range map[EditFormat]string{
		FormatNone:    "package queue\n\nconst limit = 8\n",
		FormatGitDiff: "package queue\n\nconst limit = 16\n",
		FormatReplace: "package queue\n\nconst limit = 16\n",
	} {
		cfg := Defaults()
		cfg.EditFormat = format
		var content []byte
		scan := newFenceScanner(Prompt(cfg))
		for f, ok := scan.next(); ok; f, ok = scan.next() {
			p := Parse(f.content, cfg)
			v := Validate(p, Rules{Config: cfg})
			if !v.OK() || len(p.Blocks) != 1 || v.Targets[0] != "pkg/limit.go" {
				t.Fatalf("%s: the example parses to %+v, %+v", format, p, v)
			}
			content = resolveText(t, p.Blocks[0], content).Content
		}
		if string(content) != final {
			t.Errorf("%s: the examples give %q, want %q", format, content, final)
		}
	}
}

func TestABasePromptOfOnesOwnKeepsTheDialect(t *testing.T) {
	cfg := Defaults()
	cfg.Prompt = "Write files."
	if got := Prompt(cfg); got != "Write files.\n\n"+promptGitDiff {
		t.Errorf("got %q", got)
	}
	cfg.EditFormat = FormatNone
	if got := Prompt(cfg); got != "Write files.\n" {
		t.Errorf("got %q", got)
	}
}
