package v1alpha1_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

func TestASchemeKnowsEveryKindAndItsList(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"DevPipeline", "DevPipelineRun", "DevPipelineReport", "DevEngine", "DevPolicy"} {
		for _, k := range []string{kind, kind + "List"} {
			if !scheme.Recognizes(v1alpha1.GroupVersion.WithKind(k)) {
				t.Errorf("%s: got unknown, want known", k)
			}
		}
	}
}

// An absent list and an empty one differ in meaning (runtime spec §5.7, §6.2), so writing
// an object back must not turn one into the other.
func TestAbsentAndEmptyListsSurviveARoundTrip(t *testing.T) {
	for _, tt := range []struct {
		name string
		into func() any
		text string
	}{
		{"exclude absent", func() any { return &v1alpha1.Workspace{} }, `{"acquire":["a"]}`},
		{"exclude empty", func() any { return &v1alpha1.Workspace{} }, `{"acquire":["a"],"exclude":[]}`},
		{"acquire empty", func() any { return &v1alpha1.Workspace{} }, `{"acquire":[]}`},
		{"allow absent", func() any { return &v1alpha1.PolicyRules{} }, `{"read":{},"write":{"deny":[]}}`},
		{"allow empty", func() any { return &v1alpha1.PolicyRules{} }, `{"read":{"allow":[]}}`},
		{"no images", func() any { return &v1alpha1.DevPolicySpec{} }, `{"allowedImages":[]}`},
		{"any image", func() any { return &v1alpha1.DevPolicySpec{} }, `{}`},
		{"steps without arguments", func() any { return &v1alpha1.Step{} }, `{"name":"types","check":{}}`},
		{"write without arguments", func() any { return &v1alpha1.Step{} }, `{"name":"save","write":{}}`},
		{"an edit that removes", func() any { return &v1alpha1.Edit{} }, `{"find":"a","replace":""}`},
		{"no runs kept", func() any { return &v1alpha1.History{} }, `{"successfulRuns":0}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			object := tt.into()
			if err := json.Unmarshal([]byte(tt.text), object); err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(object)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.text, string(got)); diff != "" {
				t.Errorf("round trip (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDurationsAndQuantitiesAreReadAndWrittenAsText(t *testing.T) {
	const text = "deadline: 1m30s\nresources:\n  limits:\n    memory: 1536Mi\n"
	var invocation v1alpha1.Invocation
	if err := yaml.Unmarshal([]byte(text), &invocation); err != nil {
		t.Fatal(err)
	}
	if got, want := invocation.Deadline.Duration.Duration, 90*time.Second; got != want {
		t.Errorf("deadline: got %v, want %v", got, want)
	}
	if got, want := invocation.Resources.Limits.Memory.Value(), int64(1536<<20); got != want {
		t.Errorf("memory: got %d, want %d", got, want)
	}
	got, err := yaml.Marshal(invocation)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text, string(got)); diff != "" {
		t.Errorf("written (-want +got):\n%s", diff)
	}
}

// A name that is longer than its kind's limit would be refused only by the CRD; the
// constants are for those who make names.
func TestARunNameHasRoomForItsPipelineAndASuffix(t *testing.T) {
	longest := strings.Repeat("p", v1alpha1.MaxPipelineName) + "-" + strings.Repeat("0", 10)
	if got := len(longest); got > v1alpha1.MaxRunName {
		t.Errorf("got %d characters, want at most %d", got, v1alpha1.MaxRunName)
	}
}
