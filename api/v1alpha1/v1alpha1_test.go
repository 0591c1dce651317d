package v1alpha1

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
)

func TestASchemeKnowsEveryKindAndItsList(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"DevPipeline", "DevPipelineRun", "DevPipelineReport", "DevEngine", "DevPolicy"} {
		for _, k := range []string{kind, kind + "List"} {
			if !scheme.Recognizes(GroupVersion.WithKind(k)) {
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
		{"exclude absent", func() any { return &Workspace{} }, `{"acquire":["a"]}`},
		{"exclude empty", func() any { return &Workspace{} }, `{"acquire":["a"],"exclude":[]}`},
		{"acquire empty", func() any { return &Workspace{} }, `{"acquire":[]}`},
		{"allow absent", func() any { return &PolicyRules{} }, `{"read":{},"write":{"deny":[]}}`},
		{"allow empty", func() any { return &PolicyRules{} }, `{"read":{"allow":[]}}`},
		{"no images", func() any { return &DevPolicySpec{} }, `{"allowedImages":[]}`},
		{"any image", func() any { return &DevPolicySpec{} }, `{}`},
		{"steps without arguments", func() any { return &Step{} }, `{"name":"types","check":{}}`},
		{"write without arguments", func() any { return &Step{} }, `{"name":"save","write":{}}`},
		{"an edit that removes", func() any { return &Edit{} }, `{"find":"a","replace":""}`},
		{"no runs kept", func() any { return &History{} }, `{"successfulRuns":0}`},
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
			if string(got) != tt.text {
				t.Errorf("round trip: got %s, want %s", got, tt.text)
			}
		})
	}
}

func TestDurationsAndQuantitiesAreReadAndWrittenAsText(t *testing.T) {
	const text = `{"deadline":"1m30s","resources":{"limits":{"memory":"1536Mi"}}}`
	var invocation Invocation
	if err := json.Unmarshal([]byte(text), &invocation); err != nil {
		t.Fatal(err)
	}
	if got, want := invocation.Deadline.Duration.Duration, 90*time.Second; got != want {
		t.Errorf("deadline: got %v, want %v", got, want)
	}
	if got, want := invocation.Resources.Limits.Memory.Value(), int64(1536<<20); got != want {
		t.Errorf("memory: got %d, want %d", got, want)
	}
	got, err := json.Marshal(invocation)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != text {
		t.Errorf("written: got %s, want %s", got, text)
	}
}

// A name that is longer than its kind's limit would be refused only by the CRD; the
// constants are for those who make names.
func TestARunNameHasRoomForItsPipelineAndASuffix(t *testing.T) {
	longest := strings.Repeat("p", MaxPipelineName) + "-" + strings.Repeat("0", 10)
	if got := len(longest); got > MaxRunName {
		t.Errorf("got %d characters, want at most %d", got, MaxRunName)
	}
}
