//go:build !unix

package repl

// keysWait is false: on this system it is not known whether keys wait.
func keysWait() bool { return false }
