// Package blocks turns a model's message into the files it wants to write.
//
// A message is prose with fenced code blocks. A fence that names a file is a block:
//
//	```go file=pkg/limit.go mode=create
//	package queue
//	```
//
// All blocks of one message are one transaction: either every one of them is
// published or none, and the answer says why and shows what is true now. This
// package is the pure half of that: bytes in, values out. The order of a
// transaction is the order of its functions:
//
//	Parse            the text to blocks, errors and near misses          (§§ 2, 3)
//	Validate         blocks to targets: paths, attributes, limits        (§§ 4, 5)
//	ResolveAll       blocks and observed bytes to full content           (§§ 6-9)
//	ValidateResolved final sizes                                         (§ 5.5)
//	Report, Feedback what happened, for programs and for the model       (§§ 16-19)
//	Prompt           what a model must be told to write blocks           (§ 24)
//
// Section numbers are those of the block transaction specification, spec/blocks.md.
//
// The package refuses whatever the specification does not allow and never guesses: a
// path is judged and never cleaned, an edit applies exactly or not at all, and bytes
// that an edit does not name are never touched. It never opens a file, runs a
// program, asks a clock or a network, and depends on nothing but the standard
// library. Texts it returns never contain a write: Parse of a Feedback finds nothing.
//
// Contents are byte slices in which nil means that the file does not exist; an empty
// file is an empty slice that is not nil.
package blocks
