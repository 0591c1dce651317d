// Package crd embeds the generated CustomResourceDefinitions of the group fettle.dev, so
// that manifests can be validated without an API server by what an API server is given.
//
// It holds files only: it parses nothing.
package crd

import "embed"

// Bases holds bases/fettle.dev_<plural>.yaml, one definition a file, as an API server is
// given them.
//
//go:embed bases/*.yaml
var Bases embed.FS

// Schemas holds schemas/fettle.dev_<plural>.json: the same definitions without
// descriptions, for quick loading.
//
//go:embed schemas/*.json
var Schemas embed.FS
