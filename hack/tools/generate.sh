#!/bin/sh
# Regenerates what is made from api/v1alpha1: deep copies, CustomResourceDefinitions, their
# compact form for offline validation, and the API reference. Run it from anywhere.
set -eu
cd "$(dirname "$0")/../.."
bin=$PWD/bin
mkdir -p "$bin"
go build -C hack/tools -o "$bin/" sigs.k8s.io/controller-tools/cmd/controller-gen ./crdschema ./apiref

"$bin/controller-gen" object paths=./api/v1alpha1
rm -rf config/crd/bases config/crd/schemas
"$bin/controller-gen" crd paths=./api/v1alpha1 output:crd:dir=config/crd/bases
"$bin/crdschema" -out config/crd/schemas config/crd/bases/*.yaml
mkdir -p docs/reference
base=config/crd/bases/fettle.dev
"$bin/apiref" -out docs/reference/api.md "${base}_devpipelines.yaml" "${base}_devengines.yaml" \
	"${base}_devpolicies.yaml" "${base}_devpipelineruns.yaml" "${base}_devpipelinereports.yaml"
