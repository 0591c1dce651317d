package blocks

import (
	"errors"
	"strings"
	"testing"
)

func TestPathRulesApplyInTheirOrder(t *testing.T) {
	root := "/ws/root"
	tests := []struct {
		name, raw, want string
		code            Code
	}{
		{"a control character comes before a drive", "C:\x01", "", CodePathEscape},
		{"a drive before everything about segments", "c:../x", "", CodePathAbsolute},
		{"an absolute path before its segments", "/etc/../x", "", CodePathAbsolute},
		{"dots of an absolute path are resolved", "/ws/./x/../root/a/../b", "b", ""},
		{"above the file system's root is its root", "/../../ws/root/a", "a", ""},
		{"dots above the root leave it", "/ws/root/../a", "", CodePathAbsolute},
		{"the root by dots", "/ws/root/a/..", "", CodePathAbsolute},
		{"a trailing slash of an absolute path names no file", "/ws/root/a//", "", CodePathRequired},
		{"dots come before a trailing slash", "./", "", CodePathEscape},
		{"slashes only", "//", "", CodePathAbsolute},
		{"a reserved name comes before a length", ".git/" + strings.Repeat("x", 256), "", CodePathReserved},
		{"a reserved name of an absolute path", "/ws/root/.git/x", "", CodePathReserved},
		{"spaces and dots behind a colon don't matter", ".git :x", "", CodePathReserved},
		{"dots in the middle do", ".g.it", ".g.it", ""},
		{"git~1 with dots", "a/GIT~1.. ", "", CodePathReserved},
		{"a path of 4095 bytes", strings.Repeat("x/", 2047) + "x", strings.Repeat("x/", 2047) + "x", ""},
		{"a path of 4096 bytes", strings.Repeat("x/", 2047) + "xx", "", CodePathTooLong},
		{"slashes that collapse don't count", strings.Repeat("x//", 1400) + "x", strings.Repeat("x/", 1400) + "x", ""},
		{"bytes that aren't UTF-8 stay", "a\xff", "a\xff", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := TargetPath(tt.raw, root)
			if got != tt.want || (err == nil) != (tt.code == "") || err != nil && !errors.Is(err, tt.code) {
				t.Errorf("%q: got %q, %v, want %q, %s", tt.raw, got, err, tt.want, tt.code)
			}
		})
	}
}

func TestEverySpellingOfTheRootCounts(t *testing.T) {
	for _, raw := range []string{"/a/b/x", "/workspace/x", "/c//d/x", "/ws/root/x"} {
		if got, err := TargetPath(raw, "/a/b", "/workspace/", "/c/d", "/ws/./root", "relative", ""); err != nil || got != "x" {
			t.Errorf("%q: got %q, %v", raw, got, err)
		}
	}
	if got, err := TargetPath("/x/y", "/"); err != nil || got != "x/y" {
		t.Errorf("below /: got %q, %v", got, err)
	}
}

func FuzzTargetPath(f *testing.F) {
	for _, s := range []string{"a/b", "/ws/root/../x", `a\b`, ".git", "C:x", "a//", "\u200c.git"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		path, err := TargetPath(raw, "/ws/root")
		if err != nil {
			if path != "" || Code(err.Error()).Hint() == "" {
				t.Errorf("%q: got %q, %v", raw, path, err)
			}
			return
		}
		for s := range strings.SplitSeq(path, "/") {
			if s == "" || s == "." || s == ".." || len(s) > 255 || strings.EqualFold(s, ".git") {
				t.Errorf("%q: got %q", raw, path)
			}
		}
		if again, err := TargetPath(path, "/ws/root"); again != path && !isDrive(path) {
			t.Errorf("%q: %q becomes %q, %v", raw, path, again, err)
		}
	})
}
