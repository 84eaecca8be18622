//go:build !unix

package repl

// keysWait is not known here: what one read gave is all that is looked at.
func keysWait() bool { return false }
