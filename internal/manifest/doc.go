// Package manifest loads manifests of the group fettle.dev and validates them offline as
// an API server would: with the schemas, defaults and CEL rules of config/crd, by the API
// server's own libraries and under strict field validation. A manifest that loads here is
// one that a cluster accepts, and one that doesn't is refused in the same words, with file
// and line beside them.
//
// It refuses unknown and duplicate keys, wrong types, values out of bounds and broken
// rules, all of them at once in one error. Objects of other groups are set aside unread.
//
// It never touches a repository, a cluster or an object once it is loaded; it reads the
// files it is told to. Schemas are parsed and rules compiled only for the kinds, and of
// those only for the fields, that occur in the input: compiling everything would cost more
// than a run on a small tree.
package manifest
