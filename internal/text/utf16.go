package text

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// The surrogates: a high one is followed by a low one, and only then they stand for a
// character.
const (
	highStart = 0xD800
	lowStart  = 0xDC00
	lowEnd    = 0xDFFF
)

func order(e Encoding) binary.ByteOrder {
	if e == UTF16BE {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// validUTF16 judges the code units after the mark.
func validUTF16(b []byte, e Encoding) bool {
	if len(b)%2 != 0 {
		return false
	}
	units, pending := order(e), false
	for ; len(b) > 0; b = b[2:] {
		unit := units.Uint16(b)
		isLow := lowStart <= unit && unit <= lowEnd
		if unit == 0 || isLow != pending {
			return false
		}
		pending = highStart <= unit && unit < lowStart
	}
	return !pending
}

// decodeUTF16 decodes valid code units.
func decodeUTF16(b []byte, e Encoding) string {
	units := order(e)
	var s strings.Builder
	s.Grow(len(b))
	for ; len(b) > 0; b = b[2:] {
		r := rune(units.Uint16(b))
		if utf16.IsSurrogate(r) {
			b = b[2:]
			r = utf16.DecodeRune(r, rune(units.Uint16(b)))
		}
		s.WriteRune(r)
	}
	return s.String()
}

// encodeUTF16 encodes valid UTF-8, with the mark.
func encodeUTF16(s string, e Encoding) []byte {
	mark := markUTF16LE
	if e == UTF16BE {
		mark = markUTF16BE
	}
	b := append(make([]byte, 0, len(mark)+2*utf8.RuneCountInString(s)), mark...)
	var units []uint16
	for _, r := range s {
		units = utf16.AppendRune(units[:0], r)
		for _, unit := range units {
			if e == UTF16BE {
				b = binary.BigEndian.AppendUint16(b, unit)
			} else {
				b = binary.LittleEndian.AppendUint16(b, unit)
			}
		}
	}
	return b
}
