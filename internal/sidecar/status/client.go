package status

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

// Files of a Pod's access, in one directory.
const (
	tokenFile     = "token"
	authorityFile = "ca.crt"
)

// maxAnswer bounds what is read of an answer: a run is at most what etcd takes.
const maxAnswer = 4 << 20

// Options say where the API server is and which run is meant.
type Options struct {
	Host, Port string // of the API server
	Dir        string // holds token and ca.crt
	Namespace  string
	Run        string // its name
}

// Client speaks of one run.
type Client struct {
	options Options
	base    string // of the URLs of the namespace's objects
	http    *http.Client
}

// New returns a client. It reads the certificate of the authority, once; the token is read
// for each request, for the kubelet renews it.
func New(o Options) (*Client, error) {
	if o.Host == "" || o.Port == "" {
		return nil, fmt.Errorf("there is no API server: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT say where it is, in every Pod")
	}
	authority, err := os.ReadFile(filepath.Join(o.Dir, authorityFile))
	if err != nil {
		return nil, fmt.Errorf("certificate of the API server's authority: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(authority) {
		return nil, fmt.Errorf("certificate of the API server's authority: %s holds none", authorityFile)
	}
	return &Client{
		options: o,
		base: fmt.Sprintf("https://%s/apis/%s/namespaces/%s", net.JoinHostPort(o.Host, o.Port),
			v1alpha1.GroupVersion, url.PathEscape(o.Namespace)),
		http: &http.Client{
			// One connection that is used a few times: nothing of HTTP/2 is of use.
			Transport: &http.Transport{
				TLSClientConfig:     &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
				TLSHandshakeTimeout: 10 * time.Second,
				IdleConnTimeout:     10 * time.Second,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Run reads the run. Errors are Refusal, or those of the network.
func (c *Client) Run(ctx context.Context) (*v1alpha1.DevPipelineRun, error) {
	run := &v1alpha1.DevPipelineRun{}
	answer, err := c.do(ctx, http.MethodGet, c.object("devpipelineruns", c.options.Run), "", nil)
	if err == nil {
		err = json.Unmarshal(answer, run)
	}
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", c.options.Run, err)
	}
	return run, nil
}

// Told is what a sidecar writes into the status of its run.
type Told struct {
	Outcome     v1alpha1.RunOutcome
	Invocations []v1alpha1.InvocationStatus // entries; may be none
}

// Tell applies what a sidecar tells under its field manager, and takes it from any other.
// uid is the run's: another one of the same name is refused.
func (c *Client) Tell(ctx context.Context, uid, manager string, told Told) error {
	body := applied{
		TypeMeta: metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "DevPipelineRun"},
		Metadata: metadata{Name: c.options.Run, Namespace: c.options.Namespace, UID: uid},
		Status:   v1alpha1.DevPipelineRunStatus{Outcome: &told.Outcome, Invocations: told.Invocations},
	}
	query := url.Values{"fieldManager": {manager}, "force": {"true"}}
	err := c.patch(ctx, c.object("devpipelineruns", c.options.Run)+"/status?"+query.Encode(), "application/apply-patch+yaml", body)
	if err != nil {
		return fmt.Errorf("status of run %s: %w", c.options.Run, err)
	}
	return nil
}

// applied is what is applied of a run.
type applied struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        metadata                      `json:"metadata"`
	Status          v1alpha1.DevPipelineRunStatus `json:"status"`
}

// metadata are the fields of ObjectMeta that name an object.
type metadata struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	UID       string `json:"uid,omitempty"`
}

// SaveReport replaces the content of the run's report, which has the run's name.
func (c *Client) SaveReport(ctx context.Context, r Report) error {
	query := url.Values{"fieldManager": {"fettle-sidecar"}}
	err := c.patch(ctx, c.object("devpipelinereports", c.options.Run)+"?"+query.Encode(), "application/merge-patch+json", r)
	if err != nil {
		return fmt.Errorf("report of run %s: %w", c.options.Run, err)
	}
	return nil
}

func (c *Client) object(plural, name string) string {
	return c.base + "/" + plural + "/" + url.PathEscape(name)
}

func (c *Client) patch(ctx context.Context, target, contentType string, body any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	_, err = c.do(ctx, http.MethodPatch, target, contentType, raw)
	return err
}

// do sends one request and returns the whole answer.
func (c *Client) do(ctx context.Context, method, target, contentType string, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	token, err := os.ReadFile(filepath.Join(c.options.Dir, tokenFile))
	if err != nil {
		return nil, fmt.Errorf("token of the Pod: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	request.Header.Set("Accept", "application/json")
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	answer, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxAnswer:
		return nil, fmt.Errorf("the answer has more than %d bytes", maxAnswer)
	case answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusCreated:
		return nil, refusalOf(answer.StatusCode, text)
	}
	return text, nil
}
