package runtime

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fettle-dev/fettle/internal/plan"
)

type interceptFunc func(ctx context.Context, step plan.Step, before View, run func() (View, error)) (*View, error)

func (f interceptFunc) Intercept(ctx context.Context, step plan.Step, before View, run func() (View, error)) (*View, error) {
	return f(ctx, step, before, run)
}

func TestAnInterceptorThatCallsEachStepChangesNothing(t *testing.T) {
	want := eventful(t).ok().Comparable()
	w := eventful(t)
	var steps []string
	w.config.Intercept = interceptFunc(func(_ context.Context, step plan.Step, before View, run func() (View, error)) (*View, error) {
		after, err := run()
		if err == nil && (step.Kind() == plan.KindWrite) != (before.Token != after.Token) && step.Kind() == plan.KindWrite {
			t.Error("a write minted no token")
		}
		steps = append(steps, step.Name)
		return nil, err
	})
	got := w.ok().Comparable()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the report differs (-want +got):\n%s", diff)
	}
	if want := []string{"bump", "patch", "save", "fix", "format", "check"}; !cmp.Equal(steps, want) {
		t.Errorf("intercepted %v, want %v", steps, want)
	}
}

func TestAReplacementIsTakenInPlaceOfTheStepAndKeepsIdentity(t *testing.T) {
	w := newWorld(t, files(), acquired, stepPatch, stepEdit, stepWrite)
	w.config.Intercept = interceptFunc(func(_ context.Context, step plan.Step, before View, run func() (View, error)) (*View, error) {
		if step.Name != "bump" {
			_, err := run()
			return nil, err
		}
		before.Files["a.ts"] = ViewFile{Text: "replaced\n", MIMEType: "text/plain"}
		delete(before.Files, "n.ts")
		return &before, nil
	})
	r := w.ok()
	want := map[string]string{"a.ts": "modified", "c.ts": "renamed", "d.ts": "deleted"}
	if diff := cmp.Diff(want, kinds(r)); diff != "" {
		t.Errorf("rows differ (-want +got):\n%s", diff)
	}
	if got := w.held("a.ts"); got != "replaced\n" {
		t.Errorf("a.ts holds %q", got)
	}
}

func TestAnInterceptorIsHeldToItsContract(t *testing.T) {
	tests := map[string]struct {
		intercept  interceptFunc
		wantReason string
	}{
		"neither": {func(context.Context, plan.Step, View, func() (View, error)) (*View, error) { return nil, nil }, "interceptor"},
		"both": {func(_ context.Context, _ plan.Step, before View, run func() (View, error)) (*View, error) {
			_, err := run()
			return &before, err
		}, "interceptor"},
		"twice": {func(_ context.Context, _ plan.Step, _ View, run func() (View, error)) (*View, error) {
			_, _ = run()
			_, err := run()
			return nil, err
		}, "interceptor"},
		"fails": {func(context.Context, plan.Step, View, func() (View, error)) (*View, error) {
			return nil, errors.New("broken")
		}, "interceptor"},
		"stale": {func(_ context.Context, _ plan.Step, before View, _ func() (View, error)) (*View, error) {
			before.Token = "old"
			return &before, nil
		}, "stale-token"},
		"unknown disk path": {func(_ context.Context, _ plan.Step, before View, _ func() (View, error)) (*View, error) {
			before.PersistedPaths["a.ts"] = "elsewhere.ts"
			return &before, nil
		}, "interceptor"},
		"unknown origin": {func(_ context.Context, _ plan.Step, before View, _ func() (View, error)) (*View, error) {
			before.Renames["a.ts"] = "elsewhere.ts"
			return &before, nil
		}, "interceptor"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, files(), acquired, stepEdit, stepWrite)
			w.config.Intercept = test.intercept
			r := w.run()
			if r.Error == nil || r.Error.Reason != test.wantReason {
				t.Errorf("got error %+v, want %s", r.Error, test.wantReason)
			}
			if got := w.held("a.ts"); got != "one\n" {
				t.Errorf("a.ts holds %q", got)
			}
		})
	}
}
