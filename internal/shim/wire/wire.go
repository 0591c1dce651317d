// Package wire holds what fettle and fettle-shim say to each other: one conversation per
// invocation over a stream of their own, a Unix socket in a Pod or an inherited socket
// pair locally.
//
//	shim   → hello
//	fettle → request
//	shim   → started          once the tool has been exec'ed
//	fettle → cancel           at any time after the request, optional
//	shim   → result           always, whatever happened
//	fettle → ack              and the shim exits 0
//
// Either side takes the end of the stream as the other's death: the shim kills the tool
// and all that came of it, fettle learns that nothing more will be reported.
//
// A frame is four bytes of length, big endian, and that many bytes of JSON. The package
// refuses frames above MaxFrame, unknown members and conversations of another version.
// It never starts a process and never touches a file.
package wire

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"time"
	"unicode/utf8"
)

// Version of the conversation; both sides must speak the same.
const Version = 1

// MaxFrame is the largest frame in bytes: two streams at their limit in base64 fit.
const MaxFrame = 64 << 20

// Socket is where a shim in a Pod finds its channel.
const Socket = "/fettle/run/shim.sock"

// MarkerEnv is the variable that every process of an invocation inherits, so that what
// outlives its keepers can be found by it. Its value is Request.Marker.
const MarkerEnv = "FETTLE_INVOCATION"

// Message is one frame: exactly one member is set.
type Message struct {
	Hello   *Hello   `json:"hello,omitempty"`
	Request *Request `json:"request,omitempty"`
	Started *Started `json:"started,omitempty"`
	Cancel  *Cancel  `json:"cancel,omitempty"`
	Result  *Result  `json:"result,omitempty"`
	Ack     *Ack     `json:"ack,omitempty"`
}

// Hello is how the shim introduces itself.
type Hello struct {
	Version int      `json:"version"`
	PID     int      `json:"pid"`               // as the shim's own PID namespace counts
	Command []string `json:"command,omitempty"` // what it was told to run, if it was
}

// Request says what to run and how.
type Request struct {
	// Argv is the program and its arguments without paths; empty takes Hello.Command.
	// A program without slash is looked for in Search, then in PATH; a relative one
	// with slash is below Dir.
	Argv   []string `json:"argv,omitempty"`
	Search []string `json:"search,omitempty"`
	Dir    string   `json:"dir"` // working directory: the root of the tree, absolute
	// Env are KEY=VALUE pairs on top of the clean environment; the last of a key holds.
	Env    []string `json:"env,omitempty"`
	Umask  int      `json:"umask"`
	Marker string   `json:"marker,omitempty"` // value of MarkerEnv
	// Version is a command that tells the tool's version, run before it; nil is none.
	Version []string `json:"version,omitempty"`

	// Home, Tmp and Cache become HOME, TMPDIR and XDG_CACHE_HOME: absolute, private to
	// the invocation, outside Dir. The shim makes those that aren't there, empties all
	// before and after, and removes what it made.
	Home  string `json:"home"`
	Tmp   string `json:"tmp"`
	Cache string `json:"cache"`

	Paths   []string `json:"paths,omitempty"` // relative to Dir, in the order to pass them
	Passing Passing  `json:"passing"`
	// GoOn are the exit codes beside 0 after which the next batch of paths still runs.
	GoOn []int `json:"goOn,omitempty"`

	// Deadline counts from the first exec, over all batches; 0 is none. Grace is how
	// long a tool may take to end after SIGTERM before it is killed.
	Deadline time.Duration `json:"deadline"`
	Grace    time.Duration `json:"grace"`
	Limits   Limits        `json:"limits"`
}

// Passing says how the tool is told its paths.
type Passing struct {
	As As `json:"as"`
	// Separator stands before the paths, or before the name of the list file, and only
	// where there are any.
	Separator string `json:"separator,omitempty"`
	// Newline ends each path of a list file by LF in place of NUL.
	Newline bool `json:"newline,omitempty"`
}

// As is a way to pass paths.
type As string

// The ways to pass paths.
const (
	Arguments As = "Arguments" // in batches below the system's limit
	File      As = "File"      // in a list file, whose name is the last argument
	Stdin     As = "Stdin"     // NUL-separated on standard input
	None      As = "None"      // not at all
)

// Limits bound what is kept of the tool's output, in bytes over all batches. The rest is
// read, counted and dropped.
type Limits struct {
	Stdout int64 `json:"stdout"` // kept from the start
	Stderr int64 `json:"stderr"` // kept from the start
	Tail   int64 `json:"tail"`   // kept from the end of each stream of each batch
}

// Limits of what a Request may ask for, and what the local driver asks for.
const (
	DefaultStdout = 16 << 20
	DefaultStderr = 4 << 20
	DefaultTail   = 64 << 10
	MaxKept       = 40 << 20 // Stdout + Stderr, so that a result fits a frame
	MaxTail       = 1 << 20
	DefaultGrace  = 2 * time.Second
)

// Started says that the tool has been exec'ed: from here on the tree may change.
type Started struct {
	PID     int    `json:"pid"`
	Program string `json:"program"` // as it was found
}

// Cancel asks the shim to end the tool: SIGTERM, grace, SIGKILL.
type Cancel struct{}

// Ack says that the result has arrived.
type Ack struct{}

// Errors of a conversation.
var (
	ErrBroken   = errors.New("the channel broke") // the other side is gone or garbled
	ErrProtocol = errors.New("unexpected message")
)

// Validate reports what is wrong with a request, naming the member.
func (r *Request) Validate() error {
	if !clean(r.Dir) {
		return fmt.Errorf("dir %q is not an absolute, clean path", r.Dir)
	}
	for _, p := range []struct{ name, dir string }{{"home", r.Home}, {"tmp", r.Tmp}, {"cache", r.Cache}} {
		if !clean(p.dir) || strings.Count(p.dir, "/") < 2 || within(p.dir, r.Dir) || within(r.Dir, p.dir) {
			return fmt.Errorf("%s %q is not an absolute, clean path apart from %q", p.name, p.dir, r.Dir)
		}
	}
	switch r.Passing.As {
	case Arguments, File, Stdin, None:
	default:
		return fmt.Errorf("paths can't be passed as %q", r.Passing.As)
	}
	if l := r.Limits; l.Stdout < 0 || l.Stderr < 0 || l.Stdout > MaxKept || l.Stderr > MaxKept-l.Stdout || l.Tail < 0 || l.Tail > MaxTail {
		return fmt.Errorf("limits %+v are out of range", l)
	}
	if r.Deadline < 0 || r.Grace < 0 || r.Umask < 0 || r.Umask > 0o777 {
		return errors.New("deadline, grace or umask is out of range")
	}
	return r.validateStrings()
}

// validateStrings refuses what neither JSON nor execve can carry unchanged.
func (r *Request) validateStrings() error {
	for _, list := range []struct {
		name   string
		values []string
	}{
		{"argv", r.Argv},
		{"search", r.Search},
		{"version", r.Version},
		{"env", r.Env},
		{"paths", r.Paths},
		{"directories", []string{r.Dir, r.Home, r.Tmp, r.Cache}},
		{"marker and separator", []string{r.Marker, r.Passing.Separator}},
	} {
		for _, s := range list.values {
			if strings.ContainsRune(s, 0) || !utf8.ValidString(s) {
				return fmt.Errorf("%s: %q holds NUL or isn't UTF-8", list.name, s)
			}
		}
	}
	for _, kv := range r.Env {
		if key, _, ok := strings.Cut(kv, "="); !ok || key == "" {
			return fmt.Errorf("env: %q is not KEY=VALUE", kv)
		}
	}
	for _, p := range r.Paths {
		if p == "" || p[0] == '/' {
			return fmt.Errorf("path %q is not relative to the root", p)
		}
		if r.Passing.As == File && r.Passing.Newline && strings.Contains(p, "\n") {
			return fmt.Errorf("path %q holds a line feed, which a list of lines can't carry", p)
		}
	}
	return nil
}

// clean reports whether p is absolute and as short as it gets.
func clean(p string) bool { return path.IsAbs(p) && path.Clean(p) == p }

// within reports whether p is dir or below it.
func within(p, dir string) bool {
	return p == dir || strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/")
}
