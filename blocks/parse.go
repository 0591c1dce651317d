package blocks

import (
	"strings"
	"unicode/utf8"
)

// maxFindings bounds the errors and, separately, the hints that Parse keeps, so that a
// hostile message can't make many times its own size of them. The message has failed
// long before.
const maxFindings = 10000

// Parsed is what Parse finds in a message.
type Parsed struct {
	Blocks []Block // well-formed, in message order
	Errors []Error // of attributes and cut blocks (§§ 2.6, 2.9), in text order
	Hints  []Hint  // near misses (§ 2.7), in text order

	// InvalidUTF8 says that the message is not valid UTF-8 (§ 3.4).
	InvalidUTF8 bool
}

// Nothing reports whether the message has nothing to say: no report, no feedback, no
// event, tools run (§ 2.11).
func (p Parsed) Nothing() bool {
	return len(p.Blocks) == 0 && len(p.Errors) == 0 && len(p.Hints) == 0
}

// HintsOnly reports whether the message writes nothing but looks as if it meant to
// (§ 2.11).
func (p Parsed) HintsOnly() bool {
	return len(p.Blocks) == 0 && len(p.Errors) == 0 && len(p.Hints) > 0
}

// EncodingError returns the one error of a message that is not valid UTF-8 and holds a
// block or an error; it hides all others (§ 3.4). Otherwise it returns nil.
func (p Parsed) EncodingError() *Error {
	if !p.InvalidUTF8 || len(p.Blocks) == 0 && len(p.Errors) == 0 {
		return nil
	}
	return &Error{Code: CodeEncodingInvalid, Hint: "send the whole message again as valid UTF-8"}
}

// Join makes one text of the text parts of a message (§ 2.1).
func Join(parts []string) string { return strings.Join(parts, "\n") }

// Parse finds the blocks of a message (§ 2). Only cfg.Newline matters to it. It never
// fails: what is wrong is in Errors. Contents are parts of text, not copies.
func Parse(text string, cfg Config) Parsed {
	p := Parsed{InvalidUTF8: !utf8.ValidString(text)}
	scan := newFenceScanner(text)
	for {
		f, ok := scan.next()
		if !ok {
			return p
		}
		attrs := parseAttributes(f.info, maxFindings-len(p.Errors))
		if f.prose || attrs.file == "" {
			p.addNearMiss(f, attrs)
			continue
		}
		if p.addErrors(f, attrs) {
			continue
		}
		p.Blocks = append(p.Blocks, newBlock(f, attrs, len(p.Blocks), cfg))
	}
}

func (p *Parsed) addNearMiss(f fence, a attributes) {
	if len(p.Hints) < maxFindings && isNearMiss(f.info, a.hasPathKey) {
		p.Hints = append(p.Hints, Hint{Line: f.line, Info: trimSpace(f.info)})
	}
}

// addErrors adds what is wrong with a fence that has file= and reports whether that is
// anything.
func (p *Parsed) addErrors(f fence, a attributes) bool {
	for _, r := range a.rejected {
		p.Errors = append(p.Errors, Error{Code: r.code, Path: r.file, Token: r.token, Line: f.line, Hint: r.code.Hint()})
	}
	if !f.closed {
		p.Errors = append(p.Errors, Error{Code: CodeUnterminatedBlock, Path: a.file, Line: f.line, Hint: CodeUnterminatedBlock.Hint()})
	}
	return a.malformed || !f.closed
}

func newBlock(f fence, a attributes, index int, cfg Config) Block {
	return Block{
		Path:            a.file,
		Lang:            a.lang,
		Mode:            Mode(either(a.mode, string(ModeWrite))),
		Diff:            Detail(either(a.diff, string(DetailLimited))),
		Encoding:        either(a.encoding, encodingUTF8),
		Newline:         Newline(either(a.newline, string(cfg.Newline))),
		NewlineExplicit: a.newline != "",
		Content:         f.content,
		Index:           index,
		Line:            f.line,
	}
}

func either(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}
