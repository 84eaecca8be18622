package main

import (
	"strings"
	"testing"
)

func TestWriteResult(t *testing.T) {
	for _, c := range []struct{ form, result, want string }{
		{"json", `[1]`, "[1]\n"},
		{"jsonl", `[{"a": 1}, 2]`, "{\"a\":1}\n2\n"},
		{"jsonl", `7`, "7\n"},
		{"csv", `[{"b":"x,y","a":1},{"a":null,"c":[1]}]`, "b,a,c\n\"x,y\",1,\n,,[1]\n"},
		{"csv", `[1,"two"]`, "value\n1\ntwo\n"},
		{"table", `[{"id":1,"name":"Ann"},{"id":20,"name":"a\nb"}]`, "id  name\n1   Ann\n20  a\\u000ab\n"},
		{"table", `{"n":3}`, "n\n3\n"},
		{"table", `[]`, "\n"},
	} {
		var b strings.Builder
		if err := writeResult(&b, c.form, []byte(c.result)); err != nil || b.String() != c.want {
			t.Errorf("%s of %s: %q %v, want %q", c.form, c.result, b.String(), err, c.want)
		}
	}
}
