package apiservertest

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/fettle-dev/fettle/internal/manifest"
)

// verdict is what one side says about a manifest.
type verdict struct {
	strict []string // what strict decoding finds: unknown and duplicate fields
	other  []string // everything else
}

func (v verdict) accepted() bool { return len(v.strict)+len(v.other) == 0 }

// path is where an object of the text is created. Names of our resources are plain plurals
// but for one.
func path(kind, namespace string) string {
	plural := strings.ToLower(kind) + "s"
	if kind == "DevPolicy" {
		plural = "devpolicies"
	}
	if kind == "DevPolicy" || kind == "DevEngine" {
		return "/apis/fettle.dev/v1alpha1/" + plural
	}
	return "/apis/fettle.dev/v1alpha1/namespaces/" + namespace + "/" + plural
}

// create asks the server what it would make of an object, without making it.
func create(t *testing.T, client *rest.RESTClient, kind, namespace, text string) rest.Result {
	t.Helper()
	return client.Post().AbsPath(path(kind, namespace)).
		Param("dryRun", "All").Param("fieldValidation", "Strict").
		SetHeader("Content-Type", "application/yaml").Body([]byte(text)).Do(t.Context())
}

// serverVerdict is what the API server says.
func serverVerdict(t *testing.T, client *rest.RESTClient, kind, namespace, text string) verdict {
	t.Helper()
	err := create(t, client, kind, namespace, text).Error()
	if err == nil {
		return verdict{}
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		t.Fatalf("got %v, want a verdict", err)
	}
	s := status.Status()
	if _, found, ok := strings.Cut(s.Message, "strict decoding error: "); ok {
		return verdict{strict: strictErrors(found)}
	}
	if s.Reason != metav1.StatusReasonInvalid {
		_, why, framed := strings.Cut(s.Message, " cannot be handled as a "+kind+": ")
		if !framed {
			t.Fatalf("got %v, want a verdict on the object", s)
		}
		return verdict{other: []string{why}}
	}
	var v verdict
	for _, cause := range s.Details.Causes {
		v.other = append(v.other, causeText(cause))
	}
	slices.Sort(v.other)
	return v
}

// causeText is an error of a field, or of the whole object if it names none.
func causeText(c metav1.StatusCause) string {
	if c.Field != "<nil>" {
		return c.Field + ": " + c.Message
	}
	return strings.TrimPrefix(c.Message, "Invalid value: null: ")
}

var strictError = regexp.MustCompile(`unknown field "[^"]*"|duplicate field "[^"]*"|key "[^"]*" already set in map`)

// strictErrors takes a list apart that the server has joined. Lines aren't part of them: ours
// count from the beginning of a file.
func strictErrors(text string) []string {
	found := strictError.FindAllString(text, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

// offlineVerdict is what internal/manifest says.
func offlineVerdict(t *testing.T, text string) verdict {
	t.Helper()
	_, err := manifest.Load(t.Context(), manifest.Input{Name: "test.yaml", Data: []byte(text)})
	if err == nil {
		return verdict{}
	}
	var problems manifest.Problems
	if !errors.As(err, &problems) {
		t.Fatalf("got %v, want problems", err)
	}
	var v verdict
	for _, p := range problems {
		if found := strictErrors(p.Text); len(found) > 0 {
			v.strict = append(v.strict, found...)
			continue
		}
		v.other = append(v.other, p.Text)
	}
	slices.Sort(v.strict)
	slices.Sort(v.other)
	v.strict, v.other = slices.Compact(v.strict), slices.Compact(v.other)
	return v
}

// differ says how the verdicts differ; empty if they don't. A server stops at what strict
// decoding finds, where ours goes on and tells everything.
func differ(server, offline verdict) string {
	switch {
	case server.accepted() != offline.accepted():
	case !slices.Equal(server.strict, offline.strict):
	case len(server.strict) == 0 && !slices.Equal(slices.Compact(server.other), offline.other):
	default:
		return ""
	}
	return "the server says\n  " + strings.Join(append(server.strict, server.other...), "\n  ") +
		"\nand we say\n  " + strings.Join(append(offline.strict, offline.other...), "\n  ")
}
