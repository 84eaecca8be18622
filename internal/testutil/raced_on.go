//go:build race

package testutil

const raced = true
