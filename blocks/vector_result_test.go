package blocks_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/blocks"
)

type vecModesIn struct {
	Existing       *vecText           `json:"existing"`
	Mode           *string            `json:"mode"`
	Body           vecText            `json:"body"`
	Diff           *string            `json:"diff"`
	Newline        *string            `json:"newline"`
	Encoding       *string            `json:"encoding"`
	DefaultNewline *blocks.Newline    `json:"defaultNewline"`
	EditFormat     *blocks.EditFormat `json:"editFormat"`
	Config         vecConfig          `json:"config"`
}

type vecModesOut struct {
	Status       blocks.Status   `json:"status"`
	Errors       []blocks.Code   `json:"errors"`
	Result       json.RawMessage `json:"result"`
	Content      *vecText        `json:"content"`
	Committed    bool            `json:"committed"`
	ToolsAllowed bool            `json:"toolsAllowed"`
}

// message builds the message that the row stands for.
func (in vecModesIn) message() string {
	fence := strings.Repeat("`", 12)
	var b strings.Builder
	b.WriteString(fence + "text file=f.txt")
	for _, a := range []struct {
		name  string
		value *string
	}{{"mode", in.Mode}, {"diff", in.Diff}, {"newline", in.Newline}, {"encoding", in.Encoding}} {
		if a.value != nil {
			b.WriteString(" " + a.name + "=" + *a.value)
		}
	}
	b.WriteString("\n" + in.Body.text)
	if in.Body.text == "" || strings.HasSuffix(in.Body.text, "\n") {
		b.WriteString(fence + "\n")
	}
	return b.String()
}

func (in vecModesIn) config() blocks.Config {
	cfg := blocks.Defaults()
	if deref(in.Mode) == string(blocks.ModeEdit) {
		cfg.EditFormat = blocks.FormatReplace
	}
	set(&cfg.EditFormat, in.EditFormat)
	set(&cfg.Newline, in.DefaultNewline)
	in.Config.apply(&cfg)
	return cfg
}

// settle runs a message against one file as a transaction without a store does.
func settle(message string, existing []byte, cfg blocks.Config) (blocks.Report, []byte) {
	p := blocks.Parse(message, cfg)
	v := blocks.Validate(p, blocks.Rules{Config: cfg})
	if !v.OK() {
		return blocks.Report{Status: blocks.StatusFailed, Errors: v.All()}, existing
	}
	observed := make([]blocks.Observed, len(p.Blocks))
	for i := range observed {
		observed[i].Content = existing
	}
	r := blocks.ResolveAll(p.Blocks, v.Targets, observed, cfg)
	if len(r.Preconditions) > 0 {
		return blocks.Report{Status: blocks.StatusPreconditionFailed, Errors: r.Preconditions}, existing
	}
	if len(r.Unresolved) > 0 {
		return blocks.Report{Status: blocks.StatusEditUnresolved, Errors: r.Unresolved}, existing
	}
	if errs := blocks.ValidateResolved(r.Candidates, cfg); len(errs) > 0 {
		return blocks.Report{Status: blocks.StatusFailed, Errors: errs}, existing
	}
	report := blocks.Report{Status: blocks.StatusUnchanged}
	content := existing
	for _, c := range r.Candidates {
		report.Results = append(report.Results, c.Result)
		if c.Changes() {
			report.Status, content = blocks.StatusCommitted, c.Content
		}
	}
	return report, content
}

func TestVectorModes(t *testing.T) {
	runVectors(t, "modes", func(t *testing.T, in vecModesIn, want vecModesOut) {
		report, content := settle(in.message(), in.Existing.bytes(), in.config())
		diff(t, "status", report.Status, want.Status)
		diff(t, "tools allowed", report.OK(), want.ToolsAllowed)
		diff(t, "committed", report.Status == blocks.StatusCommitted, want.Committed)
		codes := []blocks.Code{}
		for _, e := range report.Errors {
			codes = append(codes, e.Code)
		}
		diff(t, "errors", codes, append([]blocks.Code{}, want.Errors...))
		want.Content.check(t, "content", content)
		if string(want.Result) == "null" {
			if len(report.Results) > 0 {
				t.Errorf("got results %+v, want none", report.Results)
			}
			return
		}
		if len(report.Results) != 1 {
			t.Fatalf("got %d results, want 1", len(report.Results))
		}
		checkResult(t, report.Results[0], want.Result)
	})
}

// checkResult compares the JSON form of a result with a row's, which leaves out the
// encoding and the text of a cut diff.
func checkResult(t *testing.T, result blocks.Result, want json.RawMessage) {
	t.Helper()
	data, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	var got, expected map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(want, &expected); err != nil {
		t.Fatal(err)
	}
	diff(t, "encoding", got["encoding"], any("utf-8"))
	delete(got, "encoding")
	if _, cut := got["diffTruncatedTo"]; cut {
		got["diffText"] = nil
	}
	diff(t, "result", got, expected)
}

func TestVectorFeedbackDiff(t *testing.T) {
	type in struct {
		Old vecText `json:"old"`
		New vecText `json:"new"`
	}
	type stats struct {
		Added   int `json:"added"`
		Removed int `json:"removed"`
	}
	type out struct {
		Text  *vecText `json:"text"`
		Stats stats    `json:"stats"`
	}
	runVectors(t, "udiff", func(t *testing.T, in in, want out) {
		d := blocks.NewDiff("f", in.Old.bytes(), in.New.bytes(), blocks.AllLines)
		want.Text.checkString(t, "text", d.Text)
		diff(t, "stats", stats{d.Added, d.Removed}, want.Stats)
		d = blocks.NewDiff("f", in.Old.bytes(), in.New.bytes(), 0)
		diff(t, "stats without a text", stats{d.Added, d.Removed}, want.Stats)
	})
}

func TestVectorEcho(t *testing.T) {
	type in struct {
		Path         string   `json:"path"`
		Content      *vecText `json:"content"`
		Numbered     bool     `json:"numbered"`
		MaxEchoBytes *int64   `json:"maxEchoBytes"`
	}
	type out struct {
		Text    *vecText       `json:"text"`
		StandIn blocks.StandIn `json:"standIn"`
	}
	runVectors(t, "echo", func(t *testing.T, in in, want out) {
		cfg := blocks.Defaults()
		if !in.Numbered {
			cfg.EditFormat = blocks.FormatReplace
		}
		set(&cfg.MaxEchoBytes, in.MaxEchoBytes)
		text, why := blocks.Echo(in.Path, in.Content.bytes(), "v", cfg)
		want.Text.checkString(t, "text", text)
		diff(t, "stand-in", why, want.StandIn)
		if p := blocks.Parse(text, cfg); !p.Nothing() {
			t.Errorf("the echo parses to %+v", p)
		}
	})
}
