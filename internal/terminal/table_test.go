package terminal

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
)

func record(kv ...any) exo.Value {
	var fs []exo.Field
	for i := 0; i < len(kv); i += 2 {
		fs = append(fs, exo.Field{Name: kv[i].(string), Value: kv[i+1].(exo.Value)})
	}
	return exo.Record(fs...)
}

func TestTable(t *testing.T) {
	long := strings.Repeat("long ", 20)
	for _, tc := range []struct {
		name string
		v    exo.Value
		want string
		rows int
	}{
		{"nested records have dotted names", exo.List(record("a", exo.Int(1), "b", record("c", exo.Text("x")))), "  a  b.c\nint  text\n---  ----\n  1  x\n", 1},
		{"rows may differ", exo.List(record("a", exo.Int(1)), record("b", exo.Bool(true))), "  a  b\nint  bool\n---  ----\n  1\n     true\n", 2},
		{"wide letters", exo.List(record("t", exo.Text("日本語x")), record("t", exo.Text("ab"))), "t\ntext\n-------\n日本語x\nab\n", 2},
		{"marks take no room", exo.List(record("t", exo.Text("e\u0301te\u0301 1"), "n", exo.Int(1))), "t        n\ntext   int\n-----  ---\ne\u0301te\u0301 1    1\n", 1},
		{"numbers to the right", exo.List(record("n", exo.Int(100)), record("n", exo.Float(2.5))), "        n\nfloat|int\n---------\n      100\n      2.5\n", 2},
		{"null is of any type", exo.List(record("a", exo.Null(), "b", exo.Null()), record("a", exo.Text("x"), "b", exo.Null())), "a      b\ntext?  null\n-----  ----\nnull   null\nx      null\n", 2},
		{"long text is cut", exo.List(record("t", exo.Text(long))), "t\ntext\n" + strings.Repeat("-", 40) + "\n" + long[:39] + "…\n", 1},
		{"a cell is one line", exo.List(record("t", exo.Text("a\nb\tc"))), "t\ntext\n-------\na\\nb\\tc\n", 1},
		{"no way to drive the terminal", exo.List(record("\x1b[1m", exo.Text("\x1b]0;x\a\u202e\u009b31m\r\b"))), `\u001b[1m` + "\ntext\n" + strings.Repeat("-", 40) + "\n" + `\u001b]0;x\u0007\u202e\u009b31m\u000d\u…` + "\n", 1},
		{"lists are JSON", exo.List(record("l", exo.List(exo.Int(1), exo.Null()))), "l\nlist\n--------\n[1,null]\n", 1},
		{"no rows", exo.List(), "", 0},
		{"a record", record("a", exo.Int(1), "bb", exo.Text("x")), "a   1\nbb  x\n", -1},
		{"anything else", exo.List(exo.Int(1)), "[1]\n", -1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			raw, err := tc.v.AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			got, rows := screen{}.render(tc.v, raw)
			if got != tc.want || rows != tc.rows {
				t.Errorf("got %d\n%s\nwant %d\n%s", rows, got, tc.rows, tc.want)
			}
		})
	}
}

func TestTableIsBounded(t *testing.T) {
	var fs []exo.Field
	for i := range 100 {
		fs = append(fs, exo.Field{Name: "c" + strings.Repeat("x", i), Value: exo.Int(int64(i))})
	}
	var rows []exo.Value
	for range 1000 {
		rows = append(rows, exo.Record(fs...))
	}
	got, n := screen{}.render(exo.List(rows...), nil)
	if n != 1000 || !strings.HasSuffix(got, "… and 76 more columns\n… and 950 more rows\n") || len(got) > 200_000 {
		t.Errorf("%d rows, %d bytes: …%s", n, len(got), got[max(0, len(got)-100):])
	}
}
