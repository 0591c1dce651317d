package adapter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/fettle-dev/fettle/internal/diagnostic"
)

// eslintFile is an entry of ESLint's JSON formatter. Sources and outputs are passed over.
type eslintFile struct {
	FilePath string          `json:"filePath"`
	Messages []eslintMessage `json:"messages"`
}

type eslintMessage struct {
	RuleID    *string         `json:"ruleId"`
	Severity  int             `json:"severity"`
	Message   string          `json:"message"`
	Line      json.RawMessage `json:"line"`
	Column    json.RawMessage `json:"column"`
	EndLine   json.RawMessage `json:"endLine"`
	EndColumn json.RawMessage `json:"endColumn"`
}

// readESLint reads the array that ESLint's JSON formatter prints on a line of its own.
// Plugins and parsers like to print lines of theirs before it: those are passed over.
func readESLint(c *collector, s stream) error {
	const tries = 16
	rest := s.text
	problem := errors.New("there is no JSON array")
	for range tries {
		start := arrayStart(rest)
		if start < 0 {
			break
		}
		rest = rest[start:]
		files, err := decodeESLint(rest, s.isCut)
		if err == nil {
			c.addESLint(files)
			return nil
		}
		problem = err
		rest = rest[1:]
	}
	return fmt.Errorf("%w; it starts with %q", problem, head(s.text))
}

// arrayStart returns where the first line that starts with "[" does, -1 for none.
func arrayStart(b []byte) int {
	if bytes.HasPrefix(b, []byte("[")) {
		return 0
	}
	if i := bytes.Index(b, []byte("\n[")); i >= 0 {
		return i + 1
	}
	return -1
}

var errNotESLint = errors.New("the array doesn't hold ESLint's results")

// decodeESLint decodes the array that b starts with. Of an output that was cut it
// returns the entries that are whole.
func decodeESLint(b []byte, isCut bool) ([]eslintFile, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var files []eslintFile
	for dec.More() {
		var f eslintFile
		err := dec.Decode(&f)
		switch {
		case isCut && errors.Is(err, io.ErrUnexpectedEOF):
			return files, nil
		case err != nil && len(files) == 0:
			return nil, fmt.Errorf("%w: %w", errNotESLint, err)
		case err != nil:
			return nil, err
		case f.FilePath == "":
			return nil, fmt.Errorf("%w: an entry has no filePath", errNotESLint)
		}
		files = append(files, f)
	}
	if _, err := dec.Token(); err != nil {
		if isCut && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)) {
			return files, nil
		}
		return nil, err
	}
	return files, nil
}

func (c *collector) addESLint(files []eslintFile) {
	for _, file := range files {
		for _, m := range file.Messages {
			f := diagnostic.Diagnostic{
				Path:      file.FilePath,
				Severity:  diagnostic.Warning,
				Message:   m.Message,
				Line:      jsonNumber(m.Line),
				Column:    jsonNumber(m.Column),
				EndLine:   jsonNumber(m.EndLine),
				EndColumn: jsonNumber(m.EndColumn),
			}
			if m.Severity != 1 {
				f.Severity = diagnostic.Error
			}
			if m.RuleID != nil {
				f.Rule = *m.RuleID
			}
			c.add(f)
		}
	}
}

// jsonNumber reads a coordinate as number does; null is absent.
func jsonNumber(raw json.RawMessage) int {
	if len(raw) == 0 || string(raw) == "null" {
		return 0
	}
	var n float64
	if err := json.Unmarshal(raw, &n); err != nil || n < 1 || n > math.MaxInt32 || n != math.Trunc(n) {
		return -1
	}
	return int(n)
}

// head returns the start of an output for an error message.
func head(b []byte) string {
	const shown = 200
	return cut(cleanText(string(b[:min(len(b), 2*shown)])), shown)
}
