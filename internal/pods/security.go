package pods

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/outcome"
)

// podSecurity is the identity that all containers share: the border between sidecar and
// fixer is what is mounted, not the user. With the containers' own it satisfies the
// restricted Pod Security Standard.
func (b *builder) podSecurity() *corev1.PodSecurityContext {
	s := &corev1.PodSecurityContext{
		RunAsNonRoot:   new(true),
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
	id := b.identity()
	if id == nil {
		return s
	}
	s.RunAsUser, s.RunAsGroup = new(id.User), new(id.Group)
	if !b.mountsSourceClaim() {
		// On a user's claim the kubelet would rewrite modes and groups of everything.
		s.FSGroup = new(id.Group)
		s.FSGroupChangePolicy = new(corev1.FSGroupChangeOnRootMismatch)
	}
	return s
}

// identity is whose the files of the source are, or else that of the configuration.
func (b *builder) identity() *Identity {
	if b.sourceClaim() == nil {
		return b.Identity
	}
	as := b.sourceClaim().RunAs
	if known := b.Run.Status.Source; known != nil && known.RunAs != nil {
		as = known.RunAs
	}
	if as == nil {
		return b.Identity
	}
	id := Identity{User: as.User, Group: as.User}
	if b.Identity != nil {
		id.Group = b.Identity.Group
	}
	if as.Group != nil {
		id.Group = *as.Group
	}
	return &id
}

func (b *builder) sourceClaim() *v1alpha1.ClaimSource {
	return b.Run.Spec.Plan.Source.PersistentVolumeClaim
}

// mountsSourceClaim says whether the Pod has the user's claim: all Pods but one where it is
// edited in place, and the first one where mode Check copies it.
func (b *builder) mountsSourceClaim() bool {
	if b.sourceClaim() == nil {
		return false
	}
	if InPlace(b.Run) {
		return b.Entry != outcome.Folders
	}
	return b.Entry == outcome.Prepare
}

// InPlace says whether a run changes the files of a user's claim.
func InPlace(run *v1alpha1.DevPipelineRun) bool {
	return run.Spec.Plan.Source.PersistentVolumeClaim != nil && run.Spec.Plan.Mode != v1alpha1.PipelineModeCheck
}

func containerSecurity() *corev1.SecurityContext {
	return &corev1.SecurityContext{
		AllowPrivilegeEscalation: new(false),
		ReadOnlyRootFilesystem:   new(true),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
}
