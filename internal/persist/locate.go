package persist

import (
	"bytes"
	"crypto/sha256"
	"errors"

	"github.com/fettle-dev/fettle/internal/tree"
)

// found is what a path holds when a journal's entry is taken up again.
type found struct {
	kind tree.Kind // 0: absent
	sum  [sha256.Size]byte
	id   tree.Identity
}

// matches reports whether a path holds what is expected.
func (f found) matches(want Expected) bool {
	switch want.Want {
	case Nothing:
		return f.kind == 0
	case Bytes:
		return f.kind == tree.Regular && f.sum == want.Sum
	case BytesOrNothing:
		return f.kind == 0 || f.kind == tree.Regular && f.sum == want.Sum
	}
	return f.kind == 0 || f.kind == tree.Regular
}

// stage is one atomic change of the paths that a list of operations is about: an
// operation, or the first half of a rename that supersedes a deletion.
type stage struct {
	op    int // index
	half  bool
	holds map[string]Expected // what paths hold afterwards
}

// stages returns the stages of a list of operations, and what their paths hold before.
func stages(ops []Op) (list []stage, before map[string]Expected) {
	before = map[string]Expected{}
	first := func(path string, want Expected) {
		if _, ok := before[path]; !ok {
			before[path] = want
		}
	}
	for i, op := range ops {
		switch op.Kind {
		case Rename:
			first(op.From, op.Before)
			first(op.Path, op.Over)
			if op.replaces() {
				list = append(list, stage{op: i, half: true, holds: map[string]Expected{op.From: op.Over.mustBe(), op.Path: op.Before}})
			}
			list = append(list, stage{op: i, holds: map[string]Expected{op.From: {Want: Nothing}, op.Path: op.Before}})
		case Delete:
			first(op.Path, op.Before)
			list = append(list, stage{op: i, holds: map[string]Expected{op.Path: {Want: Nothing}}})
		case Write:
			first(op.Path, op.Before)
			list = append(list, stage{op: i, holds: map[string]Expected{op.Path: op.After}})
		}
	}
	return list, before
}

// locate returns how many operations are done, and whether the next one is half done:
// the point in the list at which the paths would hold what they hold. Where others have
// changed some of them meanwhile it is the earliest point that most of them speak for;
// each operation from there on is checked before it is done, as ever.
func locate(ops []Op, disk map[string]found) (done int, half bool) {
	list, holds := stages(ops)
	differ := func(path string) (content, mode int) {
		f, want := disk[path], holds[path]
		if !f.matches(want) {
			return 1, 0
		}
		if want.Want == Bytes && f.id.Mode != want.Mode {
			return 0, 1
		}
		return 0, 0
	}
	var content, mode int // how many paths differ
	for path := range holds {
		c, m := differ(path)
		content, mode = content+c, mode+m
	}
	best := [2]int{content, mode}
	for _, s := range list {
		for path, want := range s.holds {
			c, m := differ(path)
			content, mode = content-c, mode-m
			holds[path] = want
			c, m = differ(path)
			content, mode = content+c, mode+m
		}
		here := [2]int{content, mode}
		better := here[0] < best[0] || here[0] == best[0] && here[1] < best[1]
		if better || here == best && content == 0 {
			best, done, half = here, s.op+1, s.half
			if half {
				done--
			}
		}
	}
	return done, half
}

// survey looks at the paths of a list of operations.
func (wr *Writer) survey(ops []Op) (map[string]found, error) {
	room := map[string]int64{} // the most bytes that a path is expected to hold
	for _, op := range ops {
		for _, path := range op.paths() {
			room[path] = max(room[path], op.Before.Content.Len, op.Over.Content.Len, op.After.Content.Len)
		}
	}
	disk := make(map[string]found, len(room))
	for path, limit := range room {
		data, id, err := wr.Tree.ReadFile(path, limit, nil)
		switch {
		case err == nil:
			disk[path] = found{kind: tree.Regular, sum: sha256.Sum256(data), id: id}
		case errors.Is(err, tree.ErrTooLarge):
			disk[path] = found{kind: tree.Regular} // of bytes that nobody expects
		case errors.Is(err, tree.ErrNotRegular), errors.Is(err, tree.ErrLink):
			disk[path] = found{kind: tree.Other}
		case !errors.Is(err, tree.ErrAbsent):
			return nil, looked(path, err)
		}
	}
	return disk, nil
}

// torn reports whether data is what a machine that stopped may have kept of whole: a
// part of it, with holes.
func torn(data, whole []byte) bool {
	if len(data) > len(whole) {
		return false
	}
	for i, c := range data {
		if c != 0 && c != whole[i] {
			return false
		}
	}
	return !bytes.Equal(data, whole)
}
