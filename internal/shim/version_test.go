package shim

import (
	"context"
	"testing"

	"github.com/fettle-dev/fettle/internal/shim/shimtest"
	"github.com/fettle-dev/fettle/internal/shim/wire"
)

func TestTheVersionIsAskedBeforeTheToolAndFailsNothing(t *testing.T) {
	for _, tt := range []struct {
		name    string
		version []string
		want    string
	}{
		{"what it prints", sh(`echo v1.2; echo more >&2`), "v1.2\n"},
		{"nothing without a command", nil, ""},
		{"nothing if it fails", sh(`echo v1; exit 1`), ""},
		{"nothing if a signal ends it", sh(`echo v1; kill -9 $$`), ""},
		{"nothing if it isn't there", []string{"no-such-tool"}, ""},
		{"no paths for it", sh(`echo $#`), "0\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := request(t, sh(`test -e asked && echo late; touch asked; echo out`)...)
			req.Version, req.Paths = tt.version, []string{"a", "b"}
			r := runTool(t, req)
			if string(r.Version) != tt.want {
				t.Errorf("version = %q, want %q", r.Version, tt.want)
			}
			if r.Ended != wire.Exited || r.ExitCode != 0 || len(r.Batches) != 1 || string(r.Batches[0].Stdout.Head) != "out\n" {
				t.Errorf("result = %+v, want that the tool ran as ever", r)
			}
		})
	}
}

func TestNothingOfAVersionCommandOutlivesIt(t *testing.T) {
	life := shimtest.NewLifeline(t)
	req := request(t, sh(`exit 0`)...)
	req.Version = shimtest.Command(t, "daemon", life.Path)
	r := runTool(t, req)
	life.WaitAlive("daemon")
	life.WaitDead()
	if r.Ended != wire.Exited || r.Leftovers != 0 {
		t.Errorf("result = %+v, want the tool's own, without leftovers", r)
	}
}

func TestACancellationEndsAVersionCommandAndNothingElseStarts(t *testing.T) {
	life := shimtest.NewLifeline(t)
	req := request(t, sh(`exit 0`)...)
	req.Version = shimtest.Command(t, "forever", life.Path)
	ctx, cancel := context.WithCancel(t.Context())
	asker := attach(t).asker
	var r wire.Result
	var err error
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		r, err = asker.Ask(ctx, req, nil)
	}()
	life.WaitAlive("forever")
	cancel()
	<-asked
	life.WaitDead()
	if err != nil || r.Ended != wire.Cancelled || r.Started || r.Version != nil {
		t.Errorf("result = %+v, %v, want cancelled before the tool started", r, err)
	}
}
