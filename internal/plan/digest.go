package plan

import (
	"github.com/fettle-dev/fettle/internal/engine"
	"github.com/fettle-dev/fettle/internal/gate"
)

// Digest returns "sha256:" and the hex SHA-256 of the canonical JSON of the steps, their
// gates and the engines that serve them: an approval that names it is for these tools and
// these command lines, not only for the names of steps (spec §10.2).
func Digest(p Plan, engines *engine.Registry) (string, error) {
	doc := struct {
		Steps   []Step      `json:"steps"`
		Gates   GateMode    `json:"gates"`
		Engines []engineDoc `json:"engines"`
	}{Steps: p.Steps, Gates: p.Gates}
	for _, e := range engines.Engines() {
		doc.Engines = append(doc.Engines, engineDoc{e, capabilityDocs(e.Formats), capabilityDocs(e.Lints), capabilityDocs(e.Checks)})
	}
	return gate.Digest(doc)
}

// engineDoc is an engine whose scopes show in JSON.
type engineDoc struct {
	engine.Engine
	Formats, Lints, Checks []capabilityDoc
}

type capabilityDoc struct {
	engine.Capability
	Scope []string
}

func capabilityDocs(list []engine.Capability) []capabilityDoc {
	docs := make([]capabilityDoc, 0, len(list))
	for _, c := range list {
		docs = append(docs, capabilityDoc{c, c.Scope.Strings()})
	}
	return docs
}
