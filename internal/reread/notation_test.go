package reread_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
)

// diskEntry is the content notation of the vectors.
type diskEntry struct{ treemem.Entry }

func (e *diskEntry) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		e.Data = s
		return nil
	}
	var v struct{ Text, B64, Mode, Link string }
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		return err
	}
	data, err := base64.StdEncoding.DecodeString(v.B64)
	if err != nil {
		return err
	}
	e.Data, e.Target = v.Text+string(data), v.Link
	if v.Mode != "" {
		e.Mode, err = octal(v.Mode)
	}
	return err
}

func octal(s string) (uint32, error) {
	mode, err := strconv.ParseUint(s, 8, 32)
	return uint32(mode), err
}

// diskOp is something that happens on disk while an invocation runs.
type diskOp struct {
	Do, Path, To, Via, Text, B64, Mode, Owner, Target string
}

// mounted does ops on a tree as a tool would; it returns the façade's rename record and
// whether reading must fail where the stat identity says nothing of it.
func mounted(t *testing.T, m *treemem.Tree, ops []diskOp) (moves map[string]string, failing bool) {
	t.Helper()
	moves = map[string]string{}
	for _, op := range ops {
		failing = failing || op.Do == "failRead" || op.Do == "healRead"
		if err := op.apply(m, moves); err != nil {
			t.Fatalf("%+v: %v", op, err)
		}
	}
	return moves, failing
}

var errDisk = fmt.Errorf("input/output error")

func (op diskOp) apply(m *treemem.Tree, moves map[string]string) error {
	switch op.Do {
	case "write":
		data, err := base64.StdEncoding.DecodeString(op.B64)
		if err != nil {
			return err
		}
		e := treemem.Entry{Kind: tree.Regular, Data: op.Text + string(data)}
		if op.Mode != "" {
			if e.Mode, err = octal(op.Mode); err != nil {
				return err
			}
		}
		return m.Put(op.Path, e)
	case "delete":
		return m.Delete(op.Path)
	case "rename":
		if op.Via == "facade" {
			record(moves, op.Path, op.To)
		}
		return m.Move(op.Path, op.To)
	case "chmod":
		mode, err := octal(op.Mode)
		if err != nil {
			return err
		}
		return m.Chmod(op.Path, mode)
	case "chown":
		return m.Chown(op.Path, op.Owner)
	case "link":
		return m.Put(op.Path, treemem.Entry{Target: op.Target})
	case "directory":
		return m.Put(op.Path, treemem.Entry{Kind: tree.Directory})
	case "failRead":
		m.FailRead(op.Path, errDisk)
	case "healRead":
		m.FailRead(op.Path, nil)
	case "failList":
		m.FailLists(errDisk)
	default:
		return fmt.Errorf("no such disk operation")
	}
	return nil
}

// record composes the rename record as the façade does (spec §11.5).
func record(moves map[string]string, from, to string) {
	source := from
	for s, d := range moves {
		if d == from {
			source = s
			delete(moves, s)
		}
	}
	if source != to {
		moves[source] = to
	}
}

// parsePolicy: absent allows everything, null is no policy.
func parsePolicy(t *testing.T, raw json.RawMessage) *policy.Policy {
	t.Helper()
	if len(raw) == 0 {
		raw = []byte(`{"write": {"allow": ["**", "**/.*", "**/.*/**"]}}`)
	}
	if string(raw) == "null" {
		return nil
	}
	spec, err := policy.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.Parse([]policy.Spec{spec}, 32)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
