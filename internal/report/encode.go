package report

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/fettle-dev/fettle/internal/diagnostic"
)

// Errors of Decode. Each is wrapped with what was found.
var (
	ErrCut     = errors.New("the report is cut short")
	ErrVersion = errors.New("the report is of another version")
	ErrFormat  = errors.New("this is no report")
)

// line is one JSON line of a kept report: exactly one member is set. The first line is
// the head, the last the end, which counts the lines before it.
type line struct {
	Report     *Report                `json:"report,omitempty"`
	Change     *Change                `json:"change,omitempty"`
	Diagnostic *diagnostic.Diagnostic `json:"diagnostic,omitempty"`
	Diff       *string                `json:"diff,omitempty"`
	End        *end                   `json:"end,omitempty"`
}

type end struct {
	Lines int `json:"lines"`
}

// Encode returns r as gzip of JSON lines, of at most limit bytes if limit isn't 0. What
// doesn't fit is cut and named in Cut: the diff first, then output tails and other
// details, then diagnostics, rows last.
func Encode(r Report, limit int) ([]byte, error) {
	data, err := encode(r, limit)
	for _, cut := range cuts {
		for errors.Is(err, errTooLarge) {
			smaller, ok := cut(r)
			if !ok {
				break
			}
			r = smaller
			data, err = encode(r, limit)
		}
	}
	if errors.Is(err, errTooLarge) {
		return nil, fmt.Errorf("a report without any detail takes more than the limit of %d bytes", limit)
	}
	return data, err
}

// errTooLarge ends the encoding of a report as soon as it has exceeded its limit: there may
// be a hundred times as much to come.
var errTooLarge = errors.New("the report exceeds its limit")

// bounded is a buffer that takes at most limit bytes, or any number if limit is 0.
type bounded struct {
	bytes.Buffer
	limit int
}

// Write implements io.Writer. Its error is errTooLarge.
func (b *bounded) Write(p []byte) (int, error) {
	if b.limit > 0 && b.Len()+len(p) > b.limit {
		return 0, errTooLarge
	}
	return b.Buffer.Write(p)
}

func encode(r Report, limit int) ([]byte, error) {
	buf := bounded{limit: limit}
	zip := gzip.NewWriter(&buf)
	out := json.NewEncoder(zip)
	lines := 0
	put := func(l line) error {
		lines++
		return out.Encode(l)
	}
	head := r
	head.Changes, head.Diagnostics, head.Diff = nil, nil, ""
	if err := put(line{Report: &head}); err != nil {
		return nil, err
	}
	for i := range r.Changes {
		if err := put(line{Change: &r.Changes[i]}); err != nil {
			return nil, err
		}
	}
	for i := range r.Diagnostics {
		if err := put(line{Diagnostic: &r.Diagnostics[i]}); err != nil {
			return nil, err
		}
	}
	if r.Diff != "" {
		if err := put(line{Diff: &r.Diff}); err != nil {
			return nil, err
		}
	}
	if err := out.Encode(line{End: &end{Lines: lines}}); err != nil {
		return nil, err
	}
	if err := zip.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// Decode reads what Encode wrote. A report without its last line is ErrCut, one of
// another version ErrVersion, anything else ErrFormat; the parts read so far are
// returned with ErrCut.
func Decode(in io.Reader) (Report, error) {
	zip, err := gzip.NewReader(in)
	if err != nil {
		return Report{}, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	dec := json.NewDecoder(bufio.NewReader(zip))
	r, err := decodeHead(dec)
	if err != nil {
		return Report{}, err
	}
	for lines := 1; ; lines++ {
		var l line
		if err := dec.Decode(&l); err != nil {
			return r, fmt.Errorf("%w after %d lines: %w", ErrCut, lines, err)
		}
		switch {
		case l.Change != nil:
			r.Changes = append(r.Changes, *l.Change)
		case l.Diagnostic != nil:
			r.Diagnostics = append(r.Diagnostics, *l.Diagnostic)
		case l.Diff != nil:
			r.Diff = *l.Diff
		case l.End != nil && l.End.Lines == lines:
			return r, atEnd(dec)
		default:
			return r, fmt.Errorf("%w: line %d is none that this version writes", ErrFormat, lines+1)
		}
	}
}

// atEnd reads the end of the stream: only that has compared the checksum.
func atEnd(dec *json.Decoder) error {
	switch err := dec.Decode(&line{}); {
	case err == nil:
		return fmt.Errorf("%w: it goes on after its last line", ErrFormat)
	case errors.Is(err, io.EOF):
		return nil
	default:
		return fmt.Errorf("%w after its last line: %w", ErrCut, err)
	}
}

func decodeHead(dec *json.Decoder) (Report, error) {
	var l line
	if err := dec.Decode(&l); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			return Report{}, fmt.Errorf("%w in its first line", ErrCut)
		}
		return Report{}, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if l.Report == nil {
		return Report{}, fmt.Errorf("%w: its first line is no head", ErrFormat)
	}
	if l.Report.Version != Version {
		return Report{}, fmt.Errorf("%w: it is %q, this program reads %q", ErrVersion, l.Report.Version, Version)
	}
	r := *l.Report
	r.Changes, r.Diagnostics = []Change{}, []diagnostic.Diagnostic{}
	return r, nil
}
