//go:build !linux

package control

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if Child() {
		return
	}
	os.Exit(m.Run())
}
