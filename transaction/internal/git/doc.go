// Package git is what a transaction needs of a bare repository of its own: objects,
// trees and refs, by way of the git program (block transaction spec §§ 12.1-12.6).
//
// Objects are read through one long-lived cat-file and written as one pack for each
// batch, so a transaction costs a handful of processes. Refs move by git's own
// compare-and-swap and nothing else.
//
// Nothing that a repository holds is run or obeyed: every call has an environment of
// its own (Environ) and no hooks; of a repository's configuration only the exact text
// that Create writes is accepted; no path is ever given to git, so no attribute, filter
// or pattern can mean anything. It never touches a work tree.
package git
