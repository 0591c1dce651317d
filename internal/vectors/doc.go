// Package vectors runs the executable examples of the specification that need several
// packages at once: acquisition, text steps, write steps, re-reads and accounting
// (runtime spec §22). It holds tests only.
package vectors
