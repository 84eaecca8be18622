// Package kit has what tests of several folders share: tables with their rows, the grants of their
// programs, and ways to run them.
package kit
