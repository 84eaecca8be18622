package scalar

import (
	"strings"
	"testing"
)

func TestReservedName(t *testing.T) {
	for _, n := range []string{"", "then", "__proto__", "constructor", "prototype", "toJSON", "a b", "a-b", "1a", "a.b", "日本", "a\x00", "a\xff", "a" + strings.Repeat("b", 100)} {
		if !ReservedName(n) {
			t.Errorf("%q can be a name", n)
		}
	}
	for _, n := range []string{"a", "_", "$x", "é", "a1", "Then"} {
		if ReservedName(n) {
			t.Errorf("%q is reserved", n)
		}
	}
}
