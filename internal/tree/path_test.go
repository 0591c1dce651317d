package tree

import "testing"

func TestValidPathsAreRelativeAndClean(t *testing.T) {
	for path, want := range map[string]bool{
		"a": true, "a/b": true, "a/.b": true, "...": true, "a\nb": true, "\xff/x": true, `a\b`: true, "a b": true,
		"": false, ".": false, "..": false, "/": false, "/a": false, "a/": false, "a//b": false, "./a": false,
		"a/./b": false, "a/../b": false, "a/..": false, "../a": false, "a\x00b": false,
	} {
		if got := Valid(path); got != want {
			t.Errorf("Valid(%q) = %v, want %v", path, got, want)
		}
	}
}

func TestSplitGivesParentAndLastSegment(t *testing.T) {
	for path, want := range map[string][2]string{
		"a": {".", "a"}, "a/b": {"a", "b"}, "a/b/c": {"a/b", "c"},
	} {
		if dir, name := Split(path); dir != want[0] || name != want[1] {
			t.Errorf("Split(%q) = %q, %q, want %q, %q", path, dir, name, want[0], want[1])
		}
	}
}
