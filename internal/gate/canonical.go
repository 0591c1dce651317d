package gate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Digest returns "sha256:" and the hex SHA-256 of the canonical JSON of v (spec §10.3).
func Digest(v any) (string, error) {
	doc, err := Canonical(v)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(doc)
	return digestOf(sum[:]), nil
}

func digestOf(sum []byte) string { return "sha256:" + hex.EncodeToString(sum) }

// Canonical returns the one JSON text of v that everybody arrives at: UTF-8, keys in byte
// order, no insignificant space, only those characters escaped that must be. Numbers are
// as encoding/json writes them. Texts in v must be UTF-8, as everything is that came in
// by a manifest: encoding/json would replace what isn't. It fails on what encoding/json
// can't encode.
func Canonical(v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("canonical JSON: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		return nil, fmt.Errorf("canonical JSON: %w", err)
	}
	return appendValue(nil, doc), nil
}

// appendValue appends a value as encoding/json decodes it.
func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case bool:
		return strconv.AppendBool(b, v)
	case json.Number:
		return append(b, v...)
	case string:
		return appendText(b, v)
	case []any:
		return appendList(b, v)
	case map[string]any:
		return appendObject(b, v)
	default:
		return append(b, "null"...)
	}
}

func appendList(b []byte, list []any) []byte {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendValue(b, v)
	}
	return append(b, ']')
}

func appendObject(b []byte, object map[string]any) []byte {
	b = append(b, '{')
	for i, key := range slices.Sorted(maps.Keys(object)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendValue(append(appendText(b, key), ':'), object[key])
	}
	return append(b, '}')
}

func appendText(b []byte, text string) []byte {
	b = append(b, '"')
	for i := range len(text) {
		b = appendByte(b, text[i])
	}
	return append(b, '"')
}

// appendByte escapes as little as JSON allows.
func appendByte(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\b':
		return append(b, `\b`...)
	case '\f':
		return append(b, `\f`...)
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	}
	if c < ' ' {
		return fmt.Appendf(b, `\u%04x`, c)
	}
	return append(b, c)
}
