package adapter

import (
	"regexp"
	"strings"

	"github.com/fettle-dev/fettle/internal/diagnostic"
)

// tscReader reads what the TypeScript compiler prints, plain and pretty:
//
//	path(line,column): error TS2322: message
//	path:line:column - error TS2322: message
//	error TS18003: message
//
// Indented lines right after one continue its message. Everything else, such as the
// source that pretty output quotes after an empty line, is passed over.
type tscReader struct {
	collector *collector
	open      bool // f is a finding whose message may go on
	f         diagnostic.Diagnostic
}

func newTSC(c *collector) lineReader { return &tscReader{collector: c} }

const tscMessage = `(error|warning|message) (TS\d+): (.*)$`

var (
	tscPlain  = regexp.MustCompile(`^(\S.*?)\((\d+),(\d+)\): ` + tscMessage)
	tscPretty = regexp.MustCompile(`^(\S.*?):(\d+):(\d+) - ` + tscMessage)
	tscGlobal = regexp.MustCompile(`^` + tscMessage)
)

func (t *tscReader) line(text string) {
	if m := tscPlain.FindStringSubmatch(text); m != nil {
		t.begin(m)
		return
	}
	if m := tscPretty.FindStringSubmatch(text); m != nil {
		t.begin(m)
		return
	}
	if m := tscGlobal.FindStringSubmatch(text); m != nil {
		t.begin([]string{"", "", "", "", m[1], m[2], m[3]})
		return
	}
	if t.open && strings.HasPrefix(text, "  ") && strings.TrimSpace(text) != "" {
		if len(t.f.Message) < maxMessage {
			t.f.Message += "\n" + strings.TrimPrefix(text, "  ")
		}
		return
	}
	t.end()
}

// begin starts a finding from the groups path, line, column, severity, rule, message.
func (t *tscReader) begin(m []string) {
	t.end()
	sev, _ := severity(m[4])
	t.open = true
	t.f = diagnostic.Diagnostic{Path: m[1], Line: number(m[2]), Column: number(m[3]), Severity: sev, Rule: m[5], Message: m[6]}
}

func (t *tscReader) end() {
	if t.open {
		t.collector.add(t.f)
	}
	t.open = false
}
