package shim

import (
	"time"

	"github.com/fettle-dev/fettle/internal/shim/wire"
)

// versionTime is how long a version command may take.
const versionTime = 30 * time.Second

// version asks the tool for its version. It never fails an invocation: an answer that
// can't be had is nil. unkillable counts what survives its end.
func version(r *wire.Request, t terms) (answer []byte, unkillable int) {
	if len(r.Version) == 0 || t.due() != "" {
		return nil, 0
	}
	asked := *r
	asked.Argv, asked.Paths, asked.Passing = r.Version, nil, wire.Passing{As: wire.None}
	j, failure := prepare(&asked, nil)
	if failure != nil {
		return nil, 0
	}
	tool, failure := j.start(nil, wire.Limits{Stdout: wire.MaxVersion})
	if failure != nil {
		return nil, 0
	}
	deadline := make(chan struct{})
	defer time.AfterFunc(versionTime, func() { close(deadline) }).Stop()
	t.deadline = deadline
	end := supervise(tool.pid, t)
	answer = tool.stdout.output().Head
	tool.stderr.output()
	if end.why != "" || end.status.Signaled() || end.status.ExitStatus() != 0 {
		answer = nil
	}
	return answer, end.unkillable
}
