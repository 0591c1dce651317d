package pods

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// settings applies what the pipeline says of its Pods, and the pull secrets that Pods of
// the namespace have by default: the run's ServiceAccount has none.
func (b *builder) settings(spec *corev1.PodSpec) {
	spec.ImagePullSecrets = slices.Clone(b.PullSecrets)
	s := b.Run.Spec.Plan.Pod
	if s == nil {
		return
	}
	for _, secret := range s.ImagePullSecrets {
		ref := corev1.LocalObjectReference{Name: string(secret.Name)}
		if !slices.Contains(spec.ImagePullSecrets, ref) {
			spec.ImagePullSecrets = append(spec.ImagePullSecrets, ref)
		}
	}
	for k, v := range s.NodeSelector {
		if spec.NodeSelector == nil {
			spec.NodeSelector = map[string]string{}
		}
		spec.NodeSelector[k] = string(v)
	}
	for _, t := range s.Tolerations {
		spec.Tolerations = append(spec.Tolerations, corev1.Toleration{
			Key: t.Key, Operator: corev1.TolerationOperator(t.Operator), Value: t.Value,
			Effect: corev1.TaintEffect(t.Effect), TolerationSeconds: t.TolerationSeconds,
		})
	}
	spec.PriorityClassName = s.PriorityClassName
	if s.RuntimeClassName != "" {
		spec.RuntimeClassName = new(s.RuntimeClassName)
	}
}

// prefer wishes for the node where the volume was used last: it is attached there, and
// images are warm. A wish that can't be met is dropped by the scheduler. Two Pods of a run
// are never at work at once, so nothing more is needed.
func (b *builder) prefer(spec *corev1.PodSpec) {
	if b.Node == "" {
		return
	}
	spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{
			Weight: 100,
			Preference: corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{
				{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{b.Node}},
			}},
		}},
	}}
}
