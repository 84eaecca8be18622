package realm

import (
	"testing"

	"github.com/dop251/goja"
)

// TestLongTextsAreNotRead: a search among a million long texts is one step of the engine, which no limit of time interrupts.
func TestLongTextsAreNotRead(t *testing.T) {
	v, err := goja.New().RunString("'9'.repeat(100000) + 'ü'")
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(10, func() {
		if _, ok := canonical(v); ok {
			t.Error("it is a decimal")
		}
	}); n != 0 {
		t.Errorf("%v allocations: the text was read", n)
	}
}
