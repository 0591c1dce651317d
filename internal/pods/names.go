package pods

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/outcome"
)

// ManagedBy is the value of the label app.kubernetes.io/managed-by on everything that is
// made here.
const ManagedBy = "fettle"

// childName is the first 40 characters of the run's name and ten hexadecimal digits over
// the run's UID and what the child is for, so that a repeated create finds the first.
func childName(run *v1alpha1.DevPipelineRun, what string) string {
	return head(run.Name) + "-" + digits(string(run.UID)+"/"+what)
}

func head(name string) string {
	return strings.TrimRight(name[:min(len(name), 40)], "-.")
}

// digits returns ten hexadecimal digits over a text.
func digits(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:5])
}

// AccessName is the name of a run's ServiceAccount, Role and RoleBinding.
func AccessName(run *v1alpha1.DevPipelineRun) string { return childName(run, "access") }

// ClaimName is the name of a run's own claim. For a run that edits a user's claim in
// place it is made of that claim's UID: since no two objects have one name, nobody else
// can hold the claim while this one exists.
func ClaimName(run *v1alpha1.DevPipelineRun, sourceUID string) string {
	if sourceUID == "" {
		return childName(run, "claim")
	}
	return "fettle-" + digits(sourceUID)
}

// ReportName is the name of a run's report: the run's.
func ReportName(run *v1alpha1.DevPipelineRun) string { return run.Name }

// RunName is the name of the run that a pipeline starts for a cause after another run. What
// is the same gives the same name, so that a repeated create finds the first.
func RunName(pipeline *v1alpha1.DevPipeline, cause v1alpha1.Cause, after string) string {
	return pipeline.Name + "-" + digits(strings.Join([]string{string(pipeline.UID), string(cause.Type), cause.Value, after}, "/"))
}

// Labels are those of everything that is made for a run. UIDs select; names are for people.
func Labels(run *v1alpha1.DevPipelineRun) map[string]string {
	return map[string]string{
		"app.kubernetes.io/managed-by": ManagedBy,
		v1alpha1.LabelRun:              run.Name,
		v1alpha1.LabelRunUID:           string(run.UID),
		v1alpha1.LabelPipeline:         string(run.Spec.PipelineRef.Name),
		v1alpha1.LabelPipelineUID:      run.Spec.PipelineRef.UID,
	}
}

// childMeta is the metadata of an object that lives and dies with its run.
func childMeta(run *v1alpha1.DevPipelineRun, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: name, Namespace: run.Namespace, Labels: Labels(run),
		OwnerReferences: []metav1.OwnerReference{{
			APIVersion: v1alpha1.GroupVersion.String(), Kind: "DevPipelineRun", Name: run.Name, UID: run.UID,
			Controller: new(true),
		}},
	}
}

// meta is the metadata of a Pod: what the pipeline adds, and over it what is ours.
func (b *builder) meta() metav1.ObjectMeta {
	m := childMeta(b.Run, PodName(b.Run, b.Entry, b.Attempt))
	m.Annotations = map[string]string{}
	labels := map[string]string{}
	if s := b.Run.Spec.Plan.Pod; s != nil {
		for k, v := range s.Labels {
			labels[k] = string(v)
		}
		for k, v := range s.Annotations {
			m.Annotations[k] = string(v)
		}
	}
	for k, v := range m.Labels {
		labels[k] = v
	}
	labels[v1alpha1.LabelInvocation] = b.Entry
	labels[v1alpha1.LabelAttempt] = strconv.Itoa(int(b.Attempt))
	if b.tool != nil {
		labels[v1alpha1.LabelStep] = b.tool.step
		m.Annotations["kubectl.kubernetes.io/default-container"] = Fixer
	}
	// A mesh's proxy would hold up the start and outlive the verdict.
	labels["sidecar.istio.io/inject"] = "false"
	m.Annotations["sidecar.istio.io/inject"] = "false"
	m.Annotations["linkerd.io/inject"] = "disabled"
	m.Labels = labels
	return m
}

// EntryOf reads from a Pod's labels which attempt of which entry it is.
func EntryOf(labels map[string]string) (entry string, attempt int32, ok bool) {
	n, err := strconv.ParseInt(labels[v1alpha1.LabelAttempt], 10, 32)
	entry = labels[v1alpha1.LabelInvocation]
	return entry, int32(n), err == nil && n > 0 && entry != "" && (!outcome.IsInvocation(entry) || strings.Contains(entry, "-"))
}
