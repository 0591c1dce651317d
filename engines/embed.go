// Package engines holds the manifests of the engines that come with Fettle: gofmt,
// prettier, eslint and tsc. A pipeline that runs on a machine finds them by name without
// a cluster; in a cluster they are applied like any other.
//
// It holds text and does nothing with it.
package engines

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

//go:embed *.yaml
var files embed.FS

// Manifest is the text of a DevEngine object in YAML.
type Manifest struct {
	Name string // of the object, and of its file without ".yaml"
	Data []byte
}

// Manifests returns the manifests of all engines, sorted by name.
func Manifests() ([]Manifest, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("embedded engines: %w", err)
	}
	var all []Manifest
	for _, e := range entries {
		data, err := files.ReadFile(e.Name())
		if err != nil {
			return nil, fmt.Errorf("embedded engines: %w", err)
		}
		all = append(all, Manifest{Name: strings.TrimSuffix(e.Name(), path.Ext(e.Name())), Data: data})
	}
	return all, nil
}
