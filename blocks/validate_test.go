package blocks

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// validate returns the codes and raw paths of what is wrong with a message.
func validate(message string, change func(*Rules)) []string {
	r := Rules{Config: Defaults()}
	if change != nil {
		change(&r)
	}
	var out []string
	for _, e := range Validate(Parse(message, r.Config), r).All() {
		out = append(out, strings.TrimSuffix(string(e.Code)+" "+e.Path, " "))
	}
	return out
}

func block(info, content string) string { return "```` " + info + "\n" + content + "````\n" }

func TestValidationCollectsEverythingInOrder(t *testing.T) {
	message := block("file=a wut", "") + block("file=b mode=x", "") + block("file=../c", "") + block("file=b diff=x", "") + block("file=b/d", "")
	want := []string{"UNKNOWN_ATTR a", "PATH_ESCAPE ../c", "DUPLICATE_PATH b", "PATH_CLASH b/d", "INVALID_MODE b", "INVALID_DIFF b", "TOO_MANY_FILES"}
	got := validate(message, func(r *Rules) { r.Config.MaxFilesPerMessage = 2 })
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestABlockMayClashAndBeDenied(t *testing.T) {
	deny := func(r *Rules) {
		r.Policy = func(path string) (bool, string) { return !strings.HasPrefix(path, "d"), "deny d*" }
	}
	got := validate(block("file=a", "")+block("file=a/b", "")+block("file=d/../d", "")+block("file=d//e", "")+block("file=d/e", "")+block("file=d", ""), deny)
	want := []string{"PATH_CLASH a/b", "PATH_ESCAPE d/../d", "PATH_DENIED d//e", "DUPLICATE_PATH d/e", "PATH_CLASH d", "PATH_DENIED d"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestThePolicySeesTargets(t *testing.T) {
	var seen []string
	validate(block("file=/ws//a", "")+block(`file=b\c`, ""), func(r *Rules) {
		r.Roots = []string{"/ws"}
		r.Policy = func(path string) (bool, string) { seen = append(seen, path); return true, "" }
	})
	if want := []string{"a", "b/c"}; !slices.Equal(seen, want) {
		t.Errorf("got %q, want %q", seen, want)
	}
}

func TestBodyErrorsAccumulate(t *testing.T) {
	got := validate(block("file=a mode=edit newline=x diff=x encoding=x", " \n"), func(r *Rules) { r.Config.MaxFileSize = 1 })
	want := []string{"INVALID_DIFF a", "INVALID_ENCODING a", "INVALID_NEWLINE a", "EDIT_MODE_DISABLED a", "EDIT_EMPTY a", "EDIT_NEWLINE_ATTR a", "SIZE_EXCEEDED a"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestBlankMeansTheWhiteSpaceOfTheSpecification(t *testing.T) {
	replace := func(r *Rules) { r.Config.EditFormat = FormatReplace }
	for body, want := range map[string][]string{
		"\u00a0\u3000\r\n\t\n": {"EDIT_EMPTY a"},
		"\u200b\n":             nil,
		"\u0085\n":             nil,
	} {
		if got := validate(block("file=a mode=edit", body), replace); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", body, got, want)
		}
	}
}

func TestHintsSayWhichAndHowMuch(t *testing.T) {
	r := Rules{Config: Defaults(), Policy: func(path string) (bool, string) { return path != "secret", "rule 7" }}
	r.Config.MaxFileSize, r.Config.MaxTotalSize, r.Config.MaxFilesPerMessage = 5, 9, 3
	message := block("file=a", "123456\n") + block("file=./x", "") + block("file=a", "123\n") + block("file=secret mode=edit", "x\n") + block("file=b newline=mac", "")
	v := Validate(Parse(message, r.Config), r)
	for code, words := range map[Code][]string{
		CodeDuplicatePath:     {"file=a", "line 1"},
		CodePathDenied:        {"rule 7"},
		CodeEditModeDisabled:  {"mode=diff"},
		CodeInvalidNewline:    {`"mac"`, "crlf"},
		CodeSizeExceeded:      {"7 bytes", "5"},
		CodeTooManyFiles:      {"4 blocks", "3"},
		CodeTotalSizeExceeded: {"13 bytes", "9"},
	} {
		i := slices.IndexFunc(v.Errors, func(e Error) bool { return e.Code == code })
		if i < 0 {
			t.Errorf("%s is missing", code)
			continue
		}
		for _, w := range words {
			if !strings.Contains(v.Errors[i].Hint, w) {
				t.Errorf("%s: hint %q doesn't say %q", code, v.Errors[i].Hint, w)
			}
		}
	}
}

// § 4.2 told a second time: every pair of targets is compared.
func TestClashesEqualANaiveImplementation(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 20000 {
		var targets []string
		for range rng.IntN(7) {
			p := pick(rng, []string{"a", "b", "a-", "a.b", "A"})
			for range rng.IntN(3) {
				p += "/" + pick(rng, []string{"a", "b", "-"})
			}
			targets = append(targets, p)
		}
		first := firstOfTarget(targets)
		got := clashes(targets, first, false)
		for i, p := range targets {
			want := false
			for j, q := range targets[:i] {
				want = want || first[i] == i && first[j] == j && (strings.HasPrefix(p, q+"/") || strings.HasPrefix(q, p+"/"))
			}
			if (got[i] >= 0) != want || got[i] >= i {
				t.Fatalf("%q: %d clashes with %d, want a clash: %v", targets, i, got[i], want)
			}
		}
	}
}

func TestManyDeepTargetsAreComparedCheaply(t *testing.T) {
	var b strings.Builder
	for i := range 2000 {
		b.WriteString(block(fmt.Sprintf("file=%s%d", strings.Repeat("d/", 1000), i), ""))
	}
	if got, want := validate(b.String(), nil), []string{"TOO_MANY_FILES"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
