package pods

import (
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

// ServiceAccount is who the sidecars of a run are.
func ServiceAccount(run *v1alpha1.DevPipelineRun) *corev1.ServiceAccount {
	return &corev1.ServiceAccount{
		TypeMeta:                     metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"},
		ObjectMeta:                   childMeta(run, AccessName(run)),
		AutomountServiceAccountToken: new(false),
	}
}

// Role is what they may do: read their run, write its status and its report.
func Role(run *v1alpha1.DevPipelineRun) *rbacv1.Role {
	rule := func(resource, name string, verbs ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{v1alpha1.GroupVersion.Group}, Resources: []string{resource}, ResourceNames: []string{name}, Verbs: verbs}
	}
	return &rbacv1.Role{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "Role"},
		ObjectMeta: childMeta(run, AccessName(run)),
		Rules: []rbacv1.PolicyRule{
			rule("devpipelineruns", run.Name, "get"),
			rule("devpipelineruns/status", run.Name, "get", "patch"),
			rule("devpipelinereports", ReportName(run), "get", "patch"),
		},
	}
}

// RoleBinding gives the one to the other.
func RoleBinding(run *v1alpha1.DevPipelineRun) *rbacv1.RoleBinding {
	return &rbacv1.RoleBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "RoleBinding"},
		ObjectMeta: childMeta(run, AccessName(run)),
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Name: AccessName(run), Namespace: run.Namespace}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: AccessName(run)},
	}
}

// Report is the run's report as it is before anybody has written to it.
func Report(run *v1alpha1.DevPipelineRun) *v1alpha1.DevPipelineReport {
	return &v1alpha1.DevPipelineReport{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "DevPipelineReport"},
		ObjectMeta: childMeta(run, ReportName(run)),
		Subject:    v1alpha1.ReportSubject{Kind: "DevPipelineRun", Name: v1alpha1.ObjectName(run.Name), UID: string(run.UID)},
	}
}
