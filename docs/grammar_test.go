package docs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/text"
)

const maxDepth = 32

func TestGlobsMatchWhatTheirPageSays(t *testing.T) {
	rows := 0
	for _, table := range docPage(t, "tasks/globs.md").tables() {
		place := glob.Acquire
		switch {
		case table.has("pattern", "path", "matches"):
		case table.has("excluded or denied by", "path", "matches"):
			place = glob.Exclude
		default:
			continue
		}
		for _, row := range table.rows {
			rows++
			pattern, path, want := code(row[0])[0], code(row[1])[0], row[2]
			entry, err := glob.ParseEntry(pattern, place, maxDepth)
			if err != nil {
				t.Errorf("%s: %v", pattern, err)
				continue
			}
			got := "no"
			if place == glob.Acquire && entry.Match(path) || place == glob.Exclude && glob.NewExclusion(glob.NewEntries(entry)).CoversFile(path) {
				got = "yes"
			}
			if got != want {
				t.Errorf("%s matches %s: the page says %s, the matcher %s", pattern, path, want, got)
			}
		}
	}
	if rows < 15 {
		t.Errorf("found %d rows, want at least 15", rows)
	}
}

func TestGlobsAreRefusedAsTheirPageSays(t *testing.T) {
	classes := map[string]bool{}
	for _, table := range docPage(t, "tasks/globs.md").tables() {
		switch {
		case table.has("class", "entry", "write instead"):
			for _, row := range table.rows {
				class, entry := code(row[0])[0], code(row[1])[0]
				classes[class] = true
				wantRefused(t, entry, glob.Acquire, class)
				wantParsed(t, code(row[2])[0], glob.Scope)
			}
		case table.has("ambiguous in a scope", "write instead"):
			classes["ambiguous-literal"] = true
			for _, row := range table.rows {
				wantRefused(t, code(row[0])[0], glob.Scope, "ambiguous-literal")
				wantParsed(t, code(row[1])[0], glob.Scope)
			}
		}
	}
	for _, class := range []fault.Reason{
		fault.ClassEscapeSequence, fault.ClassDoubleStar, fault.ClassQuestionMark, fault.ClassCharacterClass,
		fault.ClassBrace, fault.ClassNegation, fault.ClassCaret, fault.ReasonAmbiguousLiteral,
	} {
		if !classes[string(class)] {
			t.Errorf("the page doesn't show what to write instead of a %s", class)
		}
	}
}

func wantRefused(t *testing.T, entry string, place glob.Place, class string) {
	t.Helper()
	_, err := glob.ParseEntry(entry, place, maxDepth)
	if refusal := fault.As(err); refusal == nil || string(refusal.Reason) != class {
		t.Errorf("%s: the page says %s, parsing it says %v", entry, class, err)
	}
}

func wantParsed(t *testing.T, entry string, place glob.Place) {
	t.Helper()
	if _, err := glob.ParseEntry(entry, place, maxDepth); err != nil {
		t.Errorf("%s, to be written instead: %v", entry, err)
	}
}

// TestNamesThatAreTextAreThose compares the lists of acquire.md with the resolver: all
// that it lists is text, and of what it leaves out nothing is that the tables know.
func TestNamesThatAreTextAreThose(t *testing.T) {
	types, err := text.NewTypes(text.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string][]string{}
	for _, f := range docPage(t, "tasks/acquire.md").fences() {
		if f.is("text") && len(f.info) == 2 {
			listed[f.info[1]] = strings.Fields(f.text)
		}
	}
	for _, name := range listed["names"] {
		if _, ok := types.Resolve(name); !ok {
			t.Errorf("%s is listed as text, and isn't", name)
		}
	}
	for _, ext := range listed["extensions"] {
		if _, ok := types.Resolve("a." + ext); !ok {
			t.Errorf(".%s is listed as text, and isn't", ext)
		}
	}
	names, extensions := known(t)
	for _, name := range names {
		if _, ok := types.Resolve(name); ok && !slices.Contains(listed["names"], name) {
			t.Errorf("%s is text, and isn't listed", name)
		}
	}
	for _, ext := range extensions {
		if _, ok := types.Resolve("a." + ext); ok && !slices.Contains(listed["extensions"], ext) {
			t.Errorf(".%s is text, and isn't listed", ext)
		}
	}
}

// known returns the words of the tables in package text, by their constants.
func known(t *testing.T) (names, extensions []string) {
	t.Helper()
	values := constants(t, "internal/text")
	names = strings.Fields(values["plainNames"])
	extensions = append(strings.Fields(values["plainExtensions"]), strings.Fields(values["otherExtensions"])...)
	if len(names) < 100 || len(extensions) < 400 {
		t.Fatalf("found %d names and %d extensions in internal/text: its tables have moved", len(names), len(extensions))
	}
	return names, extensions
}
