package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func valid() Request {
	return Request{Argv: []string{"tool"}, Dir: "/tree", Home: "/p/home", Tmp: "/p/tmp", Cache: "/p/cache", Passing: Passing{As: Arguments}}
}

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Request)
		want   string // "" is valid
	}{
		{"an ordinary request", func(*Request) {}, ""},
		{"paths that look odd", func(r *Request) { r.Paths = []string{"-x", "a\nb", "ä"} }, ""},
		{"a relative root", func(r *Request) { r.Dir = "tree" }, "dir"},
		{"a root with dots", func(r *Request) { r.Dir = "/tree/../x" }, "dir"},
		{"a home that is the root of the system", func(r *Request) { r.Home = "/" }, "home"},
		{"a home right below it", func(r *Request) { r.Home = "/root" }, "home"},
		{"a home in the tree", func(r *Request) { r.Home = "/tree/home" }, "home"},
		{"a cache that holds the tree", func(r *Request) { r.Dir, r.Cache = "/p/cache/tree", "/p/cache" }, "cache"},
		{"a neighbour of the tree by name", func(r *Request) { r.Dir, r.Cache = "/p/cach", "/p/cache" }, ""},
		{"an unknown way to pass paths", func(r *Request) { r.Passing.As = "Telepathy" }, "Telepathy"},
		{"NUL in an argument", func(r *Request) { r.Argv = []string{"a\x00b"} }, "argv"},
		{"invalid UTF-8 in a path", func(r *Request) { r.Paths = []string{"\xff"} }, "paths"},
		{"an absolute path", func(r *Request) { r.Paths = []string{"/etc/passwd"} }, "not relative"},
		{"an empty path", func(r *Request) { r.Paths = []string{""} }, "not relative"},
		{"a variable without =", func(r *Request) { r.Env = []string{"X"} }, "KEY=VALUE"},
		{"a variable without name", func(r *Request) { r.Env = []string{"=x"} }, "KEY=VALUE"},
		{"a line feed in a list of lines", func(r *Request) { r.Paths, r.Passing = []string{"a\nb"}, Passing{As: File, Newline: true} }, "line feed"},
		{"a line feed in a list of NULs", func(r *Request) { r.Paths, r.Passing = []string{"a\nb"}, Passing{As: File} }, ""},
		{"a negative deadline", func(r *Request) { r.Deadline = -1 }, "deadline"},
		{"more output than fits a frame", func(r *Request) { r.Limits.Stdout = MaxKept + 1 }, "limits"},
		{"a negative limit", func(r *Request) { r.Limits.Tail = -1 }, "limits"},
		{"limits that overflow together", func(r *Request) { r.Limits.Stdout, r.Limits.Stderr = 1<<62, 1<<62 }, "limits"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := valid()
			tt.change(&r)
			err := r.Validate()
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Validate = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestAMessageSurvivesTheWire(t *testing.T) {
	r := valid()
	for _, m := range []Message{
		{Hello: &Hello{Version: 1, PID: 2, Command: []string{"a", ""}}},
		{Request: &r},
		{Started: &Started{PID: 7, Program: "/bin/x"}},
		{Cancel: &Cancel{}},
		{Result: &Result{Ended: Exited, Batches: []Batch{{Stdout: Output{Head: []byte("\xff\x00<&"), Total: 4}}}}},
		{Ack: &Ack{}},
	} {
		frame, err := Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(bytes.NewReader(frame))
		if diff := cmp.Diff(m, got); err != nil || diff != "" {
			t.Errorf("decoded %v (-sent +got):\n%s", err, diff)
		}
	}
}

func TestEveryMemberOfAMessageIsCounted(t *testing.T) {
	var m Message
	v := reflect.ValueOf(&m).Elem()
	for i := range v.NumField() {
		v.Field(i).Set(reflect.New(v.Type().Field(i).Type.Elem()))
	}
	if got := m.members(); got != v.NumField() {
		t.Errorf("members = %d, want %d", got, v.NumField())
	}
}

func TestDecodeRefuses(t *testing.T) {
	frame := func(body string) string {
		return string(binary.BigEndian.AppendUint32(nil, uint32(len(body)))) + body
	}
	for _, tt := range []struct{ name, stream, want string }{
		{"the end of the stream", "", "EOF"},
		{"half a length", "\x00\x00", "unexpected EOF"},
		{"half a frame", frame(`{"ack":{}}`)[:8], "after 4 of 10 bytes"},
		{"a length that nobody may claim", "\xff\xff\xff\xff", "exceeds the limit"},
		{"what is no JSON", frame("{"), "unexpected EOF"},
		{"an unknown member", frame(`{"nack":{}}`), "nack"},
		{"an unknown member further down", frame(`{"ack":{"x":1}}`), `"x"`},
		{"no member", frame(`{}`), "0 members"},
		{"two members", frame(`{"ack":{},"cancel":{}}`), "2 members"},
		{"two messages in a frame", frame(`{"ack":{}}{"ack":{}}`), "follows"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewConn(readWriter{strings.NewReader(tt.stream)}).Recv()
			if !errors.Is(err, ErrBroken) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want the channel broken with %q", err, tt.want)
			}
		})
	}
}

type readWriter struct{ io.Reader }

func (readWriter) Write(p []byte) (int, error) { return len(p), nil }

func FuzzDecode(f *testing.F) {
	for _, m := range []Message{{Ack: &Ack{}}, {Hello: &Hello{Version: 1}}, {Result: &Result{Batches: []Batch{{ExitCode: 1}}}}} {
		frame, err := Encode(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(frame)
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		m, err := Decode(bytes.NewReader(stream))
		if err != nil {
			return
		}
		if m.members() != 1 {
			t.Errorf("a message of %d members was accepted", m.members())
		}
		frame, err := Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Decode(bytes.NewReader(frame)); err != nil || !cmp.Equal(m, again) {
			t.Errorf("%+v comes back as %+v, %v", m, again, err)
		}
		if m.Request != nil {
			_ = m.Request.Validate() // must not panic
		}
	})
}

func TestLast(t *testing.T) {
	for _, tt := range []struct {
		name       string
		out        Output
		n          int
		want       string
		wantBefore int64
	}{
		{"nothing", Output{}, 5, "", 0},
		{"all of it", Output{Head: []byte("abc"), Total: 3}, 5, "abc", 0},
		{"the end of the head", Output{Head: []byte("abcdef"), Total: 6}, 2, "ef", 4},
		{"head and tail when nothing was dropped", Output{Head: []byte("abc"), Tail: []byte("de"), Total: 5}, 4, "bcde", 1},
		{"the tail alone when something was", Output{Head: []byte("abc"), Tail: []byte("yz"), Total: 9}, 4, "yz", 7},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, before := tt.out.Last(tt.n)
			if string(got) != tt.want || before != tt.wantBefore {
				t.Errorf("Last = %q after %d, want %q after %d", got, before, tt.want, tt.wantBefore)
			}
		})
	}
}
