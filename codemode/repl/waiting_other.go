//go:build !unix

package repl

// keysWait returns false: this system can't report whether keys wait.
func keysWait() bool { return false }
