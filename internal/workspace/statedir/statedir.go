package statedir

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/persist"
)

// Options say which state directory to open, and for whom.
type Options struct {
	Dir    string        // absolute; made if absent
	Root   string        // of the tree, which Dir must not lie in
	Holder Holder        // told to others that find it busy
	Wait   time.Duration // for another holder; see DefaultWait
	Random io.Reader     // gives a pack its identity
	Boot   string        // names this start of the machine: see Boot
}

// Checkpoint is a run between two of its effects.
type Checkpoint struct {
	Books persist.Books // zero before acquisition
	// SameBooks says, for Save, that Books are those of the checkpoint before, so that
	// they needn't even be compared. If they aren't, the difference is lost.
	SameBooks bool
	Progress  []byte // the runtime's own: run, plan, position, result so far
	Entry     *Entry // what is under way; nil is nothing
	Rebooted  bool   // of a loaded one with an entry: the machine has stopped since
}

// Entry is what a journal holds of an effect that is under way, before it begins. One of
// its members is set.
type Entry struct {
	Write      []persist.Op // of a write step, for persist.Replay
	Invocation []byte       // of an in-place invocation, the runtime's own: snapshot, attempts, attach record
}

// Dir is an open state directory. Nobody else has it open, in this process or another.
// It isn't safe for concurrent use, but its Store is.
type Dir struct {
	path   string
	random io.Reader
	boot   string
	lock   *os.File
	pack   *Pack
	last   journal
}

// Open opens a state directory and holds its lock until Close, or the end of the
// process. Errors are *fault.Error where somebody must act: StepFailed busy or
// cancelled, InvalidPipeline for a directory inside the root.
func Open(ctx context.Context, o Options) (*Dir, error) {
	if err := outside(o.Root, o.Dir); err != nil {
		return nil, err
	}
	if err := makePrivate(o.Dir); err != nil {
		return nil, fmt.Errorf("state directory: %w", err)
	}
	held, err := lock(ctx, o.Dir, o.Holder, o.Wait)
	if err != nil {
		return nil, err
	}
	return &Dir{path: o.Dir, random: o.Random, boot: o.Boot, lock: held}, nil
}

// outside refuses a state directory that lies in the tree: fixers could change it.
func outside(root, dir string) error {
	realRoot, err := filepath.EvalSymlinks(root)
	if err != nil {
		return fmt.Errorf("root: %w", err)
	}
	realDir, err := realPath(dir)
	if err != nil {
		return fmt.Errorf("state directory: %w", err)
	}
	if realDir != realRoot && !strings.HasPrefix(realDir, strings.TrimSuffix(realRoot, "/")+"/") {
		return nil
	}
	return fault.New(fault.InvalidPipeline, fault.ReasonState, "", "the state directory lies inside the tree it is about").
		WithHint("choose one outside the root")
}

// realPath follows the links of what exists of a path.
func realPath(path string) (string, error) {
	rest := ""
	for {
		existing, err := filepath.EvalSymlinks(path)
		if err == nil {
			return filepath.Join(existing, rest), nil
		}
		parent := filepath.Dir(path)
		if !errors.Is(err, fs.ErrNotExist) || parent == path {
			return "", err
		}
		path, rest = parent, filepath.Join(filepath.Base(path), rest)
	}
}

// Store keeps the run's bytes. It may be asked after Load or Clear.
func (d *Dir) Store() content.Store { return packOf{d} }

// packOf is the present pack of a directory.
type packOf struct{ dir *Dir }

var errNotLoaded = errors.New("the state directory was neither loaded nor cleared")

func (s packOf) Put(b []byte) (content.Ref, error) {
	if s.dir.pack == nil {
		return content.Ref{}, errNotLoaded
	}
	return s.dir.pack.Put(b)
}

func (s packOf) Get(r content.Ref, buf []byte) ([]byte, error) {
	if s.dir.pack == nil {
		return nil, errNotLoaded
	}
	return s.dir.pack.Get(r, buf)
}

// Load returns the checkpoint that is kept, nil if there is none. A state that can't be
// gone on from is StepFailed with fault.ReasonState; Clear makes it usable.
func (d *Dir) Load() (*Checkpoint, error) {
	data, err := os.ReadFile(filepath.Join(d.path, journalName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, d.Clear()
	}
	if err != nil {
		return nil, fmt.Errorf("state directory: %w", err)
	}
	j, err := decodeJournal(data)
	if err != nil {
		return nil, err
	}
	books, err := d.loadBooks(j)
	if err != nil {
		return nil, err
	}
	pack, err := OpenPack(filepath.Join(d.path, packName), j.pack)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unusable(packName, "is missing")
	}
	if err != nil {
		return nil, err
	}
	d.usePack(pack)
	d.last = j
	d.tidy()
	return &Checkpoint{
		Books: books, Progress: j.progress, Entry: j.entry,
		Rebooted: j.entry != nil && j.boot != d.boot,
	}, nil
}

func (d *Dir) loadBooks(j journal) (persist.Books, error) {
	name := indexName(j.index)
	data, err := os.ReadFile(filepath.Join(d.path, name))
	if errors.Is(err, fs.ErrNotExist) {
		return persist.Books{}, unusable(name, "is missing")
	}
	if err != nil {
		return persist.Books{}, fmt.Errorf("state directory: %w", err)
	}
	if sha256.Sum256(data) != j.indexSum {
		return persist.Books{}, unusable(name, "is cut or corrupted: it isn't the one that the journal names")
	}
	return decodeBooks(name, data, j.pack)
}

// Save makes a checkpoint durable and, by replacing the journal, the one that counts:
// with an entry before what that describes is begun, without one after it is accounted
// for. If it fails the checkpoint before still counts, or, after a power cut only, either.
func (d *Dir) Save(c Checkpoint) error {
	if d.pack == nil {
		return errNotLoaded
	}
	if err := d.save(c); err != nil {
		return fmt.Errorf("save the state: %w", err)
	}
	d.tidy()
	return nil
}

func (d *Dir) save(c Checkpoint) error {
	next := journal{
		number: d.last.number + 1, index: d.last.index, indexSum: d.last.indexSum,
		boot: d.boot, progress: c.Progress, entry: c.Entry,
	}
	var err error
	if next.pack, err = d.pack.Sync(); err != nil {
		return err
	}
	if d.last.number == 0 || !c.SameBooks {
		if err := d.saveBooks(c.Books, &next); err != nil {
			return err
		}
	}
	if err := writeDurably(d.file(journalName+freshSuffix), next.encode()); err != nil {
		return err
	}
	if err := os.Rename(d.file(journalName+freshSuffix), d.file(journalName)); err != nil {
		return err
	}
	d.last = next
	return syncDir(d.path)
}

// saveBooks writes an index and has next name it, unless it would be the present one.
func (d *Dir) saveBooks(b persist.Books, next *journal) error {
	books := encodeBooks(b)
	sum := sha256.Sum256(books)
	if d.last.number > 0 && sum == d.last.indexSum {
		return nil
	}
	next.index, next.indexSum = next.number, sum
	if err := writeDurably(d.file(indexName(next.index)), books); err != nil {
		return err
	}
	return syncDir(d.path)
}

// Clear forgets the run, whatever state it is in.
func (d *Dir) Clear() error {
	if err := d.clear(); err != nil {
		return fmt.Errorf("clear the state: %w", err)
	}
	return nil
}

func (d *Dir) clear() error {
	d.usePack(nil)
	if err := os.Remove(d.file(journalName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := syncDir(d.path); err != nil {
		return err
	}
	removeAll(d.path, func(string) bool { return false })
	pack, err := CreatePack(d.file(packName), d.random)
	if err != nil {
		return err
	}
	d.usePack(pack)
	d.last = journal{}
	return nil
}

// Close frees the lock. What was put into the Store and not saved is lost.
func (d *Dir) Close() error {
	d.usePack(nil)
	return d.lock.Close()
}

func (d *Dir) usePack(p *Pack) {
	if d.pack != nil {
		_ = d.pack.Close() // what counts of it was synced
	}
	d.pack = p
}

// tidy removes what no longer counts.
func (d *Dir) tidy() {
	removeAll(d.path, func(name string) bool {
		return name == journalName || name == packName || name == indexName(d.last.index)
	})
}

func (d *Dir) file(name string) string { return filepath.Join(d.path, name) }

// Boot names the present start of the machine, "" where it can't be told.
func Boot() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}
