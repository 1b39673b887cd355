// Package matrix runs a plan of many tests in a fair order and keeps every
// finished run on disk: what the cases are, in which order they run, and how
// an interrupted plan goes on.
//
// It knows nothing of statistics or rendering, and not how a test is made:
// the caller's [Env] turns a case into a run.
package matrix
