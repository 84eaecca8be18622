//go:build race

package front

// raced is how many times larger the race detector makes frames of the stack.
const raced = 3
