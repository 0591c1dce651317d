package pods

import (
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/fettle-dev/fettle/internal/outcome"
)

// ShimPath is where a fixer container finds the shim.
const ShimPath = BinDir + "/fettle-shim"

// workspace is the sidecar. It is the first container: the kubelet starts the next one
// only after its postStart hook has brought the shim.
func (b *builder) workspace() corev1.Container {
	c := corev1.Container{
		Name:            Workspace,
		Image:           b.Image,
		ImagePullPolicy: b.PullPolicy,
		Command:         b.command(),
		Env:             environment(),
		VolumeMounts:    b.workspaceMounts(),
		Resources:       b.Sidecar,
		SecurityContext: containerSecurity(),
	}
	if b.tool != nil {
		c.Lifecycle = &corev1.Lifecycle{PostStart: &corev1.LifecycleHandler{
			Exec: &corev1.ExecAction{Command: []string{"fettle", "sidecar", "--copy-shim", BinDir}},
		}}
	}
	return c
}

func (b *builder) command() []string {
	c := []string{
		"fettle", "sidecar", "--namespace", b.Run.Namespace, "--run", b.Run.Name,
		"--attempt", strconv.Itoa(int(b.Attempt)),
	}
	if tree := b.treeFlag(); tree != "" {
		c = append(c, "--tree", tree)
	}
	if outcome.IsInvocation(b.Entry) {
		return append(c, "--invocation", b.Entry)
	}
	return append(c, "--"+b.Entry)
}

// fixer is the tool's container.
func (b *builder) fixer() corev1.Container {
	return corev1.Container{
		Name:            Fixer,
		Image:           b.tool.image,
		Command:         append([]string{ShimPath, "--"}, literal(b.tool.command)...),
		WorkingDir:      b.workingDir(),
		Env:             append(environment(), corev1.EnvVar{Name: "FETTLE_DEPS", Value: DepsDir}),
		VolumeMounts:    b.fixerMounts(),
		Resources:       b.resources(),
		SecurityContext: containerSecurity(),
	}
}

// literal escapes what a kubelet would take for the name of a variable.
func literal(command []string) []string {
	escaped := make([]string, len(command))
	for i, arg := range command {
		escaped[i] = strings.ReplaceAll(arg, "$(", "$$(")
	}
	return escaped
}

func (b *builder) workingDir() string {
	if b.tool.mounts {
		return TreeDir
	}
	return TmpDir
}

// environment points what a program writes beside the tree at its private directories.
// The shim gives the tool an environment of its own made of these.
func environment() []corev1.EnvVar {
	return []corev1.EnvVar{
		{Name: "HOME", Value: HomeDir},
		{Name: "TMPDIR", Value: TmpDir},
		{Name: "XDG_CACHE_HOME", Value: HomeDir + "/.cache"},
	}
}
