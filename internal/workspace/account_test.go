package workspace

import (
	"slices"
	"strings"
	"testing"
)

func (x *fixture) rows() []Row {
	x.t.Helper()
	rows, err := Account(x.store, x.w, x.b, 2)
	if err != nil {
		x.t.Fatal(err)
	}
	return rows
}

func TestRowsSayWhatTheFinalStateIs(t *testing.T) {
	tests := []struct {
		name  string
		steps [][]func(*Batch) error
		want  []Row
	}{
		{"nothing done", nil, nil},
		{"edited and reverted", [][]func(*Batch) error{{update("a", "x\n")}, {update("a", "1\n")}}, nil},
		{"added and deleted", [][]func(*Batch) error{{add("n", "")}, {remove("n")}}, nil},
		{"renamed and edited is one row", [][]func(*Batch) error{{move("a", "c"), update("c", "x\ny\n")}},
			[]Row{{Path: "c", Kind: Renamed, From: "a", LinesAdded: 2, LinesRemoved: 1, BytesBefore: 2, BytesAfter: 4}}},
		{"renamed there and back but edited", [][]func(*Batch) error{{move("a", "c")}, {move("c", "a"), update("a", "2\n")}},
			[]Row{{Path: "a", Kind: Modified, LinesAdded: 1, LinesRemoved: 1, BytesBefore: 2, BytesAfter: 2}}},
		{"deleted and made anew with the old text", [][]func(*Batch) error{{remove("a"), add("a", "1\n")}},
			[]Row{{Path: "a", Kind: Added, LinesAdded: 1, BytesAfter: 2}}},
		{"renamed, and a new one in its place", [][]func(*Batch) error{{move("a", "c"), add("a", "")}},
			[]Row{{Path: "a", Kind: Added}, {Path: "c", Kind: Renamed, From: "a", BytesBefore: 2, BytesAfter: 2}}},
		{"renamed onto a deleted one", [][]func(*Batch) error{{remove("b"), move("a", "b")}},
			[]Row{{Path: "b", Kind: Renamed, From: "a", BytesBefore: 2, BytesAfter: 2}}},
		{"deleted", [][]func(*Batch) error{{remove("b")}},
			[]Row{{Path: "b", Kind: Deleted, LinesRemoved: 1, BytesBefore: 2}}},
	}
	for _, tt := range tests {
		x := newFixture(t, map[string]string{"a": "1\n", "b": "2\n"})
		for _, step := range tt.steps {
			x.must(step...)
		}
		if got := x.rows(); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func TestUnreadableFilesHaveNoRow(t *testing.T) {
	x := newFixture(t, map[string]string{"a": "1\n", "b": "2\n"})
	x.w.PutUnreadable("a", Unreadable{Origin: "a", Disk: "a"})
	x.w.Drop("b")
	x.w.PutUnreadable("moved", Unreadable{Origin: "b", Disk: "moved"})
	if got := x.rows(); len(got) != 0 {
		t.Errorf("got %+v, want none", got)
	}
}

func TestAccountIsTheSameHoweverManyWork(t *testing.T) {
	files := map[string]string{}
	for i := range 50 {
		files[strings.Repeat("f", i+1)] = strings.Repeat("line\n", i)
	}
	x := newFixture(t, files)
	for path := range files {
		x.must(update(path, strings.Repeat("other\n", len(path))))
	}
	want := x.rows()
	for _, workers := range []int{0, 1, 7, 500} {
		got, err := Account(x.store, x.w, x.b, workers)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%d workers: %v, rows differ", workers, err)
		}
	}
}

func TestClassSaysWhatAChangeIsLess(t *testing.T) {
	tests := []struct {
		before, after string
		want          Class
	}{
		{"p\r\nq\r\n", "p\nq\n", EOLOnly},
		{"p\rq\r", "p\r\nq\n", EOLOnly},
		{"p\r\r\n", "p\n\n", EOLOnly},
		{"p\r\n", "p\n\n", WhitespaceOnly},
		{"p\nq", "p\nq\n", WhitespaceOnly},
		{"if (x) {\ny\n}\n", "if\t(x)\v{\f\n  y\n}", WhitespaceOnly},
		{"", " \r\n", WhitespaceOnly},
		{"a\u00a0b", "ab", ""},
		{"p\r\nq\r\n", "p\nQ\n", ""},
		{"ab", "abc", ""},
	}
	for _, tt := range tests {
		if got := classify(tt.before, tt.after); got != tt.want {
			t.Errorf("%q to %q: got %q, want %q", tt.before, tt.after, got, tt.want)
		}
		if got := classify(tt.after, tt.before); got != tt.want {
			t.Errorf("%q to %q: got %q, want %q", tt.after, tt.before, got, tt.want)
		}
	}
}

func TestAChangeOfEncodingHasNoClass(t *testing.T) {
	x := newFixture(t, map[string]string{"a": "x\r\n", "b": "x\n"})
	x.must(setBytes("a", "\xEF\xBB\xBFx\n"), setBytes("b", "\xFF\xFEx\x00\n\x00"))
	want := []Row{
		{Path: "a", Kind: Modified, LinesAdded: 1, LinesRemoved: 1, BytesBefore: 3, BytesAfter: 5},
		{Path: "b", Kind: Modified, BytesBefore: 2, BytesAfter: 6},
	}
	if got := x.rows(); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
