package local

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/internal/diagnostic"
	"github.com/fettle-dev/fettle/internal/report"
)

func testReports(t *testing.T) Reports {
	t.Helper()
	home, err := OpenHome(func(name string) string { return map[string]string{"XDG_STATE_HOME": t.TempDir()}[name] })
	if err != nil {
		t.Fatal(err)
	}
	return home.Reports()
}

func save(t *testing.T, s Reports, pipeline, run string, age time.Duration) {
	t.Helper()
	r := report.Report{Version: report.Version, Pipeline: pipeline, Run: run, Changes: []report.Change{}, Diagnostics: []diagnostic.Diagnostic{}}
	if err := s.Save(r); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(s.dir, run+suffix)
	if _, err := os.Stat(file); err != nil {
		return // pruned at once
	}
	then := time.Now().Add(-age)
	if err := os.Chtimes(file, then, then); err != nil {
		t.Fatal(err)
	}
}

func TestLoadFindsARunByItsNameAndTheNewestOfAPipeline(t *testing.T) {
	s := testReports(t)
	save(t, s, "web", "web-aaaaaa", 3*time.Hour)
	save(t, s, "web", "web-bbbbbb", 2*time.Hour)
	save(t, s, "web-api", "web-api-cccccc", time.Hour)
	for name, want := range map[string]string{"web-aaaaaa": "web-aaaaaa", "web": "web-bbbbbb", "web-api": "web-api-cccccc", "": "web-api-cccccc"} {
		got, err := s.Load(name)
		if err != nil {
			t.Fatalf("load %q: %v", name, err)
		}
		if got.Run != want {
			t.Errorf("load %q: got run %q, want %q", name, got.Run, want)
		}
	}
}

func TestLoadSaysWhenThereIsNoSuchReport(t *testing.T) {
	s := testReports(t)
	if _, err := s.Load(""); !errors.Is(err, ErrNoReport) {
		t.Errorf("an empty store: got error %v, want %v", err, ErrNoReport)
	}
	save(t, s, "web", "web-aaaaaa", 0)
	if _, err := s.Load("other"); !errors.Is(err, ErrNoReport) {
		t.Errorf("another name: got error %v, want %v", err, ErrNoReport)
	}
}

func TestLoadRefusesACutReportAndNamesTheFile(t *testing.T) {
	s := testReports(t)
	save(t, s, "web", "web-aaaaaa", 0)
	file := filepath.Join(s.dir, "web-aaaaaa"+suffix)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data[:len(data)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = s.Load("web")
	if !errors.Is(err, report.ErrCut) || !bytes.Contains([]byte(err.Error()), []byte(file)) {
		t.Errorf("got error %v, want %v naming %s", err, report.ErrCut, file)
	}
}

func TestSaveKeepsTheNewestReportsOfEachPipeline(t *testing.T) {
	s := testReports(t)
	save(t, s, "other", "other-aaaaaa", 1000*time.Hour)
	for i := range kept + 3 {
		save(t, s, "web", fmt.Sprintf("web-%06d", i), time.Duration(100-i)*time.Hour)
	}
	runs, err := s.runs()
	if err != nil {
		t.Fatal(err)
	}
	if want := kept + 1; len(runs) != want {
		t.Errorf("got %d reports, want %d: %v", len(runs), want, runs)
	}
	if _, err := s.Load("other"); err != nil {
		t.Errorf("the other pipeline's report went too: %v", err)
	}
	if _, err := s.Load("web-000000"); !errors.Is(err, ErrNoReport) {
		t.Errorf("the oldest report is still there (error %v)", err)
	}
}

func TestAReportIsSavedAgainOverWhatAKillLeftOfIt(t *testing.T) {
	s := testReports(t)
	save(t, s, "web", "web-aaaaaa", 0)
	left := filepath.Join(s.dir, ".web-bbbbbb"+suffix+".new")
	if err := os.WriteFile(left, []byte("a part of it, and more than the whole of what will be saved: "+strings.Repeat("x", 1<<16)), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Load(""); err != nil || got.Run != "web-aaaaaa" {
		t.Errorf("load: got run %q, error %v, want web-aaaaaa: the other isn't there yet", got.Run, err)
	}
	save(t, s, "web", "web-bbbbbb", 0)
	if got, err := s.Load("web-bbbbbb"); err != nil || got.Run != "web-bbbbbb" {
		t.Errorf("load: got run %q, error %v, want web-bbbbbb", got.Run, err)
	}
	if entries, err := os.ReadDir(s.dir); err != nil || len(entries) != 2 {
		t.Errorf("the store holds %v, error %v, want the two reports alone", entries, err)
	}
}

func TestOpenHomeNeedsAnAbsolutePlace(t *testing.T) {
	for name, env := range map[string]map[string]string{"nothing set": {}, "relative": {"XDG_STATE_HOME": "state", "HOME": "home"}} {
		if _, err := OpenHome(func(k string) string { return env[k] }); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

func TestEachRootHasAStateDirectoryOfItsOwn(t *testing.T) {
	h := Home{dir: "/state"}
	if a, again := h.Root("/a"), h.Root("/a"); a == h.Root("/b") || a != again {
		t.Error("state directories of roots aren't one to one")
	}
}

func TestRunNameEndsInSixDrawnCharacters(t *testing.T) {
	got, err := RunName("web-demo", bytes.NewReader([]byte{0, 1, 2, 27, 254, 255}))
	if err != nil {
		t.Fatal(err)
	}
	if want := "web-demo-bcdbpq"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := RunName("x", bytes.NewReader(nil)); err == nil {
		t.Error("without random bytes: got no error")
	}
	if pipelineOf(got) != "web-demo" {
		t.Errorf("pipeline of %q: got %q", got, pipelineOf(got))
	}
}
