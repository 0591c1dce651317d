package reread

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// snapshotVersion is the first byte of an encoded snapshot.
const snapshotVersion = 1

// errSnapshot says that bytes are no encoded snapshot.
var errSnapshot = errors.New("these bytes are no snapshot of an envelope")

// MarshalBinary implements encoding.BinaryMarshaler. Names are kept as the disk has
// them, valid UTF-8 or not; each shares the start of the one before it.
func (s *Snapshot) MarshalBinary() ([]byte, error) {
	if len(s.Dirs) != len(s.Stamps) {
		return nil, fmt.Errorf("a snapshot of %d directories has %d stamps", len(s.Dirs), len(s.Stamps))
	}
	out := []byte{snapshotVersion}
	out = binary.AppendVarint(out, s.Started)
	out = appendNames(out, []string{s.TooDeep})
	out = appendNames(out, s.Files)
	out = appendNames(out, s.Dirs)
	for _, d := range s.Stamps {
		out = binary.AppendUvarint(out, d.Dev)
		out = binary.AppendUvarint(out, d.Ino)
		out = binary.AppendVarint(out, d.Mtime)
		out = binary.AppendVarint(out, d.Ctime)
	}
	return out, nil
}

func appendNames(out []byte, names []string) []byte {
	out = binary.AppendUvarint(out, uint64(len(names)))
	last := ""
	for _, name := range names {
		shared := 0
		for shared < len(name) && shared < len(last) && name[shared] == last[shared] {
			shared++
		}
		out = binary.AppendUvarint(out, uint64(shared))
		out = binary.AppendUvarint(out, uint64(len(name)-shared))
		out = append(out, name[shared:]...)
		last = name
	}
	return out
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler.
func (s *Snapshot) UnmarshalBinary(data []byte) error {
	if len(data) == 0 || data[0] != snapshotVersion {
		return fmt.Errorf("%w: they are of another version", errSnapshot)
	}
	d := decoder{data: data[1:]}
	var read Snapshot
	read.Started = d.varint()
	deep := d.names()
	read.Files = d.names()
	read.Dirs = d.names()
	for range read.Dirs {
		if d.failed {
			break
		}
		read.Stamps = append(read.Stamps, DirStamp{Dev: d.uvarint(), Ino: d.uvarint(), Mtime: d.varint(), Ctime: d.varint()})
	}
	if d.failed || len(deep) != 1 || len(d.data) > 0 {
		return errSnapshot
	}
	if !slices.IsSorted(read.Files) || !slices.IsSorted(read.Dirs) {
		return fmt.Errorf("%w: names aren't sorted", errSnapshot)
	}
	read.TooDeep = deep[0]
	*s = read
	return nil
}

// decoder takes values off the front of data until that fails.
type decoder struct {
	data   []byte
	failed bool
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.data)
	d.skip(n)
	return v
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.data)
	d.skip(n)
	return v
}

func (d *decoder) skip(n int) {
	if n <= 0 {
		d.failed, d.data = true, nil
		return
	}
	d.data = d.data[n:]
}

func (d *decoder) names() []string {
	count := d.uvarint()
	if count > uint64(len(d.data)) { // a name takes two bytes at least
		d.failed = true
		return nil
	}
	names := make([]string, 0, count)
	last := ""
	for range count {
		shared, rest := d.uvarint(), d.uvarint()
		if d.failed || shared > uint64(len(last)) || rest > uint64(len(d.data)) {
			d.failed = true
			return nil
		}
		last = last[:shared] + string(d.data[:rest])
		d.data = d.data[rest:]
		names = append(names, last)
	}
	return names
}
