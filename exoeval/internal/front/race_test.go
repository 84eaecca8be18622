//go:build race

package exoeval

// raced is how many times larger the race detector makes frames of the stack.
const raced = 3
