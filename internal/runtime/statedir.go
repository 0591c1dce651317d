package runtime

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/reread"
	"github.com/fettle-dev/fettle/internal/workspace/statedir"
)

// StateIn is the State in a state directory, which stays the caller's to close.
func StateIn(dir *statedir.Dir) State { return dirState{dir} }

type dirState struct{ dir *statedir.Dir }

func (s dirState) Store() content.Store { return s.dir.Store() }

func (s dirState) Clear() error { return s.dir.Clear() }

func (s dirState) Load() (*Checkpoint, error) {
	kept, err := s.dir.Load()
	if err != nil || kept == nil {
		return nil, err
	}
	c := &Checkpoint{Books: kept.Books, Progress: kept.Progress, Rebooted: kept.Rebooted}
	if kept.Entry == nil {
		return c, nil
	}
	c.Entry = &Entry{Write: kept.Entry.Write}
	if kept.Entry.Invocation != nil {
		c.Entry.Invocation, err = decodeOpen(kept.Entry.Invocation)
	}
	return c, err
}

func (s dirState) Save(c Checkpoint) error {
	kept := statedir.Checkpoint{Books: c.Books, SameBooks: c.SameBooks, Progress: c.Progress}
	if c.Entry != nil {
		kept.Entry = &statedir.Entry{Write: c.Entry.Write}
	}
	if c.Entry != nil && c.Entry.Invocation != nil {
		var err error
		if kept.Entry.Invocation, err = c.Entry.Invocation.encode(); err != nil {
			return fmt.Errorf("save the invocation of %s: %w", c.Entry.Invocation.Engine, err)
		}
	}
	return s.dir.Save(kept)
}

// encode returns the length of the JSON form, that form, and the snapshot.
func (o *OpenInvocation) encode() ([]byte, error) {
	head, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	snapshot, err := o.Snapshot.MarshalBinary()
	if err != nil {
		return nil, err
	}
	out := binary.AppendUvarint(nil, uint64(len(head)))
	return append(append(out, head...), snapshot...), nil
}

func decodeOpen(raw []byte) (*OpenInvocation, error) {
	n, size := binary.Uvarint(raw)
	if size <= 0 || n > uint64(len(raw)-size) {
		return nil, fmt.Errorf("the journal's invocation is cut")
	}
	head, rest := raw[size:size+int(n)], raw[size+int(n):]
	o := &OpenInvocation{Snapshot: &reread.Snapshot{}}
	if err := json.Unmarshal(head, o); err != nil {
		return nil, fmt.Errorf("the journal's invocation: %w", err)
	}
	if err := o.Snapshot.UnmarshalBinary(rest); err != nil {
		return nil, fmt.Errorf("the journal's snapshot: %w", err)
	}
	return o, nil
}

// violations keep their paths as bytes in JSON: names on disk needn't be UTF-8.
type violations []reread.Violation

type violationJSON struct {
	Path []byte `json:"path"`
	Rule string `json:"rule"`
	New  bool   `json:"new"`
}

// MarshalJSON implements json.Marshaler.
func (v violations) MarshalJSON() ([]byte, error) {
	list := make([]violationJSON, len(v))
	for i, one := range v {
		list[i] = violationJSON{Path: []byte(one.Path), Rule: one.Rule, New: one.New}
	}
	return json.Marshal(list)
}

// UnmarshalJSON implements json.Unmarshaler.
func (v *violations) UnmarshalJSON(data []byte) error {
	var list []violationJSON
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	*v = make(violations, len(list))
	for i, one := range list {
		(*v)[i] = reread.Violation{Path: string(one.Path), Rule: one.Rule, New: one.New}
	}
	return nil
}
