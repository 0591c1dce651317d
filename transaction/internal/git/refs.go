package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
)

// Update is one step of a change of refs: from the value that is expected to another.
// Old Zero expects no ref; New Zero removes it; New equal to Old only verifies.
type Update struct {
	Ref      string
	Old, New ID
}

// ErrLost says that a ref hadn't the expected value: a normal result.
var ErrLost = errors.New("a ref was moved by somebody else")

// Update changes refs together: all or, with ErrLost, none. git takes the first ref's
// lock first and moves it first; a process killed between two moves leaves the first
// ones moved.
//
// It isn't cancelled with ctx once git runs: then nobody would know what happened.
func (r *Repo) Update(ctx context.Context, updates ...Update) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var in bytes.Buffer
	for _, u := range updates {
		switch {
		case u.Old == u.New:
			fmt.Fprintf(&in, "verify %s\x00%s\x00", u.Ref, u.Old)
		case u.New == Zero:
			fmt.Fprintf(&in, "delete %s\x00%s\x00", u.Ref, u.Old)
		case u.Old == Zero:
			fmt.Fprintf(&in, "create %s\x00%s\x00", u.Ref, u.New)
		default:
			fmt.Fprintf(&in, "update %s\x00%s\x00%s\x00", u.Ref, u.New, u.Old)
		}
	}
	guard, err := r.guard(ctx)
	if err != nil {
		return err
	}
	defer guard.Close()
	for attempt := 0; ; attempt++ {
		c := call{dir: r.dir, env: r.env, stdin: bytes.NewReader(in.Bytes()), args: []string{"update-ref", "--stdin", "-z"}, extra: guard}
		_, err := runGit(context.WithoutCancel(ctx), c)
		if !isLockError(err) || attempt == maxStale {
			return lost(err)
		}
		if err := r.breakStale(ctx, err); err != nil {
			return err
		}
	}
}

// lost turns git's words for a ref with another value into ErrLost.
func lost(err error) error {
	f := (*failure)(nil)
	if !errors.As(err, &f) {
		return err
	}
	for _, words := range []string{" but expected ", "reference already exists", "reference is missing but expected", "unable to resolve reference"} {
		if strings.Contains(f.stderr, words) {
			return fmt.Errorf("%w: %w", ErrLost, err)
		}
	}
	return err
}

// Refs returns the refs below a prefix and what they name, whether that exists or not.
func (r *Repo) Refs(ctx context.Context, prefixes ...string) (map[string]ID, error) {
	out, err := r.run(ctx, nil, append([]string{"for-each-ref", "--format=%(objectname) %(refname)"}, prefixes...)...)
	if err != nil {
		return nil, err
	}
	refs := map[string]ID{}
	for line := range strings.Lines(string(out)) {
		id, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if ok {
			refs[name] = ID(id)
		}
	}
	return refs, nil
}
