package scalar

import (
	"strings"
	"testing"
)

func TestKeyword(t *testing.T) {
	for _, n := range []string{"class", "await", "break", "public"} {
		if !Keyword(n) || ReservedName(n) { // as a column it is in order
			t.Errorf("%q", n)
		}
	}
	for _, n := range []string{"", "classes", "clas", "class_"} {
		if Keyword(n) {
			t.Errorf("%q is a keyword", n)
		}
	}
}

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
