package text

import (
	"testing"

	"github.com/fettle-dev/fettle/internal/fault"
)

func TestExtensionGroupOfAPath(t *testing.T) {
	for path, want := range map[string]string{
		".eslintrc": "", ".eslintrc.json": "json", "A.TS": "ts", "Makefile": "", "a.": "", "x.d/Makefile": "", "x/.env": "",
		"a.tar.GZ": "gz", "a.b.": "",
	} {
		if got := Group(path); got != want {
			t.Errorf("%q: got %q; want %q", path, got, want)
		}
	}
}

func TestOverridesAreValidated(t *testing.T) {
	tests := []struct {
		name      string
		overrides Overrides
		wantPath  string
	}{
		{"a filename with a directory", Overrides{Filenames: map[string]string{"a/b": Plain}}, "mimeTypes.filenames.a/b"},
		{"an empty filename", Overrides{Filenames: map[string]string{"": Plain}}, "mimeTypes.filenames."},
		{"an extension in capitals", Overrides{Extensions: map[string]string{"TS": Plain}}, "mimeTypes.extensions.TS"},
		{"an extension with a dot", Overrides{Extensions: map[string]string{".ts": Plain}}, "mimeTypes.extensions..ts"},
		{"an empty extension", Overrides{Extensions: map[string]string{"": Plain}}, "mimeTypes.extensions."},
		{"a type without subtype", Overrides{Extensions: map[string]string{"x": "text"}}, "mimeTypes.extensions.x"},
		{"a type with an empty subtype", Overrides{Extensions: map[string]string{"x": "text/"}}, "mimeTypes.extensions.x"},
		{"an empty type", Overrides{Filenames: map[string]string{"x": ""}}, "mimeTypes.filenames.x"},
		{"a broken parameter", Overrides{Filenames: map[string]string{"x": "text/plain; charset"}}, "mimeTypes.filenames.x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewTypes(tt.overrides)
			e := fault.As(err)
			if e == nil || e.Kind != fault.InvalidPipeline || e.Reason != fault.ReasonType || e.Path != tt.wantPath || e.Hint == "" {
				t.Errorf("got %v; want InvalidPipeline (type) at %q with a hint", err, tt.wantPath)
			}
		})
	}
}

func TestOverridesAreCopied(t *testing.T) {
	extensions := map[string]string{"x": Plain}
	types := mustTypes(t, Overrides{Extensions: extensions})
	delete(extensions, "x")
	if _, ok := types.Resolve("a.x"); !ok {
		t.Errorf("a later change of the caller's map took effect")
	}
}

func TestNonTextualTypesAreMappedAndRefused(t *testing.T) {
	types := mustTypes(t, Overrides{})
	for _, ext := range []string{
		"avif", "doc", "docx", "flac", "gif", "jpeg", "jpg", "mp3", "ogg", "pdf", "png", "ppt", "pptx", "rtf", "tif", "tiff",
		"wav", "webp", "xls", "xlsx",
	} {
		value, ok := types.lookup("a." + ext)
		if !ok || Textual(value) {
			t.Errorf("%s: got %q, %v; want a type that isn't textual", ext, value, ok)
		}
	}
}

func TestNamesOfEveryLanguageAreOrdinary(t *testing.T) {
	types := mustTypes(t, Overrides{})
	for _, path := range []string{"constructor", "a.constructor", "__proto__", "a.__proto__", "", "a/", ".", "a.toString"} {
		if value, ok := types.Resolve(path); ok {
			t.Errorf("%q: got %q; want it unmapped", path, value)
		}
	}
}

func BenchmarkResolve(b *testing.B) {
	types := mustTypes(b, Overrides{})
	b.ReportAllocs()
	for b.Loop() {
		types.Resolve("src/app/components/button.component.ts")
	}
}
