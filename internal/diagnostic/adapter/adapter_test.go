package adapter

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/fault"
)

const genericPattern = `^(?P<severity>\w+) (?P<path>[^:]+):(?P<line>-?\d+):(?P<column>\d+)-(?P<endLine>\d+):(?P<endColumn>\d+) (?P<rule>\S+) (?P<message>.*)$`

func TestRead(t *testing.T) {
	const e, w, i = diagnostic.Error, diagnostic.Warning, diagnostic.Info
	for _, tt := range []struct {
		name    string
		format  engine.DiagnosticsFormat
		pattern string
		out     string
		want    []diagnostic.Diagnostic
	}{
		{
			name:   "ESLint's findings have paths, rules, both severities and ranges",
			format: engine.FormatESLintJSON,
			out: `[{"filePath":"/r/src/[id].ts","messages":[
				{"ruleId":"no-console","severity":1,"message":"Unexpected.","line":2,"column":1,"endLine":2,"endColumn":12},
				{"ruleId":null,"fatal":true,"severity":2,"message":"Parsing error: \u001b[31mno\u001b[0m","line":2,"column":6}],
				"output":"const x\n"},{"filePath":"/r/b.ts","messages":[]}]` + "\n",
			want: []diagnostic.Diagnostic{
				{Path: "/r/src/[id].ts", Severity: w, Message: "Unexpected.", Rule: "no-console", Line: 2, Column: 1, EndLine: 2, EndColumn: 12},
				{Path: "/r/src/[id].ts", Severity: e, Message: "Parsing error: no", Line: 2, Column: 6},
			},
		},
		{
			name:   "ESLint's coordinates that are no positive integers are told from absent ones",
			format: engine.FormatESLintJSON,
			out:    `[{"filePath":"a","messages":[{"severity":2,"message":"m","line":0,"column":1.5,"endLine":null,"endColumn":"x"}]}]`,
			want:   []diagnostic.Diagnostic{{Path: "a", Severity: e, Message: "m", Line: -1, Column: -1, EndColumn: -1}},
		},
		{
			name:   "what plugins print before ESLint's array is passed over",
			format: engine.FormatESLintJSON,
			out:    "=====\n[WARN] unsupported version\n\n[{\"filePath\":\"a\",\"messages\":[{\"severity\":2,\"message\":\"m\"}]}]\n",
			want:   []diagnostic.Diagnostic{{Path: "a", Severity: e, Message: "m"}},
		},
		{
			name:   "tsc's plain lines, continuations, and errors without path",
			format: engine.FormatTSC,
			out:    "src/(g)/a.ts(3,7): error TS2322: Type 'A' is not\r\n  Types of 'x'\n    deeper\nnoise\n  not a continuation\nerror TS18003: No inputs.\napp.ts(1,1): warning TS1: w\nlib.ts(2,2): message TS2: i",
			want: []diagnostic.Diagnostic{
				{Path: "src/(g)/a.ts", Severity: e, Rule: "TS2322", Line: 3, Column: 7, Message: "Type 'A' is not\nTypes of 'x'\n  deeper"},
				{Severity: e, Rule: "TS18003", Message: "No inputs."},
				{Path: "app.ts", Severity: w, Rule: "TS1", Line: 1, Column: 1, Message: "w"},
				{Path: "lib.ts", Severity: i, Rule: "TS2", Line: 2, Column: 2, Message: "i"},
			},
		},
		{
			name:   "tsc's pretty lines without their colours and quoted source",
			format: engine.FormatTSC,
			out:    "\x1b[96msrc/a.ts\x1b[0m:\x1b[93m3\x1b[0m:\x1b[93m7\x1b[0m - \x1b[91merror\x1b[0m\x1b[90m TS2322: \x1b[0mType.\n  Why.\n\n\x1b[7m3\x1b[0m const x: number\n\x1b[7m \x1b[0m \x1b[91m      ~\x1b[0m\n\nFound 1 error.\n",
			want:   []diagnostic.Diagnostic{{Path: "src/a.ts", Severity: e, Rule: "TS2322", Line: 3, Column: 7, Message: "Type.\nWhy."}},
		},
		{
			name:   "lines of compilers, with and without column, severity and range",
			format: engine.FormatGNU,
			out: "a.go\n./b.c:7: warning: unused\nc.y:1.2-3.4: note: here\nd:9:1-5: plain\ne:3-4: lines\n" +
				"x/a:b.go:3:1: expected declaration, found foo: bar\n  indented.go:1:1: no\nE: 5: no path\nfatal: not a line\nq.c:1:2: fatal error: gone\n",
			want: []diagnostic.Diagnostic{
				{Path: "./b.c", Severity: w, Message: "unused", Line: 7},
				{Path: "c.y", Severity: i, Message: "here", Line: 1, Column: 2, EndLine: 3, EndColumn: 4},
				{Path: "d", Severity: e, Message: "plain", Line: 9, Column: 1, EndColumn: 5},
				{Path: "e", Severity: e, Message: "lines", Line: 3, EndLine: 4},
				{Path: "x/a:b.go", Severity: e, Message: "expected declaration, found foo: bar", Line: 3, Column: 1},
				{Path: "q.c", Severity: e, Message: "gone", Line: 1, Column: 2},
			},
		},
		{
			name:    "a pattern's named groups",
			format:  engine.FormatPattern,
			pattern: genericPattern,
			out:     "warn a b.ts:1:2-3:4 my/rule all of it\nodd x:-1:0-99999999999:1 r m\nnothing\n",
			want: []diagnostic.Diagnostic{
				{Path: "a b.ts", Severity: w, Message: "all of it", Rule: "my/rule", Line: 1, Column: 2, EndLine: 3, EndColumn: 4},
				{Path: "x", Severity: e, Message: "m", Rule: "r", Line: -1, Column: -1, EndLine: -1, EndColumn: 1},
			},
		},
		{
			name:   "without a format nothing is read",
			format: "",
			out:    "a.go:1:1: error: x\n",
		},
		{
			name:   "invalid UTF-8 and control characters of a message are replaced and dropped",
			format: engine.FormatGNU,
			out:    "a:1: x\xff\x07\x00y\u009bz\n",
			want:   []diagnostic.Diagnostic{{Path: "a", Severity: e, Line: 1, Message: "x\uFFFDyz"}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, err := New(engine.Diagnostics{Format: tt.format, Pattern: tt.pattern})
			if err != nil {
				t.Fatalf("New: %v", err)
			}
			got, err := a.Read(Run{Engine: "tool", Outputs: []Output{{Stdout: []byte(tt.out)}}})
			if err != nil {
				t.Fatalf("Read: %v", err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// reader returns the adapter of a format without pattern.
func reader(t *testing.T, format engine.DiagnosticsFormat) *Adapter {
	t.Helper()
	a, err := New(engine.Diagnostics{Format: format})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestTheStreamThatIsDeclaredIsRead(t *testing.T) {
	outputs := []Output{{Stdout: []byte("out:1: x\n"), Stderr: []byte("err:1: x\nhal"), StderrCut: true}}
	for stream, want := range map[engine.Stream]string{"": "out", engine.StreamStdout: "out", engine.StreamStderr: "err"} {
		a, err := New(engine.Diagnostics{Format: engine.FormatGNU, Stream: stream})
		if err != nil {
			t.Fatal(err)
		}
		got, err := a.Read(Run{Outputs: outputs})
		if err != nil || got[0].Path != want || (len(got) == 2) != (want == "err") {
			t.Errorf("stream %q = %+v, %v, want that of %s, and of its cut alone", stream, got, err, want)
		}
	}
}

func TestReadRefusesWhatIsNoESLintOutput(t *testing.T) {
	for _, tt := range []struct{ name, stdout, want string }{
		{"nothing at all", "", "there is no JSON array"},
		{"words", "Oops! Something went wrong\n", `it starts with "Oops! Something went wrong"`},
		{"an array of something else", `[{"a":1}]`, "doesn't hold ESLint's results"},
		{"numbers", `[1,2]`, "doesn't hold ESLint's results"},
		{"half an array that nobody cut", `[{"filePath":"a","messages":[]},{"fileP`, "unexpected EOF"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := reader(t, engine.FormatESLintJSON)
			_, err := a.Read(Run{Engine: "eslint", Outputs: []Output{{Stdout: []byte(tt.stdout)}}})
			if !fault.Is(err, fault.StepFailed, fault.ReasonEngineError) || fault.As(err).Engine != "eslint" || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want an engine-error of eslint with %q", err, tt.want)
			}
		})
	}
}

func TestReadKeepsWholeEntriesOfAnOutputThatWasCut(t *testing.T) {
	a := reader(t, engine.FormatESLintJSON)
	out := `[{"filePath":"a","messages":[{"severity":2,"message":"m"}]},{"filePath":"b","mess`
	got, err := a.Read(Run{Findings: true, ExitCode: 1, Outputs: []Output{{Stdout: []byte(out), StdoutCut: true}}})
	if err != nil || len(got) != 2 || got[0].Path != "a" || got[1].Severity != diagnostic.Error || !strings.Contains(got[1].Message, "more than is kept") {
		t.Errorf("Read = %+v, %v, want what is whole, and an error for what may be missing", got, err)
	}
}

func TestReadIgnoresTheLastHalfLineOfAStreamThatWasCut(t *testing.T) {
	a := reader(t, engine.FormatGNU)
	got, err := a.Read(Run{Outputs: []Output{{Stdout: []byte("a:1: whole\nb:1: ha"), StdoutCut: true}}})
	if err != nil || len(got) != 2 || got[0].Path != "a" || got[1].Severity != diagnostic.Warning {
		t.Errorf("Read = %+v, %v, want the whole line, and a warning for what is missing", got, err)
	}
}

func TestReadOfAllBatchesComesInOrder(t *testing.T) {
	a := reader(t, engine.FormatGNU)
	got, err := a.Read(Run{Outputs: []Output{{Stdout: []byte("a:1: x")}, {Stdout: []byte("b:1: y")}}})
	if err != nil || len(got) != 2 || got[0].Path != "a" || got[1].Path != "b" {
		t.Errorf("Read = %+v, %v, want a, then b", got, err)
	}
}

func TestExitCodeThatMeansFindingsNeedsOne(t *testing.T) {
	r := Run{Engine: "tool", ExitCode: 2, Findings: true, Outputs: []Output{{Stdout: []byte("bad configuration\n")}}}
	a := reader(t, engine.FormatGNU)
	if _, err := a.Read(r); !fault.Is(err, fault.StepFailed, fault.ReasonEngineError) {
		t.Errorf("error = %v, want engine-error: the code says findings, the output has none", err)
	}
	none := reader(t, "")
	got, err := none.Read(r)
	if err != nil || len(got) != 1 || got[0].Severity != diagnostic.Error || got[0].Path != "" {
		t.Errorf("Read without format = %+v, %v, want one error without path", got, err)
	}
}

func TestFindingsBeyondTheLimitAreCounted(t *testing.T) {
	a := reader(t, engine.FormatGNU)
	out := strings.Repeat("a:1: warning: w\n", MaxFindings) + strings.Repeat("a:1: note: n\n", 3) + "a:1: bad\n"
	got, err := a.Read(Run{Outputs: []Output{{Stdout: []byte(out)}}})
	if err != nil || len(got) != MaxFindings+1 {
		t.Fatalf("Read = %d diagnostics, %v; want %d and their sum", len(got), err, MaxFindings)
	}
	if last := got[MaxFindings]; last.Severity != diagnostic.Error || last.Count != 4 || last.Path != "" {
		t.Errorf("the last = %+v, want an error that counts 4: one of them is an error", last)
	}
}

func TestLongTextsAreCut(t *testing.T) {
	a := reader(t, engine.FormatGNU)
	got, _ := a.Read(Run{Outputs: []Output{{Stdout: []byte("a:1: " + strings.Repeat("ä", 10_000) + "\nb:1: " + strings.Repeat("x", maxLine) + "\n")}}})
	if len(got) != 1 || len(got[0].Message) > maxMessage || !strings.HasSuffix(got[0].Message, "ä…") {
		t.Errorf("Read keeps %d findings, want one whose message is cut to %d bytes", len(got), maxMessage)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, tt := range []struct {
		name    string
		format  engine.DiagnosticsFormat
		pattern string
		kind    fault.Kind
		reason  fault.Reason
	}{
		{"an unknown format", "XML", "", fault.InvalidPipeline, fault.ReasonType},
		{"SARIF, for now", engine.FormatSARIF, "", fault.StepUnavailable, ""},
		{"a pattern that isn't asked for", engine.FormatGNU, "x", fault.InvalidPipeline, fault.ReasonUnknownKey},
		{"no pattern", engine.FormatPattern, "", fault.InvalidPipeline, fault.ReasonBound},
		{"a pattern that is too long", engine.FormatPattern, "(?P<message>" + strings.Repeat("x", 1024) + ")", fault.InvalidPipeline, fault.ReasonBound},
		{"a pattern that isn't RE2", engine.FormatPattern, `(?P<message>(?=x))`, fault.InvalidPipeline, fault.ReasonType},
		{"a group of another name", engine.FormatPattern, `(?P<message>.)(?P<col>.)`, fault.InvalidPipeline, fault.ReasonUnknownKey},
		{"a pattern without message", engine.FormatPattern, `(?P<path>.)`, fault.InvalidPipeline, fault.ReasonType},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := New(engine.Diagnostics{Format: tt.format, Pattern: tt.pattern})
			if !fault.Is(err, tt.kind, tt.reason) || fault.As(err).Hint == "" {
				t.Errorf("error = %v, want %s (%s) with a hint", err, tt.kind, tt.reason)
			}
		})
	}
}
