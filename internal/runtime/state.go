package runtime

import (
	"encoding/json"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/persist"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/reread"
)

// State keeps a run where another process can go on with it (spec §16.6, §21). Whoever
// has it open is the only one.
type State interface {
	// Store keeps the run's bytes.
	Store() content.Store
	// Load returns what is kept, or nil if nothing is.
	Load() (*Checkpoint, error)
	// Save makes a checkpoint durable. An entry of it that is nil closes the one before.
	Save(Checkpoint) error
	// Clear forgets the run; the state is then as new.
	Clear() error
}

// Scratch is the State of a run that nobody goes on with: store keeps its bytes, and
// nothing else is kept.
func Scratch(store content.Store) State { return scratch{store} }

type scratch struct{ store content.Store }

func (s scratch) Store() content.Store     { return s.store }
func (scratch) Load() (*Checkpoint, error) { return nil, nil }
func (scratch) Save(Checkpoint) error      { return nil }
func (scratch) Clear() error               { return nil }

// Checkpoint is a run between two of its effects.
type Checkpoint struct {
	Books     persist.Books // zero before acquisition
	SameBooks bool          // for Save: they are those of the checkpoint before
	Progress  []byte        // the runtime's own
	Entry     *Entry        // what is under way; nil is nothing
	Rebooted  bool          // of a loaded one: the machine has stopped since
}

// Entry says what was started and isn't accounted for. One of its members is set.
type Entry struct {
	Write      []persist.Op
	Invocation *OpenInvocation
}

// OpenInvocation is an in-place invocation whose re-read is missing. It holds all that
// the re-read needs, so that a process with another pipeline can do it.
type OpenInvocation struct {
	Step     int      `json:"step"`
	Index    int      `json:"index"` // among the step's invocations
	Engine   string   `json:"engine"`
	Kind     string   `json:"kind"`
	Cap      int      `json:"capability"`
	Scope    []string `json:"scope,omitzero"`    // nil: none declared
	Selector []string `json:"selector,omitzero"` // nil: none
	ReadOnly bool     `json:"readOnly,omitempty"`
	Files    int      `json:"files"`
	Attempts int      `json:"attempts"`           // begun, the present one included
	Lost     int      `json:"lost"`               // of those, ended by our own death
	Seen     int      `json:"seen,omitempty"`     // the latest whose end was seen, by a process that left the next one to another
	Attached int      `json:"attached,omitempty"` // the latest that found somebody to run the tool

	Seed     string           `json:"seed"` // names the temporaries of a restoration
	Undone   violations       `json:"undone,omitempty"`
	Snapshot *reread.Snapshot `json:"-"` // stored beside
}

// progress is how far a run has come, beside its books.
type progress struct {
	Pipeline string        `json:"pipeline"`
	Digest   string        `json:"digest"`         // of plan and engines
	Only     *int          `json:"only,omitempty"` // the one step that is wanted
	Position int           `json:"position"`
	Begun    bool          `json:"begun"` // the step at Position has passed its gate
	Told     bool          `json:"told"`  // what it doesn't do, and why
	Next     int           `json:"next"`  // its next invocation
	Began    fileSet       `json:"began"` // the workspace's paths when it began
	Finished bool          `json:"finished"`
	Report   report.Report `json:"report"`
}

func (p progress) encode() ([]byte, error) { return json.Marshal(p) }

func decodeProgress(raw []byte) (progress, error) {
	var p progress
	err := json.Unmarshal(raw, &p)
	return p, err
}
