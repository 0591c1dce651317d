package vectors

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/fettle-dev/fettle/internal/tree"
	"github.com/fettle-dev/fettle/internal/tree/treemem"
)

// entry is the content notation of the vectors: a text of mode 0644, or an object.
type entry struct{ treemem.Entry }

func (e *entry) UnmarshalJSON(raw []byte) error {
	e.Mode = 0o644
	if json.Unmarshal(raw, &e.Data) == nil {
		e.Kind = tree.Regular
		return nil
	}
	var v struct{ Text, B64, Mode, Link, Owner string }
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		return err
	}
	if v.Link != "" {
		e.Kind, e.Target, e.Mode = tree.Link, v.Link, 0o777
		return nil
	}
	data, err := base64.StdEncoding.DecodeString(v.B64)
	if err != nil {
		return err
	}
	e.Kind, e.Data, e.Owner = tree.Regular, v.Text+string(data), v.Owner
	if v.Mode != "" {
		e.Mode, err = octal(v.Mode)
	}
	return err
}

func octal(s string) (uint32, error) {
	mode, err := strconv.ParseUint(s, 8, 32)
	return uint32(mode), err
}

// diskOp is something that happens on disk behind the runtime's back.
type diskOp struct {
	Do, Path, To, Via, Text, B64, Mode, Owner, Target string
}

var errDisk = errors.New("input/output error")

// apply does an operation with a stranger's hands; moves is the façade's rename record.
func (op diskOp) apply(t *testing.T, disk *treemem.Tree, moves map[string]string) {
	t.Helper()
	var mode uint32
	var err error
	if op.Mode != "" {
		if mode, err = octal(op.Mode); err != nil {
			t.Fatal(err)
		}
	}
	switch op.Do {
	case "write":
		var data []byte
		if data, err = base64.StdEncoding.DecodeString(op.B64); err == nil {
			err = disk.Put(op.Path, treemem.Entry{Kind: tree.Regular, Data: op.Text + string(data), Mode: mode})
		}
	case "delete":
		err = disk.Delete(op.Path)
	case "rename":
		if op.Via == "facade" {
			record(moves, op.Path, op.To)
		} else if op.Via != "" {
			err = fmt.Errorf("unknown way %q", op.Via)
		}
		err = errors.Join(err, disk.Move(op.Path, op.To))
	case "chmod":
		err = disk.Chmod(op.Path, mode)
	case "chown":
		err = disk.Chown(op.Path, op.Owner)
	case "link":
		err = disk.Put(op.Path, treemem.Entry{Target: op.Target})
	case "directory":
		err = disk.Put(op.Path, treemem.Entry{Kind: tree.Directory})
	case "failRead":
		disk.FailRead(op.Path, errDisk)
	case "healRead":
		disk.FailRead(op.Path, nil)
	case "failList":
		disk.FailLists(errDisk)
	default:
		err = errors.New("unknown disk operation")
	}
	if err != nil {
		t.Fatalf("%+v: %v", op, err)
	}
}

// record composes the façade's rename record (spec §11.5).
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
