package enumerate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
)

// report is all that an enumeration says.
type report struct {
	Files, Dirs, TooDeep []string
	Summary              Summary
}

func run(t *testing.T, r tree.Reader, q Query) (report, error) {
	t.Helper()
	if q.MaxDepth == 0 {
		q.MaxDepth = 32
	}
	var got report
	summary, err := q.Run(context.Background(), r, Visitor{
		File:    func(f File) bool { got.Files = append(got.Files, f.Path); return true },
		Dir:     func(dir string) { got.Dirs = append(got.Dirs, dir) },
		TooDeep: func(dir string) { got.TooDeep = append(got.TooDeep, dir) },
	})
	got.Summary = summary
	return got, err
}

func memory(t *testing.T, entries map[string]treemem.Entry) *treemem.Tree {
	t.Helper()
	m, err := treemem.New(entries)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func files(paths ...string) map[string]treemem.Entry {
	entries := map[string]treemem.Entry{}
	for _, p := range paths {
		entries[p] = treemem.Entry{Data: p}
	}
	return entries
}

func scope(t *testing.T, raws ...string) *glob.Region {
	t.Helper()
	return glob.NewRegion(entries(t, raws), nil)
}

func exclusion(t *testing.T, raws ...string) glob.Exclusion {
	t.Helper()
	list, err := glob.ParseEntries(raws, glob.Exclude, 64)
	if err != nil {
		t.Fatal(err)
	}
	return glob.NewExclusion(list)
}

// ignored is what Git would ignore: directories end in a slash.
type ignored []string

func (i ignored) Ignored(path string, dir bool) bool {
	if dir {
		path += "/"
	}
	return slices.Contains(i, path)
}

func TestEnumerationFindsWhatTheSpecSays(t *testing.T) {
	everything := map[string]treemem.Entry{
		"a.ts": {}, "src/b.ts": {}, "src/.c.ts": {}, "src/d/e.ts": {}, "src/d.ts": {}, "src/d-e/f.ts": {},
		"src/link.ts": {Target: "b.ts"}, "src/linked": {Target: "d"}, "src/fifo.ts": {Kind: tree.Other},
		"src/nl\n.ts": {}, "src/\xff.ts": {}, `src/back\slash.ts`: {}, ".hid/g.ts": {}, "file": {},
	}
	tests := []struct {
		name      string
		query     Query
		want      []string
		wantDeep  []string
		wantCount Summary
	}{
		{
			name:  "paths come in the order of their bytes, odd names as they are, links and pipes not at all",
			query: Query{Region: scope(t, "src/**")},
			want: []string{
				`src/b.ts`, `src/back\slash.ts`, "src/d-e/f.ts", "src/d.ts", "src/d/e.ts", "src/nl\n.ts", "src/\xff.ts",
			},
		},
		{
			name:  "a leading dot needs one in the pattern",
			query: Query{Region: scope(t, "src/.*", ".hid/*", "**/.hid/**")},
			want:  []string{".hid/g.ts", "src/.c.ts"},
		},
		{
			name:  "a double star matches its own prefix, when that is a file",
			query: Query{Region: scope(t, "file/**", "src/b.ts/**")},
			want:  []string{"file", "src/b.ts"},
		},
		{
			name:  "a prefix that is absent, or is or runs through a link, yields nothing",
			query: Query{Region: scope(t, "nope/**", "src/linked/**", "src/linked/x/*", "src/link.ts", "file/x/*")},
		},
		{
			name:  "a literal that names a directory yields nothing",
			query: Query{Region: scope(t, "src")},
		},
		{
			name:  "a selector narrows, and decides where to start",
			query: Query{Region: glob.NewRegion(entries(t, []string{"**/*.ts"}), entries(t, []string{"src/d/**", "a.ts", "file"}))},
			want:  []string{"a.ts", "src/d/e.ts"},
		},
		{
			name:     "a directory at the depth bound is not entered and said",
			query:    Query{Region: scope(t, "**/*.ts"), MaxDepth: 2},
			want:     []string{"a.ts", "src/b.ts", `src/back\slash.ts`, "src/d.ts", "src/nl\n.ts", "src/\xff.ts"},
			wantDeep: []string{"src/d-e", "src/d"},
		},
		{
			name:  "the depth bound is of no interest where nothing below can match",
			query: Query{Region: scope(t, "src/*.ts"), MaxDepth: 2},
			want:  []string{"src/b.ts", `src/back\slash.ts`, "src/d.ts", "src/nl\n.ts", "src/\xff.ts"},
		},
		{
			name:     "a start below the bound is incomplete at the bound",
			query:    Query{Region: scope(t, "src/d/*", "src/d-e/x/y/*", "nope/x/y/*"), MaxDepth: 1},
			wantDeep: []string{"src"},
		},
		{
			name:      "files that are excluded are counted, directories once and not entered",
			query:     Query{Region: scope(t, "**/*.ts"), Exclude: exclusion(t, "src/d", "src/d-*/**", "**/b.ts")},
			want:      []string{"a.ts", `src/back\slash.ts`, "src/d.ts", "src/nl\n.ts", "src/\xff.ts"},
			wantCount: Summary{Excluded: Count{Files: 1, Directories: 2}},
		},
		{
			name:      "an excluded directory at the bound leaves nothing incomplete",
			query:     Query{Region: scope(t, "src/d/**"), Exclude: exclusion(t, "src/d/**"), MaxDepth: 2},
			wantCount: Summary{Excluded: Count{Directories: 1}},
		},
		{
			name:      "starts in one excluded directory count it once; what nothing could match in is not counted",
			query:     Query{Region: scope(t, "src/d/*.ts", "src/d-e/*"), Exclude: exclusion(t, "src", ".hid")},
			wantCount: Summary{Excluded: Count{Directories: 1}},
		},
		{
			name:      "an excluded start that is a file",
			query:     Query{Region: scope(t, "file/**"), Exclude: exclusion(t, "file")},
			wantCount: Summary{Excluded: Count{Files: 1}},
		},
		{
			name: "what git ignores has a count of its own, asked after the exclusion",
			query: Query{
				Region: scope(t, "**/*.ts", "file/**"), Exclude: exclusion(t, "**/b.ts", "src/d-e"),
				Ignored: ignored{"src/d/", "src/b.ts", "src/d-e/", "a.ts", "file"},
			},
			want:      []string{`src/back\slash.ts`, "src/d.ts", "src/nl\n.ts", "src/\xff.ts"},
			wantCount: Summary{Excluded: Count{Files: 1, Directories: 1}, Ignored: Count{Files: 2, Directories: 1}},
		},
		{
			name:      "a start below an ignored directory",
			query:     Query{Region: scope(t, "src/d/*", "src/b.ts"), Ignored: ignored{"src/"}},
			wantCount: Summary{Ignored: Count{Files: 1, Directories: 1}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := run(t, memory(t, everything), tt.query)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got.Files); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.wantDeep, got.TooDeep); diff != "" {
				t.Errorf("too deep (-want +got):\n%s", diff)
			}
			if got.Summary != tt.wantCount {
				t.Errorf("left out: got %+v, want %+v", got.Summary, tt.wantCount)
			}
		})
	}
}

func TestDirectoriesAreListedOnlyWhereSomethingCanMatch(t *testing.T) {
	m := memory(t, files("src/a/x.ts", "src/b/c/x.ts", "lib/x.ts", ".git/x.ts", "z/src/x.ts"))
	got, err := run(t, m, Query{Region: scope(t, "src/*/*.ts")})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"src", "src/a", "src/b"}; !slices.Equal(got.Dirs, want) {
		t.Errorf("listed %q, want %q", got.Dirs, want)
	}
}

func TestSeveralStartsAreWalkedInTheOrderOfTheirPaths(t *testing.T) {
	m := memory(t, files("a/x", "a-b/y", "a.c", "a0/z", "a1"))
	got, err := run(t, m, Query{Region: scope(t, "a/*", "a-b/*", "a.c", "a0/*", "a1/**")})
	if want := []string{"a-b/y", "a.c", "a/x", "a0/z", "a1"}; err != nil || !slices.Equal(got.Files, want) {
		t.Errorf("got %q, %v; want %q", got.Files, err, want)
	}
}

// vanishing is a tree in which a directory isn't what it was met as when it is listed.
type vanishing struct {
	*treemem.Tree
	dir string
	err error
}

func (v vanishing) ReadDir(dir string, visit func([]byte, tree.Kind) bool) error {
	if dir == v.dir {
		return fmt.Errorf("list %q: %w", dir, v.err)
	}
	return v.Tree.ReadDir(dir, visit)
}

func TestADirectoryThatHasGoneOrBecomeALinkSinceItWasMetYieldsNothing(t *testing.T) {
	for _, cause := range []error{tree.ErrAbsent, tree.ErrLink} {
		got, err := run(t, vanishing{memory(t, files("a/1", "b/2", "c/3")), "b", cause}, Query{Region: scope(t, "**")})
		if want := []string{"a/1", "c/3"}; err != nil || !slices.Equal(got.Files, want) {
			t.Errorf("%v: got %q, %v; want %q", cause, got.Files, err, want)
		}
	}
}

func TestDirectoriesThatTheConsumerKnowsAreLeftOut(t *testing.T) {
	m := memory(t, files("a/1", "a/b/2", "a/c/3", "a/c/d/4", "e/5", "f"))
	known := []string{"a", "a/c", "e"}
	v := func(got *[]string) Visitor {
		return Visitor{
			File:  func(f File) bool { *got = append(*got, f.Path); return true },
			Enter: func(dir string) bool { return !slices.Contains(known, dir) },
		}
	}
	q := Query{Region: scope(t, "a/**", "e/**", "f"), MaxDepth: 9}
	var fromStarts, within []string
	if _, err := q.Run(context.Background(), m, v(&fromStarts)); err != nil {
		t.Fatal(err)
	}
	if want := []string{"f"}; !slices.Equal(fromStarts, want) {
		t.Errorf("from the starts: got %q, want %q", fromStarts, want)
	}
	if _, err := q.RunIn(context.Background(), m, []string{"a", "a/c"}, v(&within)); err != nil {
		t.Fatal(err)
	}
	if want := []string{"a/1", "a/b/2", "a/c/3", "a/c/d/4"}; !slices.Equal(within, want) {
		t.Errorf("in the directories: got %q, want %q", within, want)
	}
}

func TestEnumerationStopsWhenItsConsumerDoes(t *testing.T) {
	m := memory(t, files("a/1", "a/2", "b/3", "c/4"))
	m.FailList("c", fs.ErrPermission)
	for stop := 1; stop <= 3; stop++ {
		var got, dirs []string
		_, err := Query{Region: scope(t, "**"), MaxDepth: 9}.Run(context.Background(), m, Visitor{
			File: func(f File) bool { got = append(got, f.Path); return len(got) < stop },
			Dir:  func(dir string) { dirs = append(dirs, dir) },
		})
		if err != nil || len(got) != stop {
			t.Errorf("stopping at file %d: got %q, %v", stop, got, err)
		}
		if stop == 2 && slices.Contains(dirs, "b") {
			t.Errorf("directory b was listed although the consumer had stopped in a: %q", dirs)
		}
	}
}

func TestADirectoryThatCannotBeListedFailsTheEnumeration(t *testing.T) {
	m := memory(t, files("a/1", "b/2", "c/3"))
	m.FailList("b", fs.ErrPermission)
	got, err := run(t, m, Query{Region: scope(t, "**")})
	var list *ListError
	if !errors.As(err, &list) || list.Path != "b" || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v, want a ListError of b that wraps the cause", err)
	}
	if want := []string{"a/1"}; !slices.Equal(got.Files, want) {
		t.Errorf("found %q before, want %q", got.Files, want)
	}
	if _, err := run(t, m, Query{Region: scope(t, "**"), Exclude: exclusion(t, "b/**")}); err != nil {
		t.Errorf("with b excluded: got %v, want no error", err)
	}
}

func TestAStartThatCannotBeLookedAtFailsTheEnumeration(t *testing.T) {
	m := memory(t, files("a/b/1"))
	m.Unlookable("a", true)
	_, err := run(t, m, Query{Region: scope(t, "a/b/**")})
	if list := (*ListError)(nil); !errors.As(err, &list) || list.Path != "a/b" {
		t.Errorf("got %v, want a ListError of a/b", err)
	}
}

func TestACancelledContextEndsTheEnumeration(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Query{Region: scope(t, "**"), MaxDepth: 9}.Run(ctx, memory(t, files("a")), Visitor{File: func(File) bool { return true }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestAFileKnowsTheEntriesThatMatchIt(t *testing.T) {
	region := scope(t, "src/*.ts", "**/a.*", "src/a.ts", "lib/**")
	var got []string
	_, err := Query{Region: region, MaxDepth: 9}.Run(context.Background(), memory(t, files("src/a.ts")), Visitor{File: func(f File) bool {
		for i, e := range region.Scope() {
			if f.MatchedBy(i) {
				got = append(got, e.String())
			}
		}
		return true
	}})
	if want := []string{"**/a.*", "src/*.ts", "src/a.ts"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

func TestAddressableNames(t *testing.T) {
	for path, want := range map[string]bool{
		"a": true, "src/a b.ts": true, "src/nl\n.ts": true, "src/~x": true, "src/C:x": true, "ä/ö": true, "a*b": true,
		"a\xff": false, `a\b`: false, "~a/b": false, "C:x": false, " a": false, "a/b ": false, "a\n": false,
	} {
		if got := Addressable(path); got != want {
			t.Errorf("%q: got %t, want %t", path, got, want)
		}
	}
}
