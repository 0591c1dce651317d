package local

import (
	"errors"
	"testing"

	"github.com/fettle-dev/fettle/internal/content"
	"github.com/fettle-dev/fettle/internal/report"
	"github.com/fettle-dev/fettle/internal/runtime"
)

// shelf is a State that keeps one checkpoint, and fails to if told so.
type shelf struct {
	kept    *runtime.Checkpoint
	failing error
}

func (s *shelf) Store() content.Store               { return &content.Memory{} }
func (s *shelf) Load() (*runtime.Checkpoint, error) { return s.kept, s.failing }
func (s *shelf) Clear() error                       { s.kept = nil; return nil }
func (s *shelf) Save(c runtime.Checkpoint) error {
	if s.failing == nil {
		s.kept = &c
	}
	return s.failing
}

func TestAStateWithSomethingUnderWayIsNotForgotten(t *testing.T) {
	under := runtime.Checkpoint{Entry: &runtime.Entry{}}
	for _, tc := range []struct {
		name        string
		prepare     func(*shelf, *observed)
		wantCleared bool
	}{
		{"nothing was kept", func(*shelf, *observed) {}, true},
		{"an entry was opened", func(_ *shelf, o *observed) { must(t, o.Save(under)) }, false},
		{"an entry was opened and closed", func(_ *shelf, o *observed) { must(t, o.Save(under)); must(t, o.Save(runtime.Checkpoint{})) }, true},
		{"an entry could not be closed", func(s *shelf, o *observed) {
			must(t, o.Save(under))
			s.failing = errors.New("no room")
			if o.Save(runtime.Checkpoint{}) == nil {
				t.Error("a failure to save goes unnoticed")
			}
			s.failing = nil
		}, false},
		{"an entry was found", func(s *shelf, o *observed) {
			s.kept = &under
			if _, err := o.Load(); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, nil)
			below := &shelf{}
			kept := &observed{State: below}
			tc.prepare(below, kept)
			if below.kept == nil {
				below.kept = &runtime.Checkpoint{}
			}
			s := &session{options: w.options("write: {}"), kept: kept, config: runtime.Config{State: kept}}
			s.keep(report.Report{Version: report.Version, Run: "web-bbbbbb", Pipeline: "web"})
			if cleared := below.kept == nil; cleared != tc.wantCleared {
				t.Errorf("cleared = %v, want %v", cleared, tc.wantCleared)
			}
			if told := len(w.notes) > 0; told == tc.wantCleared {
				t.Errorf("notes = %q, want some: %v", w.notes, !tc.wantCleared)
			}
		})
	}
}
