package policy

import (
	"strings"
	"testing"
)

// entries are those of spec §6.3.
var entries = []string{
	".gitconfig", ".gitmodules", ".bashrc", ".bash_profile", ".zshrc", ".zprofile", ".profile", ".ripgreprc", ".mcp.json",
	".git", ".vscode", ".idea", ".claude/commands", ".claude/agents",
}

// open allows what a policy can allow.
const open = `{"write": {"allow": ["**", "src", "x", ".git", ".vscode", ".claude"]}}`

func TestMandatoryDeniesHoldForEverySpellingAtAnyDepth(t *testing.T) {
	spellings := map[string]func(string) string{
		"as is":              func(s string) string { return s },
		"capitals":           strings.ToUpper,
		"trailing dots":      func(s string) string { return s + "..." },
		"dots and spaces":    func(s string) string { return s + " . ." },
		"stream":             func(s string) string { return s + "::$DATA" },
		"stream after a dot": func(s string) string { return s + ".:x" },
		"format characters before": func(s string) string {
			return "\u200c\u202a\u206a\ufeff" + s
		},
		"format characters inside": func(s string) string { return s[:2] + "\u200f\u202e\u206f" + s[2:] },
		"format characters behind": func(s string) string { return s + "\u200e ." },
	}
	p := mustPolicy(t, open)
	for _, entry := range entries {
		for how, spell := range spellings {
			segments := strings.Split(entry, "/")
			for i := range segments {
				segments[i] = spell(segments[i])
			}
			spelt := strings.Join(segments, "/")
			for _, path := range []string{spelt, "src/" + spelt, spelt + "/hooks/x", "x/y/" + spelt + "/z"} {
				want := Verdict{Reason: Mandatory, Rule: entry}
				if got := p.CanWrite(path); got != want {
					t.Errorf("%s: CanWrite(%q): got %+v; want %+v", how, path, got, want)
				}
				if got := p.CanMkdir(path); got != want {
					t.Errorf("%s: CanMkdir(%q): got %+v; want %+v", how, path, got, want)
				}
			}
		}
	}
	for _, path := range []string{"git~1", "src/GIT~1/config", "gIt~1. "} {
		if got, want := p.CanWrite(path), (Verdict{Reason: Mandatory, Rule: ".git"}); got != want {
			t.Errorf("CanWrite(%q): got %+v; want %+v", path, got, want)
		}
	}
}

func TestNamesThatOnlyLookMandatoryAreNot(t *testing.T) {
	paths := []string{
		"src/git", "src/.gitx", "src/.git~1", "src/git~2", ".claude", ".claude/settings.json", ".claude/x/commands",
		"src/commands", "src/.github/x", "src/.claudex/commands", "src/.gitignore", "src/x:.git", "src/\u00e9.git",
		"src/ .git", "src/mcp.json",
	}
	p := mustPolicy(t, open)
	for _, path := range paths {
		if got := p.CanWrite(path); !got.Allowed {
			t.Errorf("CanWrite(%q): got %+v; want it allowed", path, got)
		}
	}
}

func TestMandatoryDeniesSayNothingAboutReading(t *testing.T) {
	p := mustPolicy(t, `{}`)
	for _, entry := range entries {
		if got := p.CanRead(entry); !got.Allowed {
			t.Errorf("CanRead(%q): got %+v; want it allowed", entry, got)
		}
	}
}

func TestMandatoryDenyOutranksADenyRule(t *testing.T) {
	p := mustPolicy(t, `{"write": {"allow": ["**"], "deny": ["**"]}}`)
	if got, want := p.CanWrite(".git/x"), (Verdict{Reason: Mandatory, Rule: ".git"}); got != want {
		t.Errorf("got %+v; want %+v", got, want)
	}
}

func TestPlainPathsCostNoAllocation(t *testing.T) {
	p := mustPolicy(t, `{"write": {"allow": ["src/**"], "deny": ["**/vendor/**"]}}`)
	if got := testing.AllocsPerRun(100, func() { p.CanWrite("src/app/deeply/nested/component.ts") }); got != 0 {
		t.Errorf("got %v allocations; want 0", got)
	}
}

func FuzzMandatoryDenyHoldsForEverySpelling(f *testing.F) {
	f.Add("src", uint8(0), uint64(0), "")
	f.Add("", uint8(12), uint64(0xdeadbeef), ". ")
	f.Add("a/b", uint8(9), uint64(7), ":x")
	p := mustPolicy(f, open)
	noise := []rune{'\u200c', '\u200d', '\u200e', '\u200f', '\u202a', '\u202e', '\u206a', '\u206f', '\ufeff'}
	f.Fuzz(func(t *testing.T, dir string, which uint8, bits uint64, tail string) {
		if strings.Trim(tail, ". ") != "" && !strings.HasPrefix(strings.TrimLeft(tail, ". "), ":") || strings.ContainsAny(tail, "/") {
			return
		}
		var spelt strings.Builder
		for _, r := range entries[int(which)%len(entries)] {
			bits = bits*6364136223846793005 + 1442695040888963407
			if bits>>60 == 0 {
				spelt.WriteRune(noise[int(bits>>40)%len(noise)])
			}
			if bits>>59&1 == 1 && 'a' <= r && r <= 'z' {
				r -= 'a' - 'A'
			}
			spelt.WriteRune(r)
		}
		path := spelt.String() + tail
		if prefix := strings.Trim(dir, "/"); prefix != "" && !strings.Contains(prefix, "//") {
			path = prefix + "/" + path
		}
		if got := p.CanWrite(path); got.Reason != Mandatory || got.Allowed || got.Rule == "" {
			t.Fatalf("CanWrite(%q): got %+v; want mandatory with its entry", path, got)
		}
	})
}
