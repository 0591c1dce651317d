package blocks

import (
	"slices"
	"strings"
)

const (
	maxSegmentBytes = 255
	maxPathBytes    = 4095
)

// TargetPath judges the value of file by § 4.1 and returns the path relative to the
// root, or one of CodePathRequired, CodePathEscape, CodePathAbsolute, CodePathReserved
// and CodePathTooLong. roots are the absolute spellings of the root: as configured, its
// link-free form, and every alias under which a model sees it. Without roots no absolute
// path lies inside.
//
// The path is judged, not cleaned: but for slashes, which repeat or are written as
// backslashes, it keeps every byte.
func TargetPath(raw string, roots ...string) (string, error) {
	path, code := targetPath(raw, roots)
	if code != "" {
		return "", code
	}
	return path, nil
}

func targetPath(raw string, roots []string) (string, Code) {
	if raw == "" {
		return "", CodePathRequired
	}
	if strings.IndexFunc(raw, isControl) >= 0 {
		return "", CodePathEscape
	}
	path := strings.ReplaceAll(raw, `\`, "/")
	if isDrive(path) {
		return "", CodePathAbsolute
	}
	if path[0] == '/' {
		below, ok := belowRoot(path, roots)
		if !ok {
			return "", CodePathAbsolute
		}
		path = below
	}
	segments := strings.Split(path, "/")
	for _, s := range segments {
		if s == "." || s == ".." {
			return "", CodePathEscape
		}
	}
	if segments[len(segments)-1] == "" {
		return "", CodePathRequired
	}
	path = strings.Join(withoutEmpty(segments), "/")
	return path, judgeNames(path)
}

// judgeNames applies §§ 4.1.8 and 4.1.9 to a path of clean segments.
func judgeNames(path string) Code {
	tooLong := len(path) > maxPathBytes
	for s := range strings.SplitSeq(path, "/") {
		if isReserved(s) {
			return CodePathReserved
		}
		tooLong = tooLong || len(s) > maxSegmentBytes
	}
	if tooLong {
		return CodePathTooLong
	}
	return ""
}

// belowRoot resolves an absolute path lexically and returns its form relative to the
// first root that it lies strictly below (§ 4.1.5). A trailing slash is kept.
func belowRoot(path string, roots []string) (string, bool) {
	segments := resolve(path)
	for _, root := range roots {
		if root == "" || root[0] != '/' {
			continue
		}
		base := resolve(root)
		if len(segments) <= len(base) || !slices.Equal(segments[:len(base)], base) {
			continue
		}
		below := strings.Join(segments[len(base):], "/")
		if strings.HasSuffix(path, "/") {
			below += "/"
		}
		return below, true
	}
	return "", false
}

// resolve returns the segments of an absolute path with ".", ".." and repeated slashes
// taken out.
func resolve(path string) []string {
	var out []string
	for s := range strings.SplitSeq(path, "/") {
		switch s {
		case "", ".":
		case "..":
			out = out[:max(0, len(out)-1)]
		default:
			out = append(out, s)
		}
	}
	return out
}

// isReserved reports whether Git, on some file system, takes a segment for .git
// (§ 4.1.8).
func isReserved(segment string) bool {
	s := strings.Map(dropIgnorable, segment)
	s, _, _ = strings.Cut(s, ":")
	s = strings.TrimRight(s, ". ")
	return equalASCIIFold(s, ".git") || equalASCIIFold(s, "git~1")
}

// dropIgnorable removes the code points that HFS+ ignores in names.
func dropIgnorable(r rune) rune {
	switch {
	case r >= 0x200C && r <= 0x200F, r >= 0x202A && r <= 0x202E,
		r >= 0x206A && r <= 0x206F, r == 0xFEFF:
		return -1
	}
	return r
}

func isControl(r rune) bool { return r < 0x20 || r == 0x7F }

func isDrive(path string) bool {
	return len(path) >= 2 && path[1] == ':' && 'a' <= path[0]|0x20 && path[0]|0x20 <= 'z'
}

func equalASCIIFold(s, lower string) bool {
	if len(s) != len(lower) {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

func withoutEmpty(segments []string) []string {
	out := segments[:0]
	for _, s := range segments {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}
