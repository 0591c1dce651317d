package pods

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

const (
	fromConfigMap = `configMap: {name: demo-files, items: [{key: app.ts, path: src/app.ts}, {key: dotfile, path: .prettierrc}]}`
	fromClaim     = `persistentVolumeClaim: {claimName: checkout, path: src/web}`
)

// read parses YAML as an API server would, but for defaults.
func read[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := yaml.UnmarshalStrict([]byte(text), &v); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return v
}

// aRun is a run of a pipeline with a lint, a format and a check, and a codemod.
func aRun(t *testing.T, source string, change ...func(*v1alpha1.DevPipelineRun)) *v1alpha1.DevPipelineRun {
	run := read[v1alpha1.DevPipelineRun](t, `
metadata: {name: web-5b0e4c1f2a, namespace: team-a, uid: 7d1c0a52-9f6e-4c7b-8a55-0d7c3f6e9b10}
spec:
  pipelineRef: {name: web, uid: 2f9b6a1e-1c3d-4e5f-8a7b-9c0d1e2f3a4b, generation: 3}
  plan:
    mode: Apply
    timeout: 30m
    source:
      `+source+`
    workspace: {acquire: ["**/*.ts"], volume: {size: 3Gi, storageClassName: fast, accessModes: [ReadWriteOnce]}}
    steps:
    - {name: fix, lint: {fix: true}}
    - {name: look, lint: {}}
    - {name: format, format: {}}
    - {name: types, check: {}}
    - {name: rename, run: {image: "registry.example.com/codemod:1", command: [codemod], args: [-v], scope: ["**"], resources: {limits: {memory: 4Gi}}}}
    - {name: save, write: {}}
  engines:
  - name: eslint
    args: [--quiet]
    spec:
      image: registry.example.com/eslint:10
      lints:
      - {extensions: [ts], mode: InPlace, scope: ["**"], fixable: true, command: [eslint, --format, json], fixArgs: [--fix], resources: {requests: {cpu: 500m, memory: 512Mi}, limits: {memory: 2Gi}}}
  - name: prettier
    resources: {requests: {memory: 2Gi}}
    spec:
      image: registry.example.com/prettier:3
      formats:
      - {extensions: [css], mode: InPlace, access: Facade, scope: ["**"], command: [prettier-facade]}
      - {extensions: [ts], mode: InPlace, scope: ["**"], command: [prettier, --write], resources: {limits: {memory: 9Gi}}}
  - name: tsc
    spec: {image: "registry.example.com/tsc:5", checks: [{extensions: [ts], command: [tsc, --noEmit]}]}
  policies: [{write: {allow: ["**"]}}]
`)
	for _, c := range change {
		c(&run)
	}
	return &run
}

func config() Config {
	return Config{
		Image: "registry.example.com/fettle:1", Identity: &Identity{User: 65532, Group: 65532},
		Sidecar: DefaultSidecar(), Fixer: DefaultFixer(),
	}
}

// request is one that a controller makes.
func request(run *v1alpha1.DevPipelineRun, entry string, next *v1alpha1.NextInvocation) Request {
	return Request{Run: run, Entry: entry, Attempt: 1, Invocation: next, Claim: ClaimName(run, "")}
}

// golden compares an object, as YAML, with a file of testdata. UPDATE_GOLDEN=1 writes it.
func golden(t *testing.T, name string, objects ...any) {
	t.Helper()
	var got []byte
	for i, o := range objects {
		text, err := yaml.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			got = append(got, "---\n"...)
		}
		got = append(got, text...)
	}
	file := filepath.Join("testdata", name+".yaml")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: run the test with UPDATE_GOLDEN=1 and look at what it writes", err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s (-want +got):\n%s", file, cmp.Diff(string(want), string(got)))
	}
}
