// Package kit has what tests of several folders share: tables with their rows, the grants of their programs, and how they are run.
//
// In: a database that a test has opened. Out: grants, answers and rows as texts. Only tests import it.
package kit
