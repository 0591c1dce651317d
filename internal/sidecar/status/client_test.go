package status

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

// asked is what a request of the client asked.
type asked struct {
	method, uri, contentType, token string
	body                            map[string]any
}

// talk returns a client and what it asks; answer is the server's.
func talk(t *testing.T, answer http.HandlerFunc) (*Client, *[]asked) {
	t.Helper()
	var all []asked
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := asked{method: r.Method, uri: r.RequestURI, contentType: r.Header.Get("Content-Type"), token: r.Header.Get("Authorization")}
		raw, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(raw, &a.body)
		all = append(all, a)
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	for name, data := range map[string]string{"ca.crt": string(authority), "token": "secret\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	host, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(Options{Host: host, Port: port, Dir: dir, Namespace: "team-a", Run: "web-1"})
	if err != nil {
		t.Fatal(err)
	}
	return c, &all
}

func TestTheClientAsksForTheRunAndItsReportAlone(t *testing.T) {
	c, all := talk(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"metadata":{"name":"web-1","uid":"u"}}`) })
	run, err := c.Run(t.Context())
	if err != nil || run.Name != "web-1" || run.UID != "u" {
		t.Errorf("run = %+v, %v", run, err)
	}
	told := Told{Outcome: v1alpha1.RunOutcome{Entry: "3-0", Attempt: 1, Result: v1alpha1.ResultClean}}
	if err := c.Tell(t.Context(), "u", "fettle-sidecar-3-0", told); err != nil {
		t.Error(err)
	}
	if err := c.SaveReport(t.Context(), Report{Format: "f", Data: []byte("d")}); err != nil {
		t.Error(err)
	}
	const base = "/apis/fettle.dev/v1alpha1/namespaces/team-a/"
	want := []asked{
		{"GET", base + "devpipelineruns/web-1", "", "Bearer secret", nil},
		{"PATCH", base + "devpipelineruns/web-1/status?fieldManager=fettle-sidecar-3-0&force=true", "application/apply-patch+yaml", "Bearer secret", nil},
		{"PATCH", base + "devpipelinereports/web-1?fieldManager=fettle-sidecar", "application/merge-patch+json", "Bearer secret", nil},
	}
	if len(*all) != len(want) {
		t.Fatalf("%d requests, want %d", len(*all), len(want))
	}
	for i, got := range *all {
		body := got.body
		got.body = nil
		if fmt.Sprint(got) != fmt.Sprint(want[i]) {
			t.Errorf("request %d: got %+v, want %+v", i, got, want[i])
		}
		switch i {
		case 1:
			if m := body["metadata"].(map[string]any); len(m) != 3 || m["uid"] != "u" || len(body["status"].(map[string]any)) != 1 {
				t.Errorf("applied %v, want the outcome alone, of the run with that UID", body)
			}
		case 2:
			if cut, ok := body["cut"]; !ok || cut != nil {
				t.Errorf("patched %v, want what was cut before removed", body)
			}
		}
	}
}

func TestARefusalSaysWhetherItMayPass(t *testing.T) {
	for _, tt := range []struct {
		code        int
		body        string
		wantPassing bool
		wantText    string
	}{
		{404, `{"kind":"Status","message":"devpipelineruns \"web-1\" not found"}`, false, `not found`},
		{409, `{"kind":"Status","message":"uid differs"}`, false, "uid differs"},
		{422, `{"kind":"Status","message":"too long"}`, false, "too long"},
		{403, `{"kind":"Status","message":"no role yet"}`, true, "no role yet"},
		{401, ``, true, "Unauthorized"},
		{429, ``, true, "Too Many Requests"},
		{500, `oops`, true, "Internal Server Error"},
		{302, ``, false, "Found"},
	} {
		t.Run(fmt.Sprint(tt.code), func(t *testing.T) {
			c, _ := talk(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "https://elsewhere.example.com/")
				w.WriteHeader(tt.code)
				fmt.Fprint(w, tt.body)
			})
			_, err := c.Run(t.Context())
			if err == nil || Passing(err) != tt.wantPassing || !strings.Contains(err.Error(), tt.wantText) || Gone(err) != (tt.code == 404) {
				t.Errorf("error = %v, want passing %v with %q", err, tt.wantPassing, tt.wantText)
			}
		})
	}
}

func TestAnAnswerIsReadInBounds(t *testing.T) {
	c, _ := talk(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `"`+strings.Repeat("x", maxAnswer)+`"`)
	})
	if _, err := c.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("error = %v, want that the answer is too long", err)
	}
}

func TestPatienceEndsWithSuccessARefusalOrTheContext(t *testing.T) {
	away := errors.New("connection refused")
	final := &Refusal{Code: 422}
	for _, tt := range []struct {
		name      string
		answers   []error // the last one is given for ever
		wantTries int     // 0: as many as there is time for
		want      error
	}{
		{"success at once", []error{nil}, 1, nil},
		{"success after failures that pass", []error{away, &Refusal{Code: 503}, nil}, 3, nil},
		{"a refusal", []error{away, final}, 2, final},
		{"the context", []error{away}, 0, away},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			tries := 0
			err := Patiently(ctx, func(context.Context) error {
				answer := tt.answers[min(tries, len(tt.answers)-1)]
				tries++
				return answer
			})
			if !errors.Is(err, tt.want) || tt.wantTries != 0 && tries != tt.wantTries || tries < 1 {
				t.Errorf("%d tries, %v, want %d, %v", tries, err, tt.wantTries, tt.want)
			}
		})
	}
}

func TestWithoutAccessThereIsNoClient(t *testing.T) {
	empty := t.TempDir()
	for _, tt := range []struct {
		name string
		give Options
		want string
	}{
		{"no server", Options{Dir: empty}, "there is no API server"},
		{"no authority", Options{Host: "h", Port: "1", Dir: empty}, "authority"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := New(tt.give); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want one with %q", err, tt.want)
			}
		})
	}
	if err := os.WriteFile(filepath.Join(empty, "ca.crt"), []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Options{Host: "h", Port: "1", Dir: empty}); err == nil || !strings.Contains(err.Error(), "holds none") {
		t.Errorf("error = %v, want that it is no certificate", err)
	}
}
