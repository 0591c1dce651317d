package local

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/internal/report"
)

// ErrNoReport is returned where no report has the name asked for.
var ErrNoReport = errors.New("there is no such report")

// kept is how many reports the store keeps of one pipeline; saving one more removes the
// oldest.
const kept = 20

const suffix = ".jsonl.gz"

// Reports keeps whole reports, one file a run.
type Reports struct {
	dir string
}

// Save stores a report under its run's name; a reader sees the whole of it or nothing.
func (s Reports) Save(r report.Report) error {
	data, err := report.Encode(r, 0)
	if err != nil {
		return fmt.Errorf("encode report of %s: %w", r.Run, err)
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("make report store: %w", err)
	}
	if err := s.write(r.Run+suffix, data); err != nil {
		return fmt.Errorf("save report of %s: %w", r.Run, err)
	}
	return s.prune(r.Pipeline)
}

// write replaces a file durably. Its temporary is the run's own, so that whoever saves the
// run again, after a kill in here, leaves none behind.
func (s Reports) write(name string, data []byte) error {
	fresh := filepath.Join(s.dir, "."+name+".new")
	f, err := os.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(fresh, filepath.Join(s.dir, name))
	}
	if err != nil {
		return errors.Join(err, os.Remove(fresh))
	}
	dir, err := os.Open(s.dir)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// Load returns the report of a run, or the newest of a pipeline; with "" the newest of
// all. ErrNoReport, report.ErrCut, report.ErrVersion and report.ErrFormat are wrapped
// with the file's name.
func (s Reports) Load(name string) (report.Report, error) {
	runs, err := s.runs()
	if err != nil {
		return report.Report{}, err
	}
	for _, run := range runs {
		if name == "" || run == name || pipelineOf(run) == name {
			return s.read(run)
		}
	}
	return report.Report{}, fmt.Errorf("%w: %q", ErrNoReport, name)
}

func (s Reports) read(run string) (report.Report, error) {
	file := filepath.Join(s.dir, run+suffix)
	data, err := os.ReadFile(file)
	if err != nil {
		return report.Report{}, fmt.Errorf("read report: %w", err)
	}
	r, err := report.Decode(bytes.NewReader(data))
	if err != nil {
		return r, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}

// runs lists the stored runs, newest first.
func (s Reports) runs() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list reports: %w", err)
	}
	times := map[string]int64{}
	var runs []string
	for _, e := range entries {
		run, ok := strings.CutSuffix(e.Name(), suffix)
		info, err := e.Info()
		if !ok || err != nil {
			continue
		}
		runs = append(runs, run)
		times[run] = info.ModTime().UnixNano()
	}
	slices.SortFunc(runs, func(a, b string) int {
		if c := times[b] - times[a]; c != 0 {
			return int(c>>63 | 1)
		}
		return strings.Compare(b, a)
	})
	return runs, nil
}

func (s Reports) prune(pipeline string) error {
	runs, err := s.runs()
	if err != nil {
		return err
	}
	n := 0
	for _, run := range runs {
		if pipelineOf(run) != pipeline {
			continue
		}
		if n++; n <= kept {
			continue
		}
		if err := os.Remove(filepath.Join(s.dir, run+suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove an old report: %w", err)
		}
	}
	return nil
}

// pipelineOf cuts the run's own part off a run's name (see RunName).
func pipelineOf(run string) string {
	i := strings.LastIndexByte(run, '-')
	if i < 0 {
		return run
	}
	return run[:i]
}
