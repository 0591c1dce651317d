package pods

import (
	"path"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/fettle-dev/fettle/internal/outcome"
)

// Where things are mounted.
const (
	WorkspaceDir = "/workspace"
	TreeDir      = "/workspace/tree"
	DepsDir      = "/workspace/node_modules" // where Node and its like look from the tree upwards
	StateDir     = "/workspace/state"
	SourceDir    = "/source"
	BinDir       = "/fettle/bin"
	RunDir       = "/fettle/run"
	HomeDir      = "/home/fettle"
	TmpDir       = "/tmp"
	TokenDir     = "/var/run/secrets/fettle"
)

// Folders of a run's own claim.
const (
	treeFolder  = "tree"
	depsFolder  = "deps"
	stateFolder = "state"
)

// Names of the volumes.
const (
	claimVolume  = "claim"
	sourceVolume = "source"
	binVolume    = "bin"
	runVolume    = "run"
	tokenVolume  = "token"
)

// Sizes of what containers write beside the tree.
const (
	binSize  = "32Mi"
	runSize  = "16Mi"
	homeSize = "1Gi"
	tmpSize  = "1Gi"
)

// tokenSeconds is how long a token lives; the kubelet renews it.
const tokenSeconds = 3600

func (b *builder) volumes() []corev1.Volume {
	v := []corev1.Volume{claim(claimVolume, b.Claim)}
	switch source := b.Run.Spec.Plan.Source; {
	case b.mountsSourceClaim():
		v = append(v, claim(sourceVolume, string(source.PersistentVolumeClaim.ClaimName)))
	case source.ConfigMap != nil && b.Entry == outcome.Prepare:
		v = append(v, b.configMap())
	}
	if b.talks() {
		v = append(v, token())
	}
	if b.tool != nil {
		v = append(v, empty(binVolume, binSize), empty(runVolume, runSize))
	}
	for _, c := range b.containerNames() {
		v = append(v, empty(c+"-home", homeSize), empty(c+"-tmp", tmpSize))
	}
	return v
}

// talks says whether the sidecar talks to the API server.
func (b *builder) talks() bool { return b.Entry != outcome.Folders }

func (b *builder) containerNames() []string {
	if b.tool == nil {
		return []string{Workspace}
	}
	return []string{Workspace, Fixer}
}

func claim(name, claimName string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claimName},
	}}
}

func empty(name, size string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
		EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: new(resource.MustParse(size))},
	}}
}

// configMap mounts the files of a source. A ConfigMap or key that isn't there holds up the
// Pod until it is.
func (b *builder) configMap() corev1.Volume {
	source := b.Run.Spec.Plan.Source.ConfigMap
	mounted := &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: string(source.Name)}}
	for _, item := range source.Items {
		mounted.Items = append(mounted.Items, corev1.KeyToPath{Key: item.Key, Path: string(item.Path)})
	}
	return corev1.Volume{Name: sourceVolume, VolumeSource: corev1.VolumeSource{ConfigMap: mounted}}
}

// token is the ServiceAccount's, with what is needed to reach the API server.
func token() corev1.Volume {
	return corev1.Volume{Name: tokenVolume, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
		Sources: []corev1.VolumeProjection{
			{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token", ExpirationSeconds: new(int64(tokenSeconds))}},
			{ConfigMap: &corev1.ConfigMapProjection{
				LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"},
				Items:                []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}},
			}},
			{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{
				{Path: "namespace", FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"}},
			}}},
		},
	}}}
}

// workspaceMounts are those of the sidecar.
func (b *builder) workspaceMounts() []corev1.VolumeMount {
	var m []corev1.VolumeMount
	if b.whole() {
		m = append(m, corev1.VolumeMount{Name: claimVolume, MountPath: WorkspaceDir})
		switch {
		case b.mountsSourceClaim():
			m = append(m, corev1.VolumeMount{Name: sourceVolume, MountPath: SourceDir, ReadOnly: !InPlace(b.Run)})
		case b.Run.Spec.Plan.Source.ConfigMap != nil && b.Entry == outcome.Prepare:
			m = append(m, corev1.VolumeMount{Name: sourceVolume, MountPath: SourceDir, ReadOnly: true})
		}
	} else {
		m = append(m, b.tree(false), deps(), corev1.VolumeMount{Name: claimVolume, MountPath: StateDir, SubPath: stateFolder})
	}
	if b.talks() {
		m = append(m, corev1.VolumeMount{Name: tokenVolume, MountPath: TokenDir, ReadOnly: true})
	}
	if b.tool != nil {
		m = append(m, corev1.VolumeMount{Name: binVolume, MountPath: BinDir}, corev1.VolumeMount{Name: runVolume, MountPath: RunDir})
	}
	return append(m, private(Workspace)...)
}

// fixerMounts are those of the tool: nothing of state/, no token.
func (b *builder) fixerMounts() []corev1.VolumeMount {
	var m []corev1.VolumeMount
	if b.tool.mounts {
		m = append(m, b.tree(b.tool.readOnly), deps())
	}
	m = append(m, corev1.VolumeMount{Name: binVolume, MountPath: BinDir, ReadOnly: true}, corev1.VolumeMount{Name: runVolume, MountPath: RunDir})
	return append(m, private(Fixer)...)
}

func (b *builder) tree(readOnly bool) corev1.VolumeMount {
	if source := b.sourceClaim(); InPlace(b.Run) {
		return corev1.VolumeMount{Name: sourceVolume, MountPath: TreeDir, SubPath: string(source.Path), ReadOnly: readOnly}
	}
	return corev1.VolumeMount{Name: claimVolume, MountPath: TreeDir, SubPath: treeFolder, ReadOnly: readOnly}
}

func deps() corev1.VolumeMount {
	return corev1.VolumeMount{Name: claimVolume, MountPath: DepsDir, SubPath: depsFolder, ReadOnly: true}
}

// private are the writable directories of one container.
func private(container string) []corev1.VolumeMount {
	return []corev1.VolumeMount{
		{Name: container + "-home", MountPath: HomeDir},
		{Name: container + "-tmp", MountPath: TmpDir},
	}
}

// treeFlag is where the sidecar finds the tree, "" where it is at TreeDir.
func (b *builder) treeFlag() string {
	if !b.whole() || !b.mountsSourceClaim() || !InPlace(b.Run) {
		return ""
	}
	return path.Join(SourceDir, string(b.sourceClaim().Path))
}
