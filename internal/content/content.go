// Package content names immutable bytes by where a store keeps them, so that a
// workspace of any size fits in little memory. It never interprets the bytes.
package content

import "bytes"

// Ref is the place of some bytes in a Store: offset and length in bytes. Equal Refs
// of one store name equal bytes; different Refs may do so too (see Equal).
type Ref struct {
	Off int64
	Len int64
}

// Store keeps bytes for the life of a run.
//
// Put appends b and returns its place; an empty b costs nothing and has length 0.
// Get returns the bytes of r, in buf if they fit there; the caller must not keep a
// result that shares buf past its next use of buf. Both are safe for concurrent use.
type Store interface {
	Put(b []byte) (Ref, error)
	Get(r Ref, buf []byte) ([]byte, error)
}

// Equal reports whether a and b name equal bytes; it reads them only if their places
// differ and their lengths don't.
func Equal(s Store, a, b Ref) (bool, error) {
	if a.Len != b.Len {
		return false, nil
	}
	if a == b || a.Len == 0 {
		return true, nil
	}
	x, err := s.Get(a, nil)
	if err != nil {
		return false, err
	}
	y, err := s.Get(b, nil)
	if err != nil {
		return false, err
	}
	return bytes.Equal(x, y), nil
}
