package sidecar_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/report"
)

// call makes one request of the API server as an administrator.
func call(t *testing.T, method, path, contentType string, body, into any) {
	t.Helper()
	client, err := rest.HTTPClientFor(server)
	must(t, err)
	raw, err := json.Marshal(body)
	must(t, err)
	request, err := http.NewRequestWithContext(t.Context(), method, server.Host+path, bytes.NewReader(raw))
	must(t, err)
	request.Header.Set("Content-Type", contentType)
	answer, err := client.Do(request)
	must(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must(t, err)
	if answer.StatusCode >= 300 {
		t.Fatalf("%s %s: %s: %s", method, path, answer.Status, text)
	}
	if into != nil {
		must(t, json.Unmarshal(text, into))
	}
}

func objects(plural string) string {
	return fmt.Sprintf("/apis/%s/namespaces/default/%s", v1alpha1.GroupVersion, plural)
}

// create makes a run and its empty report, as the controller would.
func create(t *testing.T, name string, spec v1alpha1.DevPipelineRunSpec) *v1alpha1.DevPipelineRun {
	t.Helper()
	run := &v1alpha1.DevPipelineRun{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "DevPipelineRun"},
		ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: spec,
	}
	call(t, http.MethodPost, objects("devpipelineruns"), "application/json", run, run)
	call(t, http.MethodPost, objects("devpipelinereports"), "application/json", &v1alpha1.DevPipelineReport{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "DevPipelineReport"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Subject:    v1alpha1.ReportSubject{Kind: "DevPipelineRun", Name: v1alpha1.ObjectName(name), UID: string(run.UID)},
	}, nil)
	return run
}

// theRun reads a run.
func theRun(t *testing.T, name string) *v1alpha1.DevPipelineRun {
	t.Helper()
	run := &v1alpha1.DevPipelineRun{}
	call(t, http.MethodGet, objects("devpipelineruns")+"/"+name, "", nil, run)
	return run
}

// change patches a run, or with "/status" its status.
func change(t *testing.T, name string, patch any) {
	t.Helper()
	call(t, http.MethodPatch, objects("devpipelineruns")+"/"+name, "application/merge-patch+json", patch, nil)
}

// theReport reads a run's report.
func theReport(t *testing.T, name string) (v1alpha1.DevPipelineReport, report.Report) {
	t.Helper()
	var object v1alpha1.DevPipelineReport
	call(t, http.MethodGet, objects("devpipelinereports")+"/"+name, "", nil, &object)
	r, err := report.Decode(bytes.NewReader(object.Data))
	must(t, err)
	return object, r
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
