package text

import "strings"

// Encoding of a text file.
type Encoding string

// The encodings of spec §3.2; a UTF-16 file always has a mark.
const (
	UTF8    Encoding = "utf-8"
	UTF16LE Encoding = "utf-16le"
	UTF16BE Encoding = "utf-16be"
)

// EOL says which terminators a text has.
type EOL string

// The values of EOL (spec §3.2).
const (
	NoEOL EOL = "none"
	LF    EOL = "lf"
	CRLF  EOL = "crlf"
	CR    EOL = "cr"
	Mixed EOL = "mixed"
)

// Form is what steps of ours preserve of a text file, but for its mode (spec §3.2).
// FinalNewline is nil for an empty text.
type Form struct {
	Encoding     Encoding `json:"encoding"`
	BOM          bool     `json:"bom"`
	EOL          EOL      `json:"eol"`
	FinalNewline *bool    `json:"finalNewline"`
}

// NewFile is the form of a file that a step of ours creates (spec §3.4).
func NewFile() Form { return Form{Encoding: UTF8} }

// Detect returns the form of b; ok is false if b is no text.
func Detect(b []byte) (form Form, ok bool) {
	_, form, ok = Decode(b)
	return form, ok
}

func formOf(s string, encoding Encoding, bom bool) Form {
	form := Form{Encoding: encoding, BOM: bom, EOL: count(s).eol()}
	if s != "" {
		ends := Terminator(s) != ""
		form.FinalNewline = &ends
	}
	return form
}

// Dominant returns the most frequent terminator of s: on a tie "\n" before "\r\n" before
// "\r", and "\n" if there is none (spec §3.2).
func Dominant(s string) string {
	n := count(s)
	if n.lf >= n.crlf && n.lf >= n.cr {
		return "\n"
	}
	if n.crlf >= n.cr {
		return "\r\n"
	}
	return "\r"
}

// terminators counts the terminators of a text by kind.
type terminators struct {
	lf, crlf, cr int
}

func count(s string) terminators {
	n := terminators{lf: strings.Count(s, "\n")}
	if strings.IndexByte(s, '\r') < 0 {
		return n
	}
	n.crlf = strings.Count(s, "\r\n")
	n.lf -= n.crlf
	n.cr = strings.Count(s, "\r") - n.crlf
	return n
}

func (n terminators) eol() EOL {
	switch total := n.lf + n.crlf + n.cr; total {
	case 0:
		return NoEOL
	case n.lf:
		return LF
	case n.crlf:
		return CRLF
	case n.cr:
		return CR
	}
	return Mixed
}
