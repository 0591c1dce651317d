// Package transaction settles a model's message as one transaction: all of its file
// blocks are published or none is, and a report says what happened (spec/blocks.md).
//
// A host makes a Service and gives it messages:
//
//	s, err := transaction.New(transaction.Defaults(), transaction.WithPolicy(transaction.AllowAll))
//	report, err := s.Commit(ctx, transaction.Message{Agent: "planner", Session: session, ID: "17", Parts: []string{text}})
//	if report != nil {
//		tell(s.Feedback(report))
//	}
//
// Where files live is the business of a Backend (its comment is the manual for writing
// one). Without one a scope is a directory: the Git backend keeps what is published in
// a bare repository beside it and writes it to the directory.
//
// The package refuses what was computed from something other than what is true now:
// every file that a message writes was observed by its agent at some version, and if
// that isn't the current one, nothing is written and the current content is shown. It
// never runs anything of a repository's, never follows a link and never falls back from
// one backend to another.
package transaction
