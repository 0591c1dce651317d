package statedir

import (
	"encoding/binary"
	"hash/crc32"
	"math"
)

// encoder appends values to a buffer.
type encoder struct {
	out  []byte
	last string // path written before, for those that come in order
}

func (e *encoder) uint(v uint64) { e.out = binary.AppendUvarint(e.out, v) }
func (e *encoder) int(v int64)   { e.out = binary.AppendVarint(e.out, v) }
func (e *encoder) byte(v byte)   { e.out = append(e.out, v) }

func (e *encoder) bytes(v []byte) {
	e.uint(uint64(len(v)))
	e.out = append(e.out, v...)
}

func (e *encoder) string(v string) {
	e.uint(uint64(len(v)))
	e.out = append(e.out, v...)
}

// start begins a list of n paths in order.
func (e *encoder) start(n int) {
	e.uint(uint64(n))
	e.last = ""
}

// path writes the next path of a list as what it shares with the one before and the rest.
func (e *encoder) path(p string) {
	shared := 0
	for shared < len(p) && shared < len(e.last) && p[shared] == e.last[shared] {
		shared++
	}
	e.uint(uint64(shared))
	e.string(p[shared:])
	e.last = p
}

// decoder reads what an encoder wrote. The first thing that can't be so makes it bad;
// from then on it returns zeros.
type decoder struct {
	in   []byte
	bad  bool
	last string
	head bool // no path of the list has been read
}

func (d *decoder) fail() {
	d.bad = true
	d.in = nil
}

func (d *decoder) uint() uint64 {
	v, n := binary.Uvarint(d.in)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.in = d.in[n:]
	return v
}

func (d *decoder) int() int64 {
	v, n := binary.Varint(d.in)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.in = d.in[n:]
	return v
}

func (d *decoder) uint32() uint32 {
	v := d.uint()
	if v > math.MaxUint32 {
		d.fail()
		return 0
	}
	return uint32(v)
}

func (d *decoder) byte() byte {
	if len(d.in) == 0 {
		d.fail()
		return 0
	}
	v := d.in[0]
	d.in = d.in[1:]
	return v
}

// bytes returns a part of the input, not a copy.
func (d *decoder) bytes() []byte {
	n := d.uint()
	if n > uint64(len(d.in)) {
		d.fail()
		return nil
	}
	v := d.in[:n]
	d.in = d.in[n:]
	return v
}

func (d *decoder) string() string { return string(d.bytes()) }

// start begins a list and returns its length, which is at most what is left to read.
func (d *decoder) start() int {
	n := d.uint()
	if n > uint64(len(d.in)) {
		d.fail()
		return 0
	}
	d.last, d.head = "", true
	return int(n)
}

// path reads the next path of a list; it must come after the one before.
func (d *decoder) path() string {
	shared, rest := d.uint(), d.bytes()
	if d.bad || shared > uint64(len(d.last)) {
		d.fail()
		return ""
	}
	p := d.last[:shared] + string(rest)
	if !d.head && p <= d.last {
		d.fail()
	}
	d.last, d.head = p, false
	return p
}

// checksum uses the polynomial that processors know.
func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// seal ends a file with its checksum.
func seal(b []byte) []byte { return binary.LittleEndian.AppendUint32(b, checksum(b)) }

// unseal returns what stands between a file's first line and its checksum, or refuses it
// by name.
func unseal(name, magic string, data []byte) ([]byte, error) {
	if len(data) < len(magic) || string(data[:len(magic)]) != magic {
		return nil, unusable(name, "was made by another version of fettle, or is cut or corrupted: it doesn't begin with %q", magic)
	}
	if len(data) < len(magic)+4 {
		return nil, unusable(name, "is cut: it has %d bytes", len(data))
	}
	body := data[:len(data)-4]
	if binary.LittleEndian.Uint32(data[len(data)-4:]) != checksum(body) {
		return nil, unusable(name, "is cut or corrupted: its checksum doesn't fit")
	}
	return body[len(magic):], nil
}
