package pods

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

// DefaultSidecar is what a sidecar is given where the manager isn't told otherwise.
func DefaultSidecar() corev1.ResourceRequirements {
	return corev1.ResourceRequirements{
		Requests: amounts("50m", "64Mi", "64Mi"),
		Limits:   amounts("", "512Mi", "3Gi"),
	}
}

// DefaultFixer is what a tool is given that nobody says anything about.
func DefaultFixer() corev1.ResourceRequirements {
	return corev1.ResourceRequirements{
		Requests: amounts("100m", "128Mi", "64Mi"),
		Limits:   amounts("", "1Gi", "3Gi"),
	}
}

func amounts(cpu, memory, storage string) corev1.ResourceList {
	list := corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(memory), corev1.ResourceEphemeralStorage: resource.MustParse(storage)}
	if cpu != "" {
		list[corev1.ResourceCPU] = resource.MustParse(cpu)
	}
	return list
}

// resources of the tool: what its capability or the pipeline's engine says, amount by
// amount; then what the pipeline says for all tools; then the default. A request is never
// more than the limit.
func (b *builder) resources() corev1.ResourceRequirements {
	r := corev1.ResourceRequirements{Requests: maps.Clone(b.Fixer.Requests), Limits: maps.Clone(b.Fixer.Limits)}
	if r.Requests == nil {
		r.Requests = corev1.ResourceList{}
	}
	if r.Limits == nil {
		r.Limits = corev1.ResourceList{}
	}
	if s := b.Run.Spec.Plan.Pod; s != nil {
		over(&r, s.Resources)
	}
	over(&r, b.tool.resources)
	for name, limit := range r.Limits {
		if request, ok := r.Requests[name]; ok && request.Cmp(limit) > 0 {
			r.Requests[name] = limit
		}
	}
	return r
}

// over lays what is given over what is there. A request above a limit that is only a
// default raises it.
func over(r *corev1.ResourceRequirements, given v1alpha1.Resources) {
	limits := list(given.Limits)
	for name, request := range list(given.Requests) {
		r.Requests[name] = request
		if limit, ok := r.Limits[name]; ok && request.Cmp(limit) > 0 {
			r.Limits[name] = request
		}
	}
	maps.Copy(r.Limits, limits)
}

func list(a v1alpha1.ResourceAmounts) corev1.ResourceList {
	l := corev1.ResourceList{}
	for _, amount := range amountsOf(&a) {
		if *amount.at != nil {
			l[amount.name] = (*amount.at).Quantity
		}
	}
	return l
}

// amount is one of ResourceAmounts by the name that it has in a Pod.
type amount struct {
	name corev1.ResourceName
	at   **v1alpha1.Quantity
}

func amountsOf(a *v1alpha1.ResourceAmounts) []amount {
	return []amount{
		{corev1.ResourceCPU, &a.CPU},
		{corev1.ResourceMemory, &a.Memory},
		{corev1.ResourceEphemeralStorage, &a.EphemeralStorage},
	}
}

func amountOf(a *v1alpha1.ResourceAmounts, name corev1.ResourceName) **v1alpha1.Quantity {
	all := amountsOf(a)
	return all[slices.IndexFunc(all, func(x amount) bool { return x.name == name })].at
}
