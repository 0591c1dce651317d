package pathdoor

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/fault"
)

func TestDepthIsJudgedAgainstTheGivenBound(t *testing.T) {
	doors := map[string]func(string, int) (string, error){"literal": Literal, "façade": Facade, "strict": Strict}
	for name, door := range doors {
		if got, err := door("a/b/c", 3); err != nil || got != "a/b/c" {
			t.Errorf("%s door at the bound: got %q, %v; want a/b/c", name, got, err)
		}
		if _, err := door("a/b/c", 2); !fault.Is(err, fault.PathRefused, fault.ClassDepth) {
			t.Errorf("%s door beyond the bound: got %v; want depth", name, err)
		}
	}
	if _, err := Literal("a/b/../c", 2); err != nil {
		t.Errorf("depth is that of the normalised path: got %v", err)
	}
}

func TestInvalidUTF8IsNoWorkspacePath(t *testing.T) {
	for name, door := range map[string]func(string, int) (string, error){"literal": Literal, "façade": Facade, "strict": Strict} {
		if _, err := door("a/\xff", 32); !fault.Is(err, fault.PathRefused, fault.ClassBadSegment) {
			t.Errorf("%s door: got %v; want bad-segment", name, err)
		}
	}
}

func TestRefusalQuotesWhatWasWritten(t *testing.T) {
	_, err := Literal(" ../x\n", 32)
	e := fault.As(err)
	if e == nil {
		t.Fatalf("got %v; want a *fault.Error", err)
	}
	if e.Path != " ../x\n" {
		t.Errorf("path: got %q; want the raw input", e.Path)
	}
	if got := e.Error(); !strings.Contains(got, `" ../x\n"`) {
		t.Errorf("message %q doesn't quote the raw input", got)
	}
}

func TestEveryClassIsExplainedWithAHint(t *testing.T) {
	classes := []fault.Reason{
		fault.ClassNUL, fault.ClassHome, fault.ClassAbsoluteHost, fault.ClassDevice, fault.ClassUNC, fault.ClassEscape,
		fault.ClassEmpty, fault.ClassLeadingSlash, fault.ClassNotRelative, fault.ClassBadSegment,
	}
	for _, class := range classes {
		if rule, hint := Explain(class); rule == "" || hint == "" {
			t.Errorf("class %s: got rule %q, hint %q; want both", class, rule, hint)
		}
	}
}

// seeds are inputs near every border of spec §4.
var seeds = []string{
	"", ".", "..", "/", "//", "///x", `\\?\C:\x`, `\\.\x`, "a//b", "a/../b", "../a", "~", "a~", "c:", "src/c:", " a ",
	"a\x00", "a/\xff", "a\u00a0", "\u0085a", ".git/config", "...", "a/./b/", "/a/b", `a\b`,
}

func FuzzDoorsAreIdempotentAndNeverEscape(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		for name, door := range map[string]func(string, int) (string, error){"literal": Literal, "façade": Facade, "strict": Strict} {
			path, err := door(raw, 8)
			if err != nil {
				if e := fault.As(err); e == nil || e.Kind != fault.PathRefused || e.Reason == "" || e.Path != raw {
					t.Fatalf("%s door on %q: got error %v; want PathRefused with a class and the raw path", name, raw, err)
				}
				continue
			}
			if !fs.ValidPath(path) || path == "." {
				t.Fatalf("%s door on %q: got %q, which is no workspace path", name, raw, path)
			}
			if strings.ContainsAny(path, "\x00\\") {
				t.Fatalf("%s door on %q: got %q with a NUL or backslash", name, raw, path)
			}
			if n := Depth(path); n > 8 || n != len(strings.Split(path, "/")) {
				t.Fatalf("%s door on %q: got depth %d of %q", name, raw, n, path)
			}
			checkAgain(t, name, door, path)
		}
	})
}

// checkAgain passes a result through its door once more. A first segment that trimming
// or classifying would treat anew ("./~x" gives "~x") is refused or trimmed the second
// time; it never changes otherwise.
func checkAgain(t *testing.T, name string, door func(string, int) (string, error), path string) {
	t.Helper()
	if Classify(path) != "" || strings.TrimSpace(path) != path {
		return
	}
	if again, err := door(path, 8); err != nil || again != path {
		t.Fatalf("%s door on its own result %q: got %q, %v", name, path, again, err)
	}
}
