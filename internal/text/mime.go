package text

import (
	"fmt"
	"maps"
	"mime"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/internal/fault"
)

// Overrides are the pipeline's mimeTypes (spec §3.5): by whole base name, and by
// lower-case extension without dot.
type Overrides struct {
	Filenames  map[string]string `json:"filenames,omitempty"`
	Extensions map[string]string `json:"extensions,omitempty"`
}

// Types resolves MIME types by name. It is immutable and safe for concurrent use.
type Types struct {
	names      map[string]bool // tier 1, all text/plain
	overrides  Overrides
	extensions map[string]string // tier 3
}

// NewTypes returns a resolver with these overrides. Errors are *fault.Error of kind
// InvalidPipeline with the reason type, with the key as path.
func NewTypes(overrides Overrides) (*Types, error) {
	for _, name := range slices.Sorted(maps.Keys(overrides.Filenames)) {
		if name == "" || strings.Contains(name, "/") {
			return nil, invalid("filenames", name, "a filename has no directory").WithHint("write the last part of the path only")
		}
		if err := checkType("filenames", name, overrides.Filenames[name]); err != nil {
			return nil, err
		}
	}
	for _, ext := range slices.Sorted(maps.Keys(overrides.Extensions)) {
		if ext == "" || strings.ContainsAny(ext, "./") || strings.ToLower(ext) != ext {
			return nil, invalid("extensions", ext, "an extension is lower-case and has no dot").WithHint("write ts for files that end in .ts or .TS")
		}
		if err := checkType("extensions", ext, overrides.Extensions[ext]); err != nil {
			return nil, err
		}
	}
	return &Types{
		names:      wholeNames(),
		overrides:  Overrides{Filenames: maps.Clone(overrides.Filenames), Extensions: maps.Clone(overrides.Extensions)},
		extensions: extensionTypes(),
	}, nil
}

func checkType(member, key, value string) error {
	mediaType, _, err := mime.ParseMediaType(value)
	if err == nil && strings.Contains(mediaType, "/") {
		return nil
	}
	return invalid(member, key, fmt.Sprintf("%q is no MIME type", value)).WithHint("write type/subtype, as text/plain")
}

func invalid(member, key, rule string) *fault.Error {
	return fault.New(fault.InvalidPipeline, fault.ReasonType, "mimeTypes."+member+"."+key, "%s", rule)
}

// Resolve returns the MIME type of the file path by its name, and true, if that is a
// textual one; a file that no tier maps, or that is mapped to another type, isn't text
// (spec §3.5).
func (t *Types) Resolve(path string) (string, bool) {
	value, ok := t.lookup(path[strings.LastIndexByte(path, '/')+1:])
	if !ok || !Textual(value) {
		return "", false
	}
	return value, true
}

func (t *Types) lookup(base string) (string, bool) {
	if t.names[base] {
		return Plain, true
	}
	if value, ok := t.overrides.Filenames[base]; ok {
		return value, true
	}
	ext := extension(base)
	if ext == "" {
		return "", false
	}
	if value, ok := t.overrides.Extensions[ext]; ok {
		return value, true
	}
	value, ok := t.extensions[ext]
	return value, ok
}

// extension is what follows the last dot of a base name, in lower case; none if that dot
// is its first or last character (spec §3.5).
func extension(base string) string {
	i := strings.LastIndexByte(base, '.')
	if i <= 0 {
		return ""
	}
	return strings.ToLower(base[i+1:])
}

// Group returns the extension group of a path (spec §7.3), "" for a name without dot or
// with a leading one only.
func Group(path string) string { return extension(path[strings.LastIndexByte(path, '/')+1:]) }

// Textual says whether a MIME type, parameters aside, is one of text (spec §3.6).
func Textual(value string) bool {
	value, _, _ = strings.Cut(strings.ToLower(value), ";")
	value = strings.TrimSpace(value)
	switch value {
	case "application/json", "application/yaml", "application/xml", "application/javascript", "application/toml":
		return true
	}
	kind, subtype, _ := strings.Cut(value, "/")
	if subtype == "" {
		return false
	}
	return kind == "text" || strings.HasSuffix(subtype, "+xml") || strings.HasSuffix(subtype, "+json") || strings.HasSuffix(subtype, "+yaml")
}
