package pipeline

import (
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/engine"
)

// everything is a driver that can do all there is.
var everything = Driver{
	Serves: engine.Driver{
		Needs:    []engine.Need{engine.NeedDelete, engine.NeedMkdir, engine.NeedRename},
		Modes:    []engine.Mode{engine.InPlace, engine.Filter, engine.Delta},
		Accesses: []engine.Access{engine.Mount, engine.Facade},
		Images:   true,
	},
	Publishes: true,
}

const bloom = `
mode: Apply
source:
  git: {url: https://git.example.com/team-a/web.git, ref: {branch: main}, secretRef: {name: web-git}}
dependencies:
  image: registry.example.com/fixers/node:22
  command: [npm, ci, --ignore-scripts]
  inputs: [package.json, package-lock.json]
workspace:
  acquire: ["src/**/*.ts", "src/**/*.css", "package.json"]
  exclude: ["**/node_modules/**", "**/.git/**", "src/vendor/**"]
  bounds: {maxFiles: 5000, maxBytesPerFile: 1Mi, maxTotalBytes: 64Mi, maxDepth: 20}
  mimeTypes: {filenames: {BUILD: text/plain}, extensions: {tmpl: text/plain}}
  volume: {size: 2Gi, storageClassName: fast, accessModes: [ReadWriteOnce]}
policy: {read: {allow: ["**"]}, write: {allow: ["src/**", "package.json"], deny: ["src/vendor/**"]}}
engines: [{ref: eslint}, {ref: prettier, scope: ["src/**"], args: [--log-level, warn]}, {ref: tsc}]
steps:
- {name: agent,  blocks: {messageFrom: {configMapKeyRef: {name: turn-17, key: message}}}}
- {name: bump,   edit: {path: package.json, edits: [{find: '"1.0.0"', replace: '"1.1.0"'}]}}
- {name: save,   write: {}}
- {name: rename, run: {image: registry.example.com/fixers/codemod:1, command: [codemod], scope: ["src/**/*.ts"], needs: [rename, delete], deadline: 20m}}
- {name: fix,    lint: {fix: true, paths: ["src/**/*.ts"]}}
- {name: format, gates: {mode: Always}, format: {}}
- {name: types,  check: {}}
gates: {mode: Never}
containment: Prefer
publish: {git: {branch: fettle/web, commit: {message: "style: format"}, signing: {secretRef: {name: web-signing}}}}
timeout: 30m
retry: {limit: 2}
`

const engines = `
- metadata: {name: eslint}
  spec:
    image: registry.example.com/fixers/eslint:10
    versionCommand: [eslint, --version]
    lints:
    - extensions: [js, jsx, ts, tsx]
      mode: InPlace
      access: Mount
      writes: InPlace
      fixable: true
      scope: ["**/*.js", "**/*.jsx", "**/*.ts", "**/*.tsx"]
      needs: []
      command: [eslint, --format, json]
      fixArgs: [--fix]
      paths: {as: Arguments, separator: "--"}
      exitCodes: {findings: [1]}
      diagnostics: {format: ESLintJSON}
      deadline: 10m
      resources: {requests: {cpu: 500m, memory: 512Mi}, limits: {memory: 2Gi}}
- metadata: {name: prettier, uid: u-1, generation: 3}
  spec:
    image: registry.example.com/fixers/prettier:3
    network: Allowed
    formats:
    - extensions: ["*"]
      mode: InPlace
      scope: ["**/*.ts", "**/*.css"]
      command: [prettier, --write]
    - extensions: [md]
      mode: Filter
      generates: false
      command: [prettier, --stdin-filepath, x.md]
- metadata: {name: tsc}
  spec:
    image: registry.example.com/fixers/tsc:5
    checks:
    - extensions: [ts]
      command: [tsc, --noEmit]
      paths: {as: None}
      diagnostics: {format: TSC, stream: Stdout}
`

// read decodes a manifest's part strictly.
func read[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := yaml.UnmarshalStrict([]byte(text), &v); err != nil {
		t.Fatalf("read the fixture: %v", err)
	}
	return v
}

// resolved is the pipeline above, changed, with the engines above.
func resolved(t *testing.T, change func(*v1alpha1.DevPipelineSpec)) Resolved {
	t.Helper()
	spec := read[v1alpha1.DevPipelineSpec](t, bloom)
	if change != nil {
		change(&spec)
	}
	r, err := Resolve(spec, Published{Engines: read[[]v1alpha1.DevEngine](t, engines)})
	if err != nil {
		t.Fatalf("Resolve: %v", err)
	}
	return r
}
