package git

import (
	"crypto/sha1"
	"encoding/hex"
	"hash"
	"strconv"
)

// ID names an object: 40 hexadecimal digits in lower case.
type ID string

// Zero names no object; a ref that is expected to be Zero must not exist.
const Zero ID = "0000000000000000000000000000000000000000"

// Valid reports whether id has the form of an ID.
func (id ID) Valid() bool {
	if len(id) != 2*sha1.Size {
		return false
	}
	for i := range len(id) {
		if c := id[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Kind is the kind of an object.
type Kind string

// The kinds that are used here.
const (
	Blob   Kind = "blob"
	Tree   Kind = "tree"
	Commit Kind = "commit"
)

// Object is an object to be written.
type Object struct {
	Kind Kind
	Data []byte
}

// ID returns the name of the object.
func (o Object) ID() ID {
	h := NewHash(o.Kind, int64(len(o.Data)))
	h.Write(o.Data)
	return Sum(h)
}

// NewHash returns the hash that names an object of this kind and size, to be fed with
// its bytes: Git's filters and attributes take no part (§ 15.3).
func NewHash(kind Kind, size int64) hash.Hash {
	h := sha1.New()
	h.Write([]byte(string(kind) + " " + strconv.FormatInt(size, 10) + "\x00"))
	return h
}

// Sum returns the name that a hash of NewHash has come to.
func Sum(h hash.Hash) ID { return ID(hex.EncodeToString(h.Sum(nil))) }
