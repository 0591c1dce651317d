package controllers

import (
	"encoding/json"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

func unstructuredOf(t testing.TB, doc string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(doc), &u.Object); err != nil {
		t.Fatalf("%v\n%s", err, doc)
	}
	return u
}

func extract(list client.ObjectList) ([]client.Object, error) {
	var items []client.Object
	err := meta.EachListItem(list, func(o runtime.Object) error {
		items = append(items, o.(client.Object))
		return nil
	})
	return items, err
}

func sortRuns(runs []v1alpha1.DevPipelineRun) {
	slices.SortFunc(runs, func(a, b v1alpha1.DevPipelineRun) int {
		if before(&a, &b) {
			return -1
		}
		return 1
	})
}

// maxStatus is what a status may never exceed.
const maxStatus = 64 << 10

func (w *world) checkSizes() {
	w.Helper()
	for _, run := range w.allRuns() {
		raw, err := json.Marshal(run.Status)
		w.must(err)
		if len(raw) > maxStatus {
			w.Errorf("the status of run %s has %d bytes", run.Name, len(raw))
		}
	}
}
