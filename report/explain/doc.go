// Package explain says in words what the result of a test and the records of
// its two ends together mean: a [Finding] is one sentence, the numbers it
// rests on, and what to do.
//
// The rules stand in one table, one function each, in files by subject. Three
// things hold for all of them. What is not known says nothing: a rule whose
// facts are null does not fire, except the few that are about the null.
// A sentence states facts; what something costs is said only if it was
// measured here or published, and as such. And the facts of the other end are
// data from a stranger: nothing of it reaches a terminal unprintable, or a
// command to type unquoted.
//
// It knows neither how facts were learnt nor how results are shown, and asks
// nobody: the same input gives the same findings.
package explain
