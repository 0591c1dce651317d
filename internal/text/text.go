// Package text says which files are text, decodes them and encodes them back in the form
// they had (runtime spec §3).
//
// It refuses what can't be decoded or encoded exactly: there are no replacement
// characters and no guesses, and no type is sniffed from content. It never touches a
// disk and never changes a terminator or a mark on its own.
package text

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/fettle-dev/fettle/internal/fault"
)

// The marks that a text may begin with.
const (
	markUTF8    = "\xEF\xBB\xBF"
	markUTF16LE = "\xFF\xFE"
	markUTF16BE = "\xFE\xFF"
)

// Valid says whether b are the bytes of a text (spec §3.1): UTF-8 without NUL, or UTF-16
// with its mark, of even length, without unpaired surrogates and NUL. It doesn't
// allocate and doesn't decode.
func Valid(b []byte) bool {
	if encoding, _ := marked(b); encoding != UTF8 {
		return validUTF16(b[len(markUTF16LE):], encoding)
	}
	return bytes.IndexByte(b, 0) < 0 && utf8.Valid(b)
}

// Decode returns the characters of b, without the mark at its start, and the form that
// Encode needs to write them back. ok is false if b is no text.
func Decode(b []byte) (s string, form Form, ok bool) {
	if !Valid(b) {
		return "", Form{}, false
	}
	encoding, bom := marked(b)
	switch {
	case encoding != UTF8:
		s = decodeUTF16(b[len(markUTF16LE):], encoding)
	case bom:
		s = string(b[len(markUTF8):])
	default:
		s = string(b)
	}
	return s, formOf(s, encoding, bom), true
}

// Encode returns the bytes of s in the encoding and with the mark of form, terminators
// as they are in s. What a text can't hold, NUL and unpaired surrogates, is refused: a
// *fault.Error of kind StepFailed with the reason non-text; path is for its message.
func Encode(path, s string, form Form) ([]byte, error) {
	if strings.IndexByte(s, 0) >= 0 {
		return nil, refuse(path, "a text holds no NUL")
	}
	if !utf8.ValidString(s) {
		return nil, refuse(path, "a text holds no unpaired surrogate and no byte that isn't UTF-8")
	}
	switch {
	case form.Encoding == UTF16LE || form.Encoding == UTF16BE:
		return encodeUTF16(s, form.Encoding), nil
	case form.BOM:
		return append([]byte(markUTF8), s...), nil
	}
	return []byte(s), nil
}

func refuse(path, rule string) *fault.Error {
	return fault.New(fault.StepFailed, fault.ReasonNonText, path, "%s", rule).
		WithHint("check what produced this text; nothing is replaced or dropped silently")
}

// marked returns the encoding that the start of b tells, and whether there is a mark.
func marked(b []byte) (Encoding, bool) {
	switch {
	case bytes.HasPrefix(b, []byte(markUTF8)):
		return UTF8, true
	case bytes.HasPrefix(b, []byte(markUTF16LE)):
		return UTF16LE, true
	case bytes.HasPrefix(b, []byte(markUTF16BE)):
		return UTF16BE, true
	}
	return UTF8, false
}
