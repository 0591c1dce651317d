package text

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fettle-dev/fettle/internal/fault"
)

func TestTextIsWhatSurvivesDecoding(t *testing.T) {
	tests := []struct {
		name, bytes string
		want        bool
	}{
		{"a surrogate written as UTF-8", "\xed\xa0\x80", false},
		{"NUL in UTF-8", "a\x00", false},
		{"NUL after a mark", "\xef\xbb\xbf\x00", false},
		{"half a mark", "\xef\xbb", false},
		{"odd length in UTF-16", "\xff\xfea", false},
		{"a mark of UTF-16 alone", "\xfe\xff", true},
		{"a pair", "\xfe\xff\xd8\x3d\xde\x00", true},
		{"a high surrogate at the end", "\xfe\xff\xd8\x3d", false},
		{"two high surrogates", "\xfe\xff\xd8\x3d\xd8\x3d\xde\x00", false},
		{"a low surrogate alone", "\xff\xfe\x00\xde", false},
		{"beyond Unicode", "\xf4\x90\x80\x80", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Valid([]byte(tt.bytes)); got != tt.want {
				t.Errorf("got %v; want %v", got, tt.want)
			}
		})
	}
}

func TestNewTextIsWrittenInTheFormOfTheFile(t *testing.T) {
	tests := []struct {
		name string
		form Form
		want string
	}{
		{"a new file", NewFile(), "é\r\n"},
		{"UTF-8 with its mark", Form{Encoding: UTF8, BOM: true}, "\xef\xbb\xbfé\r\n"},
		{"UTF-16LE", Form{Encoding: UTF16LE, BOM: true}, "\xff\xfe\xe9\x00\r\x00\n\x00"},
		{"UTF-16BE", Form{Encoding: UTF16BE, BOM: true}, "\xfe\xff\x00\xe9\x00\r\x00\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Encode("a", "é\r\n", tt.form)
			if err != nil || string(got) != tt.want {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

func TestWhatATextCannotHoldIsRefused(t *testing.T) {
	for name, s := range map[string]string{"NUL": "a\x00", "a surrogate": "\xed\xa0\x80", "a stray byte": "\xff"} {
		for _, encoding := range []Encoding{UTF8, UTF16LE, UTF16BE} {
			_, err := Encode("src/a", s, Form{Encoding: encoding})
			e := fault.As(err)
			if e == nil || e.Kind != fault.StepFailed || e.Reason != fault.ReasonNonText || e.Path != "src/a" || e.Hint == "" {
				t.Errorf("%s in %s: got %v; want StepFailed (non-text) with path and hint", name, encoding, err)
			}
		}
	}
}

func TestDominantTerminatorIsTheMostFrequentAndOnATieTheSimplest(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"none", "abc", "\n"},
		{"empty", "", "\n"},
		{"most CRLF", "a\r\nb\r\nc\n", "\r\n"},
		{"most CR", "a\rb\rc\r\n", "\r"},
		{"LF and CRLF alike", "a\r\nb\n", "\n"},
		{"LF and CR alike", "a\rb\n", "\n"},
		{"CRLF and CR alike", "a\rb\r\n", "\r\n"},
		{"CR before CRLF is a line of its own", "a\r\r\n\r", "\r"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Dominant(tt.text); got != tt.want {
				t.Errorf("got %q; want %q", got, tt.want)
			}
		})
	}
}

func TestLinesKeepTheirTerminators(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"empty", "", nil},
		{"one without terminator", "a", []string{"a"}},
		{"mixed", "a\nb\r\nc\rd", []string{"a\n", "b\r\n", "c\r", "d"}},
		{"empty lines", "\n\r\r\n", []string{"\n", "\r", "\r\n"}},
		{"other separators are text", "a\u2028b\v\u0085", []string{"a\u2028b\v\u0085"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Split(tt.text)
			if strings.Join(got, "|") != strings.Join(tt.want, "|") || len(got) != len(tt.want) {
				t.Errorf("got %q; want %q", got, tt.want)
			}
		})
	}
	for range Lines("a\nb") {
		break // a consumer may stop
	}
}

func TestContentIsALineWithoutItsTerminator(t *testing.T) {
	for line, want := range map[string]string{"a\r\n": "a", "a\n": "a", "a\r": "a", "a": "a", "a\r\r\n": "a\r", "": ""} {
		if got := Content(line); got != want {
			t.Errorf("%q: got %q; want %q", line, got, want)
		}
	}
}

func TestCheckingTextDoesNotAllocate(t *testing.T) {
	for name, b := range map[string][]byte{
		"UTF-8":  []byte(strings.Repeat("größer\n", 100)),
		"UTF-16": append([]byte("\xff\xfe"), bytes.Repeat([]byte("a\x00"), 100)...),
	} {
		if got := testing.AllocsPerRun(100, func() { Valid(b) }); got != 0 {
			t.Errorf("%s: got %v allocations; want 0", name, got)
		}
	}
}

func BenchmarkValid(b *testing.B) {
	for name, data := range map[string][]byte{
		"ascii":  bytes.Repeat([]byte("func main() { return }\n"), 400),
		"german": bytes.Repeat([]byte("größere Übungen für alle\n"), 400),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				Valid(data)
			}
		})
	}
}

func FuzzTextSurvivesDecodingAndEncoding(f *testing.F) {
	for _, s := range []string{"", "a\r\n", "\xef\xbb\xbfa", "\xff\xfea\x00", "\xfe\xff\xd8\x3d\xde\x00", "\xff", "\xef\xbb\xbf\xef\xbb\xbf", "\xff\xfe\xff\xfe"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, form, ok := Decode(b)
		if ok != Valid(b) {
			t.Fatalf("%q: got decoded %v, valid %v", b, ok, Valid(b))
		}
		if !ok {
			return
		}
		if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
			t.Fatalf("%q: decoded to %q", b, s)
		}
		got, err := Encode("a", s, form)
		if err != nil || !bytes.Equal(got, b) {
			t.Fatalf("%q: decoded to %q, %+v; encoded to %q, %v", b, s, form, got, err)
		}
		if joined := strings.Join(Split(s), ""); joined != s {
			t.Fatalf("lines of %q join to %q", s, joined)
		}
		if (form.FinalNewline == nil) != (s == "") || form.EOL == NoEOL && strings.ContainsAny(s, "\r\n") {
			t.Fatalf("%q: got form %+v", s, form)
		}
	})
}
