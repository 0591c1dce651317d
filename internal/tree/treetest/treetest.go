// Package treetest is the suite of the contract in internal/tree: a test for each
// sentence of its comments. It knows a tree only by the contract, and plants and looks
// by other means, which a Subject provides.
package treetest

import (
	"errors"
	"testing"

	"github.com/fettle-dev/fettle/internal/tree"
)

// Subject is a fresh tree with other hands on it. Its methods fail the test when they
// can't do what they say. Parents of planted things are made.
type Subject interface {
	// Tree is what is tested; it is empty at first.
	Tree() tree.Tree
	// File makes a regular file; one that is there gets the new bytes in place.
	File(path, data string, mode uint32)
	// Dir makes a directory.
	Dir(path string)
	// Link makes a symbolic link.
	Link(path, target string)
	// FIFO makes a named pipe that nobody has open.
	FIFO(path string)
	// Hide makes what is at path, a directory, exist and not be looked at; false says
	// that this subject can't.
	Hide(path string) bool
	// Find tells what is at path, links not followed: the bytes of a regular file,
	// the target of a link, nothing of others. ok is false where nothing is.
	Find(path string) (kind tree.Kind, data string, ok bool)
}

// Run runs the suite on subjects that fresh makes, one for each test.
func Run(t *testing.T, fresh func(t *testing.T) Subject) {
	for _, group := range [][]check{
		pathChecks(), statChecks(), readChecks(), listChecks(), revisitChecks(),
		writeNewChecks(), moveChecks(), removeChecks(), attrChecks(), syncChecks(), generalChecks(),
	} {
		for _, c := range group {
			t.Run(c.name, func(t *testing.T) { c.run(t, fresh(t)) })
		}
	}
}

// check is one sentence of the contract.
type check struct {
	name string
	run  func(t *testing.T, s Subject)
}

// wantError fails the test unless err is want, or none where want is nil.
func wantError(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: error = %v, want %v", what, err, want)
	}
}

// wantPlainError fails the test unless err is an error that callers don't decide by.
func wantPlainError(t *testing.T, what string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error, want one", what)
	}
	for _, not := range []error{
		tree.ErrInvalid, tree.ErrLink, tree.ErrNotRegular, tree.ErrNotDirectory,
		tree.ErrTooLarge, tree.ErrExists, tree.ErrAbsent, tree.ErrUnlookable, tree.ErrUnsupported,
	} {
		if errors.Is(err, not) {
			t.Errorf("%s: error = %v, which is %v, want an I/O failure", what, err, not)
		}
	}
}

// wantFile fails the test unless a regular file with these bytes is at path.
func wantFile(t *testing.T, s Subject, path, data string) {
	t.Helper()
	kind, got, ok := s.Find(path)
	if !ok || kind != tree.Regular || got != data {
		t.Errorf("at %q: there %v, kind %d, %q; want a regular file with %q", path, ok, kind, got, data)
	}
}

// wantLink fails the test unless a link to target is at path.
func wantLink(t *testing.T, s Subject, path, target string) {
	t.Helper()
	kind, got, ok := s.Find(path)
	if !ok || kind != tree.Link || got != target {
		t.Errorf("at %q: there %v, kind %d, %q; want a link to %q", path, ok, kind, got, target)
	}
}

// wantAbsent fails the test unless nothing is at path.
func wantAbsent(t *testing.T, s Subject, path string) {
	t.Helper()
	if kind, _, ok := s.Find(path); ok {
		t.Errorf("at %q: kind %d, want nothing", path, kind)
	}
}

// stat is Stat that must succeed.
func stat(t *testing.T, s Subject, path string) tree.Identity {
	t.Helper()
	id, err := s.Tree().Stat(path)
	if err != nil {
		t.Fatalf("stat: %v", err)
	}
	return id
}
