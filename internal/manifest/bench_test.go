package manifest

import (
	"testing"
)

// BenchmarkLoad is what each kind costs from bytes to objects, schema and rules included:
// nothing is kept between loads.
func BenchmarkLoad(b *testing.B) {
	for _, name := range []string{"minimal.yaml", "pipeline.yaml", "engine.yaml", "policy.yaml", "run.yaml"} {
		b.Run(name, func(b *testing.B) {
			in := example(b, name)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Load(b.Context(), in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSchema is what it costs to load a kind's schema alone.
func BenchmarkSchema(b *testing.B) {
	for _, kind := range kinds() {
		b.Run(kind, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := loadSchema(schemaFile(kind)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
