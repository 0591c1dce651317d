package git

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Mode is the mode of a tree's entry.
type Mode uint32

// The modes of entries.
const (
	ModeFile       Mode = 0o100644
	ModeExecutable Mode = 0o100755
	ModeLink       Mode = 0o120000
	ModeTree       Mode = 0o040000
	ModeSubmodule  Mode = 0o160000
)

// IsFile reports whether m is that of a regular file.
func (m Mode) IsFile() bool { return m == ModeFile || m == ModeExecutable }

// Entry is an entry of a tree, or what one looks like below a path. The zero value
// stands for no entry.
type Entry struct {
	Mode Mode
	ID   ID
}

// Exists reports whether there is an entry.
func (e Entry) Exists() bool { return e.Mode != 0 }

// named is an entry with its name.
type named struct {
	name string
	Entry
}

// parseTree reads the bytes of a tree object.
func parseTree(data []byte) ([]named, error) {
	var out []named
	for len(data) > 0 {
		mode, rest, ok := bytes.Cut(data, []byte{' '})
		name, rest, ok2 := bytes.Cut(rest, []byte{0})
		if !ok || !ok2 || len(rest) < 20 {
			return nil, errors.New("the tree object makes no sense")
		}
		m, err := strconv.ParseUint(string(mode), 8, 32)
		if err != nil {
			return nil, fmt.Errorf("mode of %q: %w", name, err)
		}
		out = append(out, named{string(name), Entry{Mode(m), ID(hex.EncodeToString(rest[:20]))}})
		data = rest[20:]
	}
	return out, nil
}

// formatTree is the reverse of parseTree. It sorts the entries.
func formatTree(entries []named) []byte {
	slices.SortFunc(entries, func(a, b named) int { return strings.Compare(a.sortKey(), b.sortKey()) })
	var b bytes.Buffer
	for _, e := range entries {
		b.WriteString(strconv.FormatUint(uint64(e.Mode), 8) + " " + e.name + "\x00")
		raw, _ := hex.DecodeString(string(e.ID))
		b.Write(raw)
	}
	return b.Bytes()
}

// sortKey is what Git sorts entries by: directories as if their name ended with a slash.
func (n named) sortKey() string {
	if n.Mode == ModeTree {
		return n.name + "/"
	}
	return n.name
}

// TreeReader reads trees. It keeps those that it has read, so it is for one operation.
type TreeReader struct {
	repo *Repo
	seen map[ID][]named
}

// Trees returns a reader of trees for one operation.
func (r *Repo) Trees() *TreeReader { return &TreeReader{repo: r, seen: map[ID][]named{}} }

// maxSeen bounds the entries that a reader keeps.
const maxSeen = 1 << 16

func (t *TreeReader) read(id ID) ([]named, error) {
	if id == "" {
		return nil, nil
	}
	if entries, ok := t.seen[id]; ok {
		return entries, nil
	}
	_, o, err := t.repo.Read(string(id))
	if err != nil {
		return nil, err
	}
	if o.Kind != Tree {
		return nil, fmt.Errorf("read %s: is a %s, not a tree", id, o.Kind)
	}
	entries, err := parseTree(o.Data)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", id, err)
	}
	if len(t.seen) < maxSeen {
		t.seen[id] = entries
	}
	return entries, nil
}

// Lookup returns the entry at path below the tree root, and the ancestors of path that
// have one, the outermost first. What is below something that is no tree has no entry.
func (t *TreeReader) Lookup(root ID, path string) (at Entry, ancestors []Entry, err error) {
	tree := root
	for {
		name, rest, more := strings.Cut(path, "/")
		entries, err := t.read(tree)
		if err != nil {
			return Entry{}, nil, err
		}
		i := slices.IndexFunc(entries, func(e named) bool { return e.name == name })
		if i < 0 {
			return Entry{}, ancestors, nil
		}
		entry := entries[i].Entry
		if !more {
			return entry, ancestors, nil
		}
		ancestors = append(ancestors, entry)
		if entry.Mode != ModeTree {
			return Entry{}, ancestors, nil
		}
		tree, path = entry.ID, rest
	}
}

// Walk calls visit for every entry below the tree root but trees, in the order of the
// trees, until it returns an error.
func (t *TreeReader) Walk(root ID, visit func(path string, e Entry) error) error {
	return t.walk(root, "", visit)
}

func (t *TreeReader) walk(id ID, prefix string, visit func(path string, e Entry) error) error {
	entries, err := t.read(id)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Mode == ModeTree {
			err = t.walk(e.ID, prefix+e.name+"/", visit)
		} else {
			err = visit(prefix+e.name, e.Entry)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
