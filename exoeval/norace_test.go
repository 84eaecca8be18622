//go:build !race

package exoeval

const raced = 1
