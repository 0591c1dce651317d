package docs_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/cli"
)

// TestEveryCommandThatIsShownExists with the flags that it is shown with: in code blocks
// of a shell, and in text between backticks.
func TestEveryCommandThatIsShownExists(t *testing.T) {
	helps := map[string]string{}
	found := 0
	for _, p := range pages(t) {
		if p.decision() {
			continue
		}
		for _, line := range p.commands() {
			found++
			name, flags := parse(line)
			help, ok := helps[name]
			if !ok {
				help = helpOf(t, name)
				helps[name] = help
			}
			if help == "" {
				t.Errorf("%s: there is no command %q: %s", p.path, name, line)
				continue
			}
			for _, flag := range flags {
				if !offers(help, flag) {
					t.Errorf("%s: fettle %s has no flag %s: %s", p.path, name, flag, line)
				}
			}
		}
	}
	if found < 20 {
		t.Errorf("found %d commands, want at least 20", found)
	}
}

// commands returns the command lines of fettle that a page shows.
func (p page) commands() []string {
	var all []string
	for _, f := range p.fences() {
		if !f.is("sh", "bash", "console") {
			continue
		}
		for line := range strings.Lines(f.text) {
			all = append(all, strings.TrimPrefix(strings.TrimSpace(line), "$ "))
		}
	}
	all = append(all, p.codeSpans()...)
	var ours []string
	for _, line := range all {
		line, _, _ = strings.Cut(line, " #")
		line, _, _ = strings.Cut(line, "|")
		if rest, ok := strings.CutPrefix(strings.TrimPrefix(line, "bin/"), "fettle "); ok {
			ours = append(ours, rest)
		}
	}
	return ours
}

// parse takes a command line apart: the name of the command, "" if there is none, and its
// flags without values.
func parse(line string) (name string, flags []string) {
	for i, word := range strings.Fields(line) {
		switch {
		case strings.HasPrefix(word, "-") && word != "-":
			flag, _, _ := strings.Cut(word, "=")
			flags = append(flags, flag)
		case i == 0:
			name = word
		}
	}
	return name, flags
}

// helpOf returns what a command says about itself, "" if there is no such command.
func helpOf(t *testing.T, name string) string {
	t.Helper()
	var out, errs bytes.Buffer
	env := cli.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }}
	args := []string{"--help"}
	if name != "" {
		args = []string{name, "--help"}
	}
	if cli.Main(t.Context(), env, args) != 0 || !strings.Contains(out.String(), strings.TrimSpace("fettle "+name)+" ") {
		return ""
	}
	return out.String()
}

// offers reports whether a help text lists a flag.
func offers(help, flag string) bool {
	for word := range strings.FieldsFuncSeq(help, func(r rune) bool { return r == ' ' || r == ',' || r == '\n' }) {
		if word == flag {
			return true
		}
	}
	return false
}
