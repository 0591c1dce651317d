package transaction_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fettle-dev/fettle/blocks"
	"github.com/fettle-dev/fettle/transaction"
)

type backendIn struct {
	Text            vecText             `json:"text"`
	ProtocolVersion json.RawMessage     `json:"protocolVersion"`
	Revision        string              `json:"revision"`
	Snapshot        string              `json:"snapshot"`
	Files           map[string]*vecFile `json:"files"`
	Head            string              `json:"head"`
	HeadFiles       map[string]*vecFile `json:"headFiles"`
	Config          scenarioConfig      `json:"config"`
	TransactionID   string              `json:"transactionId"`
	Reply           json.RawMessage     `json:"reply"`
}

// vecFile is [content, version].
type vecFile struct {
	content vecText
	version string
}

func (f *vecFile) UnmarshalJSON(data []byte) error {
	var pair []json.RawMessage
	if err := json.Unmarshal(data, &pair); err != nil {
		return err
	}
	if err := json.Unmarshal(pair[0], &f.content); err != nil {
		return err
	}
	return json.Unmarshal(pair[1], &f.version)
}

type backendOut struct {
	Calls        []string `json:"calls"`
	Report       any      `json:"report"`
	ToolsAllowed bool     `json:"toolsAllowed"`
	Request      any      `json:"request"`
}

// scripted is a backend that answers as a row says.
type scripted struct {
	in      backendIn
	calls   []string
	request *transaction.CommitRequest
}

func (b *scripted) ProtocolVersion(context.Context) (int, error) {
	version := transaction.ProtocolVersion
	if b.in.ProtocolVersion != nil {
		version = 0
		_ = json.Unmarshal(b.in.ProtocolVersion, &version) // null: none
	}
	return version, nil
}

func (b *scripted) CaptureSnapshot(context.Context, transaction.Context) (string, error) {
	b.calls = append(b.calls, "captureSnapshot")
	if b.in.Snapshot == "error" {
		return "", errors.New("no snapshot today")
	}
	return b.in.Revision, nil
}

func (b *scripted) Head(context.Context, transaction.Context) (string, error) {
	b.calls = append(b.calls, "head")
	return b.head(), nil
}

func (b *scripted) head() string {
	if b.in.Head == "" {
		return b.in.Revision
	}
	return b.in.Head
}

func (b *scripted) ReadFile(_ context.Context, _ transaction.Context, revision, path string) (transaction.File, error) {
	b.calls = append(b.calls, "readFile "+revision+" "+path)
	files := b.in.Files
	if revision == b.head() && b.in.HeadFiles != nil {
		files = b.in.HeadFiles
	} else if revision != b.in.Revision && revision != b.head() {
		return transaction.File{}, fmt.Errorf("unknown revision %q", revision)
	}
	f, ok := files[path]
	if !ok || f == nil {
		return transaction.File{Version: transaction.VersionAbsent}, nil
	}
	return transaction.File{Content: []byte(f.content), Version: f.version}, nil
}

func (b *scripted) Commit(_ context.Context, req transaction.CommitRequest) (transaction.Report, error) {
	b.calls, b.request = append(b.calls, "commit"), &req
	var r transaction.Report
	if string(b.in.Reply) == `"error"` {
		return r, errors.New("no commit today")
	}
	err := json.Unmarshal(b.in.Reply, &r)
	return r, err
}

// refusing is a publisher that a managed scope must never meet.
type refusing struct{ t *testing.T }

func (p refusing) Publish(context.Context, transaction.PublishRequest) (*transaction.Receipt, error) {
	p.t.Error("a publisher was called")
	return nil, nil
}

func TestVectorBackend(t *testing.T) {
	runVectors(t, "backend", func(t *testing.T, in backendIn, want backendOut) {
		root := filepath.Join(t.TempDir(), "root")
		must(t, os.Mkdir(root, 0o755))
		s, err := transaction.NewUnchecked(in.Config.config(), transaction.WithPolicy(transaction.AllowAll))
		must(t, err)
		s.RegisterPublisher(refusing{t})
		b := &scripted{in: in}
		sc := transaction.Scope{Root: root, Name: "managed", Backend: b}
		m := transaction.Message{Agent: "A", Session: transaction.Session{ID: "s", Dir: root}, ID: "m", Parts: []string{string(in.Text)}, TransactionID: in.TransactionID}
		if in.Snapshot == "held" {
			_, err := s.PrepareSnapshot(t.Context(), "A", m.Session, sc)
			must(t, err)
			b.calls = nil
		}
		report, err := s.CommitToScope(t.Context(), m, sc)
		must(t, err)
		if !slices.Equal(b.calls, want.Calls) {
			t.Errorf("calls: got %q, want %q", b.calls, want.Calls)
		}
		compare(t, "report", backendReport(t, report), want.Report)
		if got := report == nil || report.OK(); got != want.ToolsAllowed {
			t.Errorf("tools allowed: got %v, want %v", got, want.ToolsAllowed)
		}
		compare(t, "request", showRequest(b.request), want.Request)
		if _, err := os.Stat(root + ".fettle-git"); err == nil {
			t.Error("a private store was created")
		}
		if p := blocks.Parse(s.Feedback(report), in.Config.config().Config); !p.Nothing() {
			t.Errorf("the feedback parses to %+v", p)
		}
	})
}

// backendReport keeps of a report what rows compare.
func backendReport(t *testing.T, report *transaction.Report) any {
	t.Helper()
	all, ok := showReport(t, report, nil).(map[string]any)
	if !ok {
		return nil
	}
	out := map[string]any{}
	for _, key := range []string{"status", "ok", "commit", "repoRevision", "errors", "staleFiles", "files"} {
		out[key] = all[key]
	}
	for _, f := range list(out["staleFiles"]) {
		for key := range f {
			switch key {
			case "path", "content", "fileVersion", "observedVersion":
			default:
				delete(f, key)
			}
		}
	}
	return out
}

func showRequest(req *transaction.CommitRequest) any {
	if req == nil {
		return nil
	}
	changes := []any{}
	for _, c := range req.Changes {
		change := map[string]any{
			"path": c.Path, "mode": string(c.Mode), "content": nil, "expectedVersion": c.ExpectedVersion, "observedRevision": c.ObservedRevision,
		}
		if c.Content != nil {
			change["content"] = showBytes(c.Content)
		}
		changes = append(changes, change)
	}
	return map[string]any{"viewRevision": req.ViewRevision, "transactionId": req.TransactionID, "changes": changes}
}
