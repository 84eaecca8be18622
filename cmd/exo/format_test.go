package main

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/cli"
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

// TestWriteChart: numbers by a name are drawn; of anything else there is the table, and why.
func TestWriteChart(t *testing.T) {
	for _, c := range []struct{ result, out, err string }{
		{`[{"kind":"tool","n":1},{"kind":"toy","n":2}]`, "n by kind\ntool  1  ███████████████████████████████████▌\ntoy   2  ███████████████████████████████████████████████████████████████████████\n", ""},
		{`[{"kind":"tool","n":1}]`, "kind  n\ntool  1\n", "no chart: the result is not a list of at least two rows\n"},
	} {
		var out, err strings.Builder
		if e := writeChart(cli.Stdio{Out: &out, Err: &err}, []byte(c.result)); e != nil || out.String() != c.out || err.String() != c.err {
			t.Errorf("%s: %v\n%s%s", c.result, e, out.String(), err.String())
		}
	}
}
