package shim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/shim/shimtest"
	"github.com/fettle-dev/fettle/internal/shim/wire"
)

func TestPathsArePassedAsTheEngineWantsThem(t *testing.T) {
	paths := []string{"-rf", "a b", "new\nline", "ä/[id].ts", "--"}
	for _, tt := range []struct {
		name    string
		tool    string
		paths   []string
		passing wire.Passing
		want    []string
	}{
		{"arguments without separator never look like options", "args", paths, wire.Passing{As: wire.Arguments}, []string{"./-rf", "a b", "new\nline", "ä/[id].ts", "./--"}},
		{"arguments after a separator are as they are", "args", paths, wire.Passing{As: wire.Arguments, Separator: "--"}, append([]string{"--"}, paths...)},
		{"without paths there is no separator", "args", nil, wire.Passing{As: wire.Arguments, Separator: "--"}, nil},
		{"none", "args", paths, wire.Passing{As: wire.None}, nil},
		{"standard input, NUL-separated", "stdin", paths, wire.Passing{As: wire.Stdin}, paths},
		{"standard input is empty otherwise", "stdin", paths, wire.Passing{As: wire.None}, nil},
		{"a list file", "list", paths, wire.Passing{As: wire.File, Separator: "--files"}, paths},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := request(t, shimtest.Command(t, tt.tool)...)
			req.Paths, req.Passing = tt.paths, tt.passing
			r := runTool(t, req)
			if r.ExitCode != 0 || len(r.Batches) != 1 {
				t.Fatalf("result = %+v, want one clean batch", r)
			}
			var got []string
			if out := string(r.Batches[0].Stdout.Head); out != "" {
				got = strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("paths (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAListFileOfLinesEndsEachWithALineFeed(t *testing.T) {
	req := request(t, shimtest.Command(t, "list")...)
	req.Paths, req.Passing = []string{"a", "b c"}, wire.Passing{As: wire.File, Newline: true}
	if got := string(runTool(t, req).Batches[0].Stdout.Head); got != "a\nb c\n" {
		t.Errorf("list = %q, want a line per path", got)
	}
}

func TestManyLongPathsComeInBatches(t *testing.T) {
	var paths []string
	for i := range 5000 {
		paths = append(paths, fmt.Sprintf("%s/%05d.ts", strings.Repeat("directory/", 60), i))
	}
	req := request(t, shimtest.Command(t, "args")...)
	req.Paths, req.Limits.Stdout = paths, 8<<20
	r := runTool(t, req)
	if r.Ended != wire.Exited || r.ExitCode != 0 || len(r.Batches) < 3 || r.Planned != len(r.Batches) {
		t.Fatalf("ended %s %d after %d of %d batches, want several", r.Ended, r.ExitCode, len(r.Batches), r.Planned)
	}
	var got []string
	for _, b := range r.Batches {
		passed := strings.Split(strings.TrimSuffix(string(b.Stdout.Head), "\x00"), "\x00")
		if b.Paths != len(passed) {
			t.Errorf("a batch of %d paths printed %d", b.Paths, len(passed))
		}
		got = append(got, passed...)
	}
	if diff := cmp.Diff(paths, got); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
}

func TestBatchesGoOnAfterFindingsAndStopAfterFailure(t *testing.T) {
	long := strings.Repeat("x", 600<<10/16)
	for _, tt := range []struct {
		name, script string
		goOn         []int
		wantCode     int
		wantBatches  int
	}{
		{"a failure ends it", `exit 2`, []int{1}, 2, 1},
		{"findings don't, and decide in the end", `test -e again; test -e again && exit 0; touch again; exit 1`, []int{1}, 1, 3},
		{"findings after clean batches decide", `test -e again || { touch again; exit 0; }; exit 1`, []int{1}, 1, 3},
		{"a failure after findings decides", `test -e again || { touch again; exit 1; }; exit 7`, []int{1}, 7, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := request(t, "/bin/sh", "-c", tt.script, "sh")
			for i := range 70 {
				req.Paths = append(req.Paths, fmt.Sprint(i, long))
			}
			req.GoOn = tt.goOn
			r := runTool(t, req)
			if r.Ended != wire.Exited || r.ExitCode != tt.wantCode || len(r.Batches) != tt.wantBatches {
				t.Errorf("ended %s %d after %d of %d batches, want code %d after %d (%+v)", r.Ended, r.ExitCode, len(r.Batches), r.Planned, tt.wantCode, tt.wantBatches, r.Failure)
			}
		})
	}
}
