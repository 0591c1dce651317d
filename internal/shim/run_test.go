package shim

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/internal/shim/shimtest"
	"github.com/fettle-dev/fettle/internal/shim/wire"
)

func TestResultTellsExitCodeOutputAndUse(t *testing.T) {
	r := runTool(t, request(t, sh(`printf 'out\377'; echo err >&2; pwd; exit 3`)...))
	if r.Ended != wire.Exited || r.ExitCode != 3 || !r.Started || len(r.Batches) != 1 || r.Leftovers != 0 {
		t.Fatalf("result = %+v, want exit code 3 of one batch", r)
	}
	if got := string(r.Batches[0].Stdout.Head); !strings.HasPrefix(got, "out\xff/") {
		t.Errorf("stdout = %q, want the bytes as they are, then the working directory", got)
	}
	if got := string(r.Batches[0].Stderr.Head); got != "err\n" {
		t.Errorf("stderr = %q, want err", got)
	}
	if r.Usage.MaxRSS < 100<<10 || r.Wall <= 0 || r.Usage.User+r.Usage.System <= 0 {
		t.Errorf("wall %v, usage %+v, want what a shell uses", r.Wall, r.Usage)
	}
	if r.Containment.Kind != wire.Declared {
		t.Errorf("containment = %+v, want Declared", r.Containment)
	}
}

func TestEndBySignalIsTold(t *testing.T) {
	r := runTool(t, request(t, sh(`kill -SEGV $$`)...))
	if r.Ended != wire.Signalled || r.Signal != "SIGSEGV" {
		t.Errorf("result = %+v, want the end by SIGSEGV", r)
	}
}

func TestNoCoreIsDumpedIntoTheTree(t *testing.T) {
	req := request(t, sh(`ulimit -c; kill -SEGV $$`)...)
	r := runTool(t, req)
	if got := string(r.Batches[0].Stdout.Head); got != "0\n" {
		t.Errorf("core limit = %q, want 0", got)
	}
}

func TestEnvironmentIsCleanAndPrivate(t *testing.T) {
	t.Setenv("FETTLE_SECRET", "leak")
	t.Setenv("NODE_OPTIONS", "--require /evil.js")
	req := request(t, shimtest.Command(t, "env")...)
	req.Env = []string{"EXTRA=1", "TZ=Europe/Berlin", "EXTRA=2", "PATH=/bin:/usr/bin"}
	req.Marker = "marker"
	r := runTool(t, req)
	got := map[string]string{}
	for line := range strings.Lines(string(r.Batches[0].Stdout.Head)) {
		k, v, _ := strings.Cut(strings.TrimSpace(line), "=")
		if _, twice := got[k]; twice {
			t.Errorf("%s is set twice", k)
		}
		got[k] = v
	}
	for k, want := range map[string]string{
		"PATH": "/bin:/usr/bin", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TZ": "Europe/Berlin", "EXTRA": "2",
		"HOME": req.Home, "TMPDIR": req.Tmp, "XDG_CACHE_HOME": req.Cache, "GIT_CONFIG_NOSYSTEM": "1",
		"GOCACHE": req.Cache + "/go-build", "npm_config_cache": req.Cache + "/npm", wire.MarkerEnv: "marker",
	} {
		if got[k] != want {
			t.Errorf("%s = %q, want %q", k, got[k], want)
		}
	}
	for _, k := range []string{"FETTLE_SECRET", "NODE_OPTIONS", roleEnv, "USER"} {
		if v, ok := got[k]; ok {
			t.Errorf("%s = %q leaked into the tool", k, v)
		}
	}
}

func TestToolInheritsNoDescriptorButItsStreams(t *testing.T) {
	r := runTool(t, request(t, sh(`ls /proc/self/fd`)...))
	// ls itself opens the directory.
	if got := strings.Fields(string(r.Batches[0].Stdout.Head)); len(got) != 4 {
		t.Errorf("descriptors = %v, want 0, 1, 2 and that of ls", got)
	}
}

func TestToolIsInASessionOfItsOwnWithoutNewPrivileges(t *testing.T) {
	r := runTool(t, request(t, sh(`read -r pid comm state ppid pgrp session rest </proc/self/stat; echo $((pid-pgrp)) $((pid-session)); grep NoNewPrivs /proc/self/status; umask`)...))
	if got := strings.Join(strings.Fields(string(r.Batches[0].Stdout.Head)), " "); got != "0 0 NoNewPrivs: 1 0022" {
		t.Errorf("got %q, want leader of group and session, no new privileges, umask 022", got)
	}
}

func TestPrivateDirectoriesAreMadeAndEmptied(t *testing.T) {
	req := request(t, sh(`cd "$HOME" && mkdir -p a/b && touch a/b/c "$TMPDIR/x" "$XDG_CACHE_HOME/y" && ln -s "$OLDPWD" a/tree && chmod 555 a/b && chmod 000 a`)...)
	if err := os.Mkdir(req.Cache, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(req.Cache, "old"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	keep := filepath.Join(req.Dir, "keep")
	if err := os.WriteFile(keep, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := runTool(t, req)
	if r.ExitCode != 0 || r.Unemptied != "" {
		t.Fatalf("result = %+v, want a clean end", r)
	}
	for _, dir := range []string{req.Home, req.Tmp} {
		if _, err := os.Lstat(dir); !os.IsNotExist(err) {
			t.Errorf("%s is still there (%v); the shim made it", dir, err)
		}
	}
	if left, err := os.ReadDir(req.Cache); err != nil || len(left) != 0 {
		t.Errorf("%s holds %v, %v; it was there, so it is to be empty", req.Cache, left, err)
	}
	if _, err := os.Stat(keep); err != nil {
		t.Errorf("a link out of HOME was followed: %v", err)
	}
}

func TestFailuresToExecuteAreTold(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string, mode os.FileMode) string {
		t.Helper()
		full := filepath.Join(dir, name)
		if err := os.WriteFile(full, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return full
	}
	for _, tt := range []struct {
		name      string
		argv      []string
		tree      string
		wantCause wire.Cause
		wantErrno string
		wantText  string
	}{
		{"a program that isn't there", []string{"no-such-program"}, "", wire.NotFound, "ENOENT", "found nowhere in PATH"},
		{"a file that isn't there", []string{filepath.Join(dir, "none")}, "", wire.NotFound, "ENOENT", "doesn't exist"},
		{"a file that isn't executable", []string{file("plain", "x", 0o644)}, "", wire.NotExecutable, "EACCES", "is not an executable file"},
		{"a directory", []string{dir}, "", wire.IsDirectory, "EISDIR", "is a directory"},
		{"a script whose interpreter isn't there", []string{file("script", "#!/no/such/interpreter -x\n", 0o755)}, "", wire.NoInterpreter, "ENOENT", "/no/such/interpreter"},
		{"a file that is no program", []string{file("text", "words\n", 0o755)}, "", wire.BadFormat, "ENOEXEC", "neither a binary"},
		{"an argument that no system takes", []string{"/bin/true", strings.Repeat("x", maxString)}, "", wire.TooLong, "E2BIG", "exceeds what the system allows"},
		{"a root that isn't there", []string{"/bin/true"}, filepath.Join(dir, "no-root"), wire.BadDirectory, "ENOENT", "the root can't be entered"},
		{"a root that is a file", []string{"/bin/true"}, file("root", "", 0o644), wire.BadDirectory, "ENOTDIR", "the root can't be entered"},
		{"no command", nil, "", wire.NotFound, "", "no command was given"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := request(t, tt.argv...)
			if tt.tree != "" {
				req.Dir = tt.tree
			}
			r := runTool(t, req)
			if r.Started || r.Ended != wire.NotStarted || r.Failure == nil {
				t.Fatalf("result = %+v, want that nothing started", r)
			}
			if f := r.Failure; f.Cause != tt.wantCause || f.Errno != tt.wantErrno || !strings.Contains(f.Message, tt.wantText) {
				t.Errorf("failure = %+v, want %s, %s, %q", f, tt.wantCause, tt.wantErrno, tt.wantText)
			}
		})
	}
}

func TestAFloodIsDrainedAndBounded(t *testing.T) {
	req := request(t, sh(`head -c 300000000 /dev/zero | tr '\0' x; echo end; head -c 3000000 /dev/zero >&2; echo last >&2`)...)
	r := runTool(t, req)
	out, errs := r.Batches[0].Stdout, r.Batches[0].Stderr
	if out.Total != 300_000_004 || len(out.Head) != 1<<20 || len(out.Tail) != 1<<10 || !out.Truncated() {
		t.Errorf("stdout: %d bytes, %d kept, tail %d; want 300000004, 1 MiB, 1 KiB", out.Total, len(out.Head), len(out.Tail))
	}
	last, before := out.Last(10)
	if string(last) != "xxxxxxend\n"[0:10] || before != out.Total-10 {
		t.Errorf("last = %q after %d bytes, want xxxxxxend", last, before)
	}
	if last, _ := errs.Last(5); string(last) != "last\n" || errs.Total != 3_000_005 {
		t.Errorf("stderr: %d bytes, last %q; want 3000005, last", errs.Total, last)
	}
}

func TestAProgramIsSearchedInOrderAndRelativePathEntriesArePassedOver(t *testing.T) {
	dir := t.TempDir()
	script := func(where, says string) {
		t.Helper()
		if err := os.MkdirAll(where, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(where, "tool"), []byte("#!/bin/sh\necho "+says+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	script(filepath.Join(dir, "search"), "search")
	script(filepath.Join(dir, "path"), "path")
	req := request(t, "tool")
	script(req.Dir, "tree")
	req.Env = []string{"PATH=.:" + filepath.Join(dir, "path") + ":/bin"}
	if got := string(runTool(t, req).Batches[0].Stdout.Head); got != "path\n" {
		t.Errorf("without search = %q, want path", got)
	}
	req.Search = []string{filepath.Join(dir, "search")}
	if got := string(runTool(t, req).Batches[0].Stdout.Head); got != "search\n" {
		t.Errorf("with search = %q, want search", got)
	}
	req.Argv = []string{"./tool"}
	if got := string(runTool(t, req).Batches[0].Stdout.Head); got != "tree\n" {
		t.Errorf("relative = %q, want tree", got)
	}
}
