package controllers

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/apiservertest"
	"github.com/fettle-dev/fettle/internal/pods"
)

// server is the API server of all tests.
var server *rest.Config

func TestMain(m *testing.M) {
	os.Exit(apiservertest.Run(m, func(config *rest.Config) { server = config }))
}

// world is a namespace of the API server with reconcilers that are called by hand, and a
// clock that is set by hand. There is no node: the test plays the kubelet (kubelet_test.go).
type world struct {
	*testing.T
	client.Client // of an administrator
	namespace     string
	clock         time.Time
	told          *recorder

	runs      *RunReconciler
	pipelines *PipelineReconciler
	engines   *EngineReconciler
	policies  *PolicyReconciler
}

// newWorld makes a namespace that admits restricted Pods only.
func newWorld(t *testing.T) *world { return newWorldWith(t, nil) }

// newWorldWith wraps the reconcilers' client, to inject failures.
func newWorldWith(t *testing.T, wrap func(client.WithWatch) client.WithWatch) *world {
	t.Helper()
	scheme, err := newScheme()
	if err != nil {
		t.Fatal(err)
	}
	admin, err := client.NewWithWatch(server, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, Client: admin, clock: time.Now().Truncate(time.Second), told: &recorder{}}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		GenerateName: "test-", Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"},
	}}
	w.must(admin.Create(t.Context(), namespace))
	w.namespace = namespace.Name
	used := admin
	if wrap != nil {
		used = wrap(admin)
	}
	w.use(used)
	return w
}

// use makes reconcilers over a client, as a manager that was started again would.
func (w *world) use(c client.Client) {
	config := pods.Config{
		Image: "registry.example.com/fettle:1", Identity: &pods.Identity{User: 65532, Group: 65532},
		Sidecar: pods.DefaultSidecar(), Fixer: pods.DefaultFixer(),
	}
	now := func() time.Time { return w.clock }
	w.runs = &RunReconciler{Client: c, Live: c, Events: w.told, Pods: config, Now: now}
	w.pipelines = &PipelineReconciler{Client: c, Events: w.told, Pods: config, Now: now}
	w.engines = &EngineReconciler{Client: c, Events: w.told, Now: now}
	w.policies = &PolicyReconciler{Client: c, Events: w.told, Now: now}
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// pass lets time pass.
func (w *world) pass(d time.Duration) { w.clock = w.clock.Add(d) }

// apply creates objects, or changes them as kubectl apply --server-side does.
func (w *world) apply(text string) {
	w.Helper()
	for _, doc := range strings.Split(strings.ReplaceAll(text, "NS", w.namespace), "\n---\n") {
		w.must(w.tryApply(doc))
	}
}

func (w *world) tryApply(doc string) error {
	u := unstructuredOf(w.T, doc)
	return w.Apply(w.Context(), client.ApplyConfigurationFromUnstructured(u), client.FieldOwner("kubectl"), client.ForceOwnership)
}

// reconcile calls each reconciler for each object of its kind once.
func (w *world) reconcile() error {
	w.Helper()
	ctx := w.Context()
	for _, kind := range []struct {
		list client.ObjectList
		in   string
		by   func(context.Context, ctrl.Request) (ctrl.Result, error)
	}{
		{&v1alpha1.DevEngineList{}, "", w.engines.Reconcile},
		{&v1alpha1.DevPolicyList{}, "", w.policies.Reconcile},
		{&v1alpha1.DevPipelineList{}, w.namespace, w.pipelines.Reconcile},
		{&v1alpha1.DevPipelineRunList{}, w.namespace, w.runs.Reconcile},
	} {
		for _, o := range w.list(kind.list, kind.in) {
			if kind.in == "" && !strings.HasPrefix(o.GetName(), w.namespace) {
				continue // of another test
			}
			if _, err := kind.by(ctx, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(o)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle reconciles until nothing changes any more, and checks that each run's status
// stays within its bounds.
func (w *world) settle() {
	w.Helper()
	before := w.versions()
	for range 60 {
		w.must(w.reconcile())
		w.collect()
		after := w.versions()
		if after == before {
			w.checkSizes()
			return
		}
		before = after
	}
	w.Fatal("it doesn't settle")
}

// list lists objects, in one namespace or all.
func (w *world) list(list client.ObjectList, namespace string) []client.Object {
	w.Helper()
	w.must(w.List(w.Context(), list, client.InNamespace(namespace)))
	items, err := extract(list)
	w.must(err)
	return items
}

// made are the kinds of what a run makes but its report.
func made() []client.ObjectList {
	return []client.ObjectList{
		&corev1.PodList{}, &corev1.PersistentVolumeClaimList{}, &corev1.ServiceAccountList{}, &rbacv1.RoleList{}, &rbacv1.RoleBindingList{},
	}
}

// versions are the versions of everything that a controller may change.
func (w *world) versions() string {
	w.Helper()
	var b strings.Builder
	lists := append(made(), &v1alpha1.DevPipelineList{}, &v1alpha1.DevPipelineRunList{}, &v1alpha1.DevPipelineReportList{})
	for _, l := range lists {
		for _, o := range w.list(l, w.namespace) {
			fmt.Fprintf(&b, "%T %s %s\n", o, o.GetName(), o.GetResourceVersion())
		}
	}
	for _, l := range []client.ObjectList{&v1alpha1.DevEngineList{}, &v1alpha1.DevPolicyList{}} {
		for _, o := range w.list(l, "") {
			if strings.HasPrefix(o.GetName(), w.namespace) {
				fmt.Fprintf(&b, "%T %s %s\n", o, o.GetName(), o.GetResourceVersion())
			}
		}
	}
	return b.String()
}

// pipeline, run, … read one object.
func (w *world) pipeline(name string) *v1alpha1.DevPipeline {
	w.Helper()
	return get(w, name, &v1alpha1.DevPipeline{})
}

func get[T client.Object](w *world, name string, o T) T {
	w.Helper()
	w.must(w.Get(w.Context(), client.ObjectKey{Namespace: w.namespace, Name: name}, o))
	return o
}

// allRuns are the runs of the namespace, the earliest first.
func (w *world) allRuns() []v1alpha1.DevPipelineRun {
	w.Helper()
	var list v1alpha1.DevPipelineRunList
	w.list(&list, w.namespace)
	sortRuns(list.Items)
	return list.Items
}

// run is the run that was made last.
func (w *world) run() *v1alpha1.DevPipelineRun {
	w.Helper()
	all := w.allRuns()
	if len(all) == 0 {
		w.Fatal("there is no run")
	}
	return &all[len(all)-1]
}

// wantRun fails unless the last run's condition Succeeded is so.
func (w *world) wantRun(status metav1.ConditionStatus, reason, says string) *v1alpha1.DevPipelineRun {
	w.Helper()
	run := w.run()
	w.wantCondition(run.Name, run.Status.Conditions, v1alpha1.ConditionSucceeded, status, reason, says)
	return run
}

func (w *world) wantPipeline(name string, status metav1.ConditionStatus, reason, says string) *v1alpha1.DevPipeline {
	w.Helper()
	p := w.pipeline(name)
	w.wantCondition(name, p.Status.Conditions, v1alpha1.ConditionReady, status, reason, says)
	return p
}

func (w *world) wantCondition(what string, all []metav1.Condition, kind string, status metav1.ConditionStatus, reason, says string) {
	w.Helper()
	for _, c := range all {
		if c.Type != kind {
			continue
		}
		if c.Status != status || c.Reason != reason || !strings.Contains(c.Message, says) {
			w.Errorf("%s: %s is %s, %s, %q, want %s, %s, %q", what, kind, c.Status, c.Reason, c.Message, status, reason, says)
		}
		return
	}
	w.Errorf("%s: there is no condition %s in %+v", what, kind, all)
}

// wantNothingLeft fails if anything is left of what runs made.
func (w *world) wantNothingLeft() {
	w.Helper()
	for _, l := range made() {
		for _, o := range w.list(l, w.namespace) {
			if o.GetLabels()[v1alpha1.LabelRunUID] != "" {
				w.Errorf("%T %s is left", o, o.GetName())
			}
		}
	}
}

// recorder keeps events.
type recorder struct{ events []string }

func (r *recorder) Eventf(o, _ runtime.Object, kind, reason, _, note string, args ...any) {
	name := ""
	if object, ok := o.(client.Object); ok {
		name = object.GetName()
	}
	r.events = append(r.events, fmt.Sprintf("%s %s %s %s", name, kind, reason, fmt.Sprintf(note, args...)))
}

// wantTold fails unless there is an event that begins with the first and holds all of these
// words, once.
func (w *world) wantTold(words ...string) {
	w.Helper()
	n := 0
	for _, e := range w.told.events {
		all := strings.HasPrefix(e, words[0])
		for _, word := range words {
			all = all && strings.Contains(e, word)
		}
		if all {
			n++
		}
	}
	if n != 1 {
		w.Errorf("%d events say %q, want 1:\n%s", n, words, strings.Join(w.told.events, "\n"))
	}
}
