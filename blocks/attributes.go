package blocks

import (
	"strings"
	"unicode/utf8"
)

// attributes are what the info string of a fence says (§§ 2.8, 2.9, 3). An empty
// value means that the attribute was not written: values are never empty.
type attributes struct {
	lang     string
	file     string
	mode     string
	diff     string
	encoding string
	newline  string

	hasPathKey bool         // some token has the key path (§ 2.7)
	malformed  bool         // some token was refused
	rejected   []tokenError // the first ones, in the order of the tokens
}

// tokenError is a token that was refused, and the file value known by then.
type tokenError struct {
	code  Code
	token string
	file  string
}

// parseAttributes judges the tokens of an info string from left to right (§ 2.9). At
// most keep refused tokens are kept.
func parseAttributes(info string, keep int) attributes {
	var a attributes
	stored := false
	for rest := info; ; {
		var t token
		if t, rest = nextToken(rest); t.text == "" {
			return a
		}
		if !t.hasValue && a.lang == "" && !stored {
			a.lang = t.text
			continue
		}
		if t.hasValue && t.key == "path" {
			a.hasPathKey = true
		}
		code := a.store(t)
		if code == "" {
			stored = true
			continue
		}
		a.malformed = true
		if len(a.rejected) < keep {
			a.rejected = append(a.rejected, tokenError{code, t.text, a.file})
		}
	}
}

// store keeps the value of t, or returns the code of its refusal.
func (a *attributes) store(t token) Code {
	if !t.hasValue || t.malformed || t.value == "" {
		return CodeUnknownAttr
	}
	field := a.field(t.key)
	if field == nil {
		return CodeUnknownAttr
	}
	if *field != "" {
		return CodeDuplicateAttr
	}
	*field = t.value
	return ""
}

func (a *attributes) field(key string) *string {
	switch key {
	case "file":
		return &a.file
	case "mode":
		return &a.mode
	case "diff":
		return &a.diff
	case "encoding":
		return &a.encoding
	case "newline":
		return &a.newline
	}
	return nil
}

// token is one token of an info string (§ 2.8).
type token struct {
	text      string // as written; empty: no token is left
	key       string
	value     string // unquoted
	hasValue  bool   // there is a "="
	malformed bool   // a quoted value that does not close, or not before white space
}

// nextToken cuts the first token off an info string.
func nextToken(info string) (t token, rest string) {
	info = strings.TrimLeftFunc(info, isSpace)
	eq := -1
	for i, r := range info {
		if isSpace(r) {
			return plainToken(info[:i], eq), info[i:]
		}
		if r != '=' || eq >= 0 {
			continue
		}
		eq = i
		if strings.HasPrefix(info[i+1:], `"`) {
			return quotedToken(info, i)
		}
	}
	return plainToken(info, eq), ""
}

func plainToken(text string, eq int) token {
	if eq < 0 {
		return token{text: text}
	}
	return token{text: text, key: text[:eq], value: text[eq+1:], hasValue: true}
}

// quotedToken cuts off a token whose value begins with a quote right after the "=" at
// eq.
func quotedToken(info string, eq int) (t token, rest string) {
	t = token{key: info[:eq], hasValue: true}
	value, end := unquote(info[eq+1:])
	if end < 0 {
		t.text, t.malformed = strings.TrimRightFunc(info, isSpace), true
		return t, ""
	}
	end += eq + 1
	next, _ := utf8.DecodeRuneInString(info[end:])
	if end == len(info) || isSpace(next) {
		t.text, t.value = info[:end], value
		return t, info[end:]
	}
	t.malformed = true
	if i := strings.IndexFunc(info[end:], isSpace); i >= 0 {
		end += i
	} else {
		end = len(info)
	}
	t.text = info[:end]
	return t, info[end:]
}

// unquote reads a quoted value at the beginning of s. end is the offset behind its
// closing quote, -1 if there is none.
func unquote(s string) (value string, end int) {
	escaped := false
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"' && escaped:
			return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(s[1:i]), i + 1
		case s[i] == '"':
			return s[1:i], i + 1
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\'):
			escaped = true
			i++
		}
	}
	return "", -1
}

// isNearMiss reports whether an info string without a file value looks like a write
// that failed (§ 2.7).
func isNearMiss(info string, hasPathKey bool) bool {
	if hasPathKey {
		return false
	}
	for rest := info; ; {
		eq := strings.IndexByte(rest, '=')
		if eq < 0 {
			return false
		}
		word := strings.TrimRightFunc(rest[:eq], isSpace)
		if n := len(word) - len("file"); n >= 0 && strings.EqualFold(word[n:], "file") && !endsWord(word[:n]) {
			return true
		}
		rest = rest[eq+1:]
	}
}

// endsWord reports whether s ends in an ASCII letter, a digit, "_" or "-".
func endsWord(s string) bool {
	if s == "" {
		return false
	}
	c := s[len(s)-1]
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
