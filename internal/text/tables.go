package text

import "strings"

// Plain is the type of the names and extensions that have no type of their own.
const Plain = "text/plain"

// plainNames are the whole file names of spec §3.7.
const plainNames = `
.ackrc .babelrc .bazelignore .bazelrc .bazelversion .browserslistrc .buckconfig .clang-format .clang-tidy .clangd .coveragerc
.curlrc .dockerignore .editorconfig .env .env.example .envrc .eslintignore .eslintrc .flake8 .gitattributes .gitignore .gitkeep
.gitmodules .go-version .helmignore .htaccess .ignore .inputrc .keep .mailmap .markdownlintrc .node-version .npmignore .npmrc .nvmrc
.prettierignore .prettierrc .pylintrc .python-version .rgignore .ruby-version .sourceignore .stylelintignore .stylelintrc .swcrc
.terraform-version .tool-versions .vimrc .yamllint .yarnrc AUTHORS Appfile BSDmakefile BUILD BUILD.bazel Brewfile CHANGELOG CHANGES
CMakeLists.txt CODEOWNERS CONTRIBUTORS COPYING Caddyfile Capfile Cargo.lock Containerfile Dangerfile Dockerfile Earthfile Fastfile
GNUmakefile Gemfile Guardfile INSTALL Jenkinsfile Justfile Kbuild Kconfig LICENCE LICENSE MAINTAINERS MODULE.bazel Makefile NEWS
NOTICE OWNERS OWNERS_ALIASES PATENTS Pipfile Podfile Procfile README Rakefile SConscript SConstruct Snakefile TODO Tiltfile VERSION
Vagrantfile WORKSPACE WORKSPACE.bazel configure.ac go.mod go.sum go.work go.work.sum gradlew justfile makefile meson.build mvnw
`

// plainExtensions are the extensions of text/plain of spec §3.7.
const plainExtensions = `
ac ada adb adoc ads agda am asc asciidoc asm astro avdl awk bash bat bazel bib bicep bzl c c++ cabal capnp cbl cc cedar cfg cjs cl
clj cljc cljs cls cmake cmd cnf cob coffee conf config containerfile cpp cr crt cs csh cson csr css csx cts cu cue cuh cxx d dart
ddl desktop dhall diff dockerfile dockerignore dot dune editorconfig edn eex ejs el elm env erb erl ex example exs f f03 f08 f77 f90
f95 fbs feature fish for frag fs fsi fsx gd gdshader gemspec geom gitattributes gitignore gleam glsl gn gni go gohtml golden gotmpl
gql gradle graphql graphqls groovy gv gvy gyp gypi h h++ haml handlebars hbs hcl heex hh hjson hlsl hpp hrl hs http hx hxx ics idr
in ini inl ipp ispc j2 jade java jinja jinja2 jl js json5 jsonc jsonl jsonlines jsonnet jsx just kak ksh kt ktm kts latex lean leex
less lhs libsonnet liquid lisp list lock log lpr lsp lst lua m m4 mak make manifest mdx mermaid metal mf mjs mk ml mli mll mly mm
mmd mod mount mts mustache ndjson nfo nim nims ninja nix njk nomad nu odin opam org pas patch pcss pem php phtml pkl pl plantuml pm
po pod podspec postcss pot pp prisma properties proto ps1 psd1 psm1 psql pub pug puml purs pxd py pyi pyw pyx r rake raku rakumod rb
rdoc re rego rei rej rest rkt rmd robot rs rst rules s sample sass sbt sc scala scm scss sed service sh sky slim sln snap socket sol
sql srt star sty styl sum sv svelte svh svi swift t tcl tcsh template tex text textile tf tfvars thrift timer tmpl toml tpl tpp tres
ts tscn tsx twig txt txtar v vb vcf vert vhd vhdl vim vtt vue vy wast wat wgsl wiki work zig zsh
`

// otherExtensions are the extensions of other types of spec §3.7, each line a type and its
// extensions; from image/avif on they aren't textual.
const otherExtensions = `
application/atom+xml atom
application/geo+json geojson
application/json avsc ipynb json map tfstate webmanifest
application/ld+json jsonld
application/rss+xml rss
application/xhtml+xml xhtml
application/xml csproj fsproj iml nuspec plist pom props resx storyboard targets vbproj vcxproj wsdl xib xml xsd xsl xslt
application/yaml yaml yml
image/svg+xml svg
text/csv csv
text/html htm html
text/markdown markdown md mdown mkd
text/tab-separated-values tsv
image/avif avif
application/msword doc
application/vnd.openxmlformats-officedocument.wordprocessingml.document docx
audio/flac flac
image/gif gif
image/jpeg jpeg jpg
audio/mpeg mp3
audio/ogg ogg
application/pdf pdf
image/png png
application/vnd.ms-powerpoint ppt
application/vnd.openxmlformats-officedocument.presentationml.presentation pptx
application/rtf rtf
image/tiff tif tiff
audio/vnd.wave wav
image/webp webp
application/vnd.ms-excel xls
application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx
`

func wholeNames() map[string]bool {
	names := map[string]bool{}
	for _, name := range strings.Fields(plainNames) {
		names[name] = true
	}
	return names
}

func extensionTypes() map[string]string {
	types := map[string]string{}
	for _, ext := range strings.Fields(plainExtensions) {
		types[ext] = Plain
	}
	for line := range strings.Lines(otherExtensions) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		for _, ext := range fields[1:] {
			types[ext] = fields[0]
		}
	}
	return types
}
