package persist

import (
	"path"
	"strings"

	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/tree"
)

// preflight looks at everything that ops concern before the first of them is done: links
// on every path, then the policy on every path, then drift (spec §16.3).
func (wr *Writer) preflight(ops []Op) error {
	looks := map[string]tree.Kind{} // 0: absent
	for _, op := range ops {
		for _, path := range op.paths() {
			if err := wr.lookAlong(path, looks); err != nil {
				return err
			}
		}
	}
	rules := wr.Policy()
	for _, op := range ops {
		for _, path := range op.paths() {
			if err := allowed(rules, path, looks); err != nil {
				return err
			}
		}
	}
	return wr.preflightDrift(ops, looks)
}

// lookAlong looks at a path and at all its parents, each once.
func (wr *Writer) lookAlong(path string, looks map[string]tree.Kind) error {
	for _, p := range append(parents(path), path) {
		if _, ok := looks[p]; ok {
			continue
		}
		id, err := wr.Tree.Stat(p)
		if err == nil && id.Kind == tree.Link {
			err = tree.ErrLink
		}
		if err := looked(path, err); err != nil {
			return err
		}
		looks[p] = id.Kind
	}
	return nil
}

// allowed asks the policy whether path may be written and its missing parents made.
func allowed(rules *policy.Policy, path string, looks map[string]tree.Kind) error {
	if err := mayWrite(rules, path); err != nil {
		return err
	}
	for _, dir := range parents(path) {
		if looks[dir] != 0 {
			continue
		}
		if err := rules.CanMkdir(dir).Refusal(dir, policy.MakingDirectory); err != nil {
			return err
		}
	}
	return nil
}

// mayWrite asks the policy about a path. Of a temporary, which nobody has named, a
// refusal says what it is for.
func mayWrite(rules *policy.Policy, p string) error {
	err := rules.CanWrite(p).Refusal(p, policy.Writing)
	if e := fault.As(err); e != nil && strings.HasPrefix(path.Base(p), tempPrefix) {
		return e.WithHint("moves that go round in a circle need a temporary there: let the policy allow %s, or write the moves in two steps",
			path.Join(path.Dir(p), tempPrefix+"*"))
	}
	return err
}

// preflightDrift plays the operations on what the disk holds now: of a path that one of
// them leaves or fills, a later one finds what that made of it.
func (wr *Writer) preflightDrift(ops []Op, looks map[string]tree.Kind) error {
	vacated, filled := map[string]bool{}, map[string]bool{}
	check := func(path string, want Expected) error {
		if vacated[path] || filled[path] {
			return nil
		}
		_, err := wr.verify(path, want)
		return err
	}
	for _, op := range ops {
		if err := parentsFor(op, looks, vacated); err != nil {
			return err
		}
		switch op.Kind {
		case Rename:
			if err := check(op.From, op.Before); err != nil {
				return err
			}
			if err := check(op.Path, op.Over); err != nil {
				return err
			}
			vacated[op.From], filled[op.From] = true, false
			vacated[op.Path], filled[op.Path] = false, true
		case Delete:
			if err := check(op.Path, op.Before); err != nil {
				return err
			}
			vacated[op.Path] = true
		case Write:
			if err := check(op.Path, op.Before); err != nil {
				return err
			}
		}
	}
	return nil
}

// parentsFor refuses an operation that would have to make a directory of a file.
func parentsFor(op Op, looks map[string]tree.Kind, vacated map[string]bool) error {
	if op.Kind == Delete {
		return nil // what is gone with its directory is gone
	}
	for _, dir := range parents(op.Path) {
		if kind := looks[dir]; kind != 0 && kind != tree.Directory && !vacated[dir] {
			return notDirectory(op.Path, dir)
		}
	}
	return nil
}
