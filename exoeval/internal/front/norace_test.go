//go:build !race

package front

const raced = 1
