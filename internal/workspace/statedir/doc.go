// Package statedir keeps the state of one run in a directory, so that another process
// goes on where one stopped (runtime spec §16.6, §21).
//
// It holds a pack of the run's bytes, an index (the checkpoint of workspace, baselines
// and place in the plan) and a journal (the one operation that is under way). Each is
// old or new after a kill, never a mixture; what is cut, corrupted or of another
// version is refused by name and never guessed at. It never touches the tree: what an
// open journal entry means for it is persist's and reread's to say.
package statedir
