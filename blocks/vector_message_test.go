package blocks_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/blocks"
)

type vecError struct {
	Code  blocks.Code `json:"code"`
	Path  *string     `json:"path"`
	Token *string     `json:"token"`
}

// codesOf renders errors in the form that rows and results are compared in.
func codesOf(errs []blocks.Error, withToken bool) []string {
	out := []string{}
	for _, e := range errs {
		s := fmt.Sprintf("%s %q", e.Code, e.Path)
		if withToken {
			s += fmt.Sprintf(" %q", e.Token)
		}
		out = append(out, s)
	}
	return out
}

func wantCodes(errs []vecError, withToken bool) []string {
	out := []string{}
	for _, e := range errs {
		s := fmt.Sprintf("%s %q", e.Code, deref(e.Path))
		if withToken {
			s += fmt.Sprintf(" %q", deref(e.Token))
		}
		out = append(out, s)
	}
	return out
}

func diff(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// vecMessage is the message of a row.
type vecMessage struct {
	Text       vecText `json:"text"`
	TextBase64 string  `json:"textBase64"`
}

func (m vecMessage) text(t *testing.T) string {
	t.Helper()
	if m.TextBase64 == "" {
		return m.Text.text
	}
	b, err := base64.StdEncoding.DecodeString(m.TextBase64)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestVectorParse(t *testing.T) {
	type in struct {
		vecMessage
		DefaultNewline blocks.Newline `json:"defaultNewline"`
	}
	type block struct {
		Path            string         `json:"path"`
		Lang            *string        `json:"lang"`
		Mode            blocks.Mode    `json:"mode"`
		Diff            blocks.Detail  `json:"diff"`
		Encoding        string         `json:"encoding"`
		Newline         blocks.Newline `json:"newline"`
		NewlineExplicit bool           `json:"newlineExplicit"`
		Content         vecText        `json:"content"`
		Index           int            `json:"index"`
	}
	type out struct {
		Blocks []block       `json:"blocks"`
		Errors []vecError    `json:"errors"`
		Hints  []blocks.Hint `json:"hints"`
	}
	runVectors(t, "parse", func(t *testing.T, in in, want out) {
		cfg := blocks.Defaults()
		if in.DefaultNewline != "" {
			cfg.Newline = in.DefaultNewline
		}
		got := blocks.Parse(in.text(t), cfg)
		diff(t, "errors", codesOf(got.Errors, true), wantCodes(want.Errors, true))
		diff(t, "hints", append([]blocks.Hint{}, got.Hints...), append([]blocks.Hint{}, want.Hints...))
		if len(got.Blocks) != len(want.Blocks) {
			t.Fatalf("blocks: got %v, want %d", got.Blocks, len(want.Blocks))
		}
		for i, w := range want.Blocks {
			g := got.Blocks[i]
			w.Content.check(t, "content", []byte(g.Content))
			g.Content, g.Line = "", 0
			diff(t, "block", g, blocks.Block{
				Path: w.Path, Lang: deref(w.Lang), Mode: w.Mode, Diff: w.Diff, Encoding: w.Encoding,
				Newline: w.Newline, NewlineExplicit: w.NewlineExplicit, Index: w.Index,
			})
		}
	})
}

func TestVectorPath(t *testing.T) {
	type in struct {
		Path    string   `json:"path"`
		Root    string   `json:"root"`
		Aliases []string `json:"aliases"`
	}
	type out struct {
		OK    bool        `json:"ok"`
		Path  string      `json:"path"`
		Error blocks.Code `json:"error"`
	}
	runVectors(t, "path", func(t *testing.T, in in, want out) {
		path, err := blocks.TargetPath(in.Path, append([]string{in.Root}, in.Aliases...)...)
		got := out{OK: err == nil, Path: path}
		errors.As(err, &got.Error)
		diff(t, "path", got, want)
	})
}

func TestVectorValidate(t *testing.T) {
	type in struct {
		vecMessage
		EditFormat           *blocks.EditFormat `json:"editFormat"`
		DefaultNewline       *blocks.Newline    `json:"defaultNewline"`
		Limits               vecConfig          `json:"limits"`
		RejectCaseCollisions bool               `json:"rejectCaseCollisions"`
		Root                 string             `json:"root"`
	}
	type out struct {
		ParseErrors []vecError `json:"parseErrors"`
		Errors      []vecError `json:"errors"`
		Valid       bool       `json:"valid"`
		Paths       []string   `json:"paths"`
	}
	runVectors(t, "validate", func(t *testing.T, in in, want out) {
		rules := blocks.Rules{Config: blocks.Defaults()}
		set(&rules.Config.EditFormat, in.EditFormat)
		set(&rules.Config.Newline, in.DefaultNewline)
		in.Limits.apply(&rules.Config)
		rules.Config.RejectCaseCollisions = in.RejectCaseCollisions
		if in.Root != "" {
			rules.Roots = []string{in.Root}
		}
		got := blocks.Validate(blocks.Parse(in.text(t), rules.Config), rules)
		diff(t, "parse errors", codesOf(got.ParseErrors, false), wantCodes(want.ParseErrors, false))
		diff(t, "errors", codesOf(got.Errors, false), wantCodes(want.Errors, false))
		diff(t, "valid", got.OK(), want.Valid)
		paths := slices.DeleteFunc(slices.Clone(got.Targets), func(p string) bool { return p == "" })
		diff(t, "paths", append([]string{}, paths...), append([]string{}, want.Paths...))
		diff(t, "order", codesOf(got.All(), false), append(codesOf(got.ParseErrors, false), codesOf(got.Errors, false)...))
	})
}
