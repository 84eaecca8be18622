package repl

import (
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode/repl/internal/screen"
	"github.com/exoagent/exoagent/exo/value"
)

func fields(kv ...any) value.Value {
	var fs []value.Field
	for i := 0; i < len(kv); i += 2 {
		fs = append(fs, value.Field{Name: kv[i].(string), Value: kv[i+1].(value.Value)})
	}
	return value.RecordValue(fs...)
}

func TestTable(t *testing.T) {
	long := strings.Repeat("long ", 20)
	for _, tc := range []struct {
		name string
		v    value.Value
		want string
		rows int
	}{
		{"nested records have dotted names", value.List(fields("a", value.Int(1), "b", fields("c", value.Text("x")))), "  a  b.c\nint  text\n---  ----\n  1  x\n", 1},
		{"rows may differ", value.List(fields("a", value.Int(1)), fields("b", value.Bool(true))), "  a  b\nint  bool\n---  ----\n  1\n     true\n", 2},
		{"wide letters", value.List(fields("t", value.Text("日本語x")), fields("t", value.Text("ab"))), "t\ntext\n-------\n日本語x\nab\n", 2},
		{"marks take no room", value.List(fields("t", value.Text("e\u0301te\u0301 1"), "n", value.Int(1))), "t        n\ntext   int\n-----  ---\ne\u0301te\u0301 1    1\n", 1},
		{"numbers to the right", value.List(fields("n", value.Int(100)), fields("n", value.Float(2.5))), "        n\nfloat|int\n---------\n      100\n      2.5\n", 2},
		{"null is of any type", value.List(fields("a", value.Null(), "b", value.Null()), fields("a", value.Text("x"), "b", value.Null())), "a      b\ntext?  null\n-----  ----\nnull   null\nx      null\n", 2},
		{"long text is cut", value.List(fields("t", value.Text(long))), "t\ntext\n" + strings.Repeat("-", 40) + "\n" + long[:39] + "…\n", 1},
		{"a cell is one line", value.List(fields("t", value.Text("a\nb\tc"))), "t\ntext\n-------\na\\nb\\tc\n", 1},
		{"no way to drive the terminal", value.List(fields("\x1b[1m", value.Text("\x1b]0;x\a\u202e\u009b31m\r\b"))), `\u001b[1m` + "\ntext\n" + strings.Repeat("-", 40) + "\n" + `\u001b]0;x\u0007\u202e\u009b31m\u000d\u…` + "\n", 1},
		{"lists are JSON", value.List(fields("l", value.List(value.Int(1), value.Null()))), "l\nlist\n--------\n[1,null]\n", 1},
		{"no rows", value.List(), "", 0},
		{"a record", fields("a", value.Int(1), "bb", value.Text("x")), "a   1\nbb  x\n", -1},
		{"groups", fields("x\x1by", value.List(fields("a", value.Int(1))), "z", value.List()), `x\u001by` + "\n  a\nint\n---\n  1\n\nz\n0 rows\n", -1},
		{"a record with a list of others", fields("a", value.List(value.Int(1)), "b", value.List()), "a  [1]\nb  []\n", -1},
		{"anything else", value.List(value.Int(1)), "[1]\n", -1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			raw, err := tc.v.AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			got, rows := screen.Screen{}.Render(tc.v, raw, nil)
			if got != tc.want || rows != tc.rows {
				t.Errorf("got %d\n%s\nwant %d\n%s", rows, got, tc.rows, tc.want)
			}
		})
	}
}

func TestTableIsBounded(t *testing.T) {
	var fs []value.Field
	for i := range 100 {
		fs = append(fs, value.Field{Name: "c" + strings.Repeat("x", i), Value: value.Int(int64(i))})
	}
	var rows []value.Value
	for range 1000 {
		rows = append(rows, value.RecordValue(fs...))
	}
	got, n := screen.Screen{}.Render(value.List(rows...), nil, nil)
	if n != 1000 || !strings.HasSuffix(got, "… and 76 more columns\n… and 950 more rows\n") || len(got) > 200_000 {
		t.Errorf("%d rows, %d bytes: …%s", n, len(got), got[max(0, len(got)-100):])
	}
}

// TestTableFits: texts give way, and what is cut is never a number or a time.
func TestTableFits(t *testing.T) {
	at := value.Time(time.Date(2026, 3, 15, 17, 0, 0, 0, time.UTC))
	row := fields("id", value.Int(1234567), "title", value.Text("a title that is long enough"), "at", at, "note", value.Text("short"), "n", value.Int(-1234567890123456789))
	for _, tc := range []struct {
		cols int
		want string
	}{
		{0, "     id  title                        at                 note                      n\n    int  text                         time               text                    int\n-------  ---------------------------  -----------------  -----  --------------------\n1234567  a title that is long enough  2026-03-15T17:00Z  short  -1234567890123456789\n"},
		{70, "     id  title          at                 note                      n\n    int  text           time               text                    int\n-------  -------------  -----------------  -----  --------------------\n1234567  a title that…  2026-03-15T17:00Z  short  -1234567890123456789\n"},
		{50, "     id  title            at                 note\n    int  text             time               text\n-------  ---------------  -----------------  -----\n1234567  a title that i…  2026-03-15T17:00Z  short\n… and 1 more column\n"},
		{5, "     id\n    int\n-------\n1234567\n… and 4 more columns\n"},
		{20, "     id  title\n    int  text\n-------  -----------\n1234567  a title th…\n… and 3 more columns\n"},
	} {
		s := screen.Screen{Cols: func() int { return tc.cols }, Expanded: "off"}
		if got, _ := s.Render(value.List(row), nil, nil); got != tc.want {
			t.Errorf("in %d columns:\n%s\nwant\n%s", tc.cols, got, tc.want)
		}
	}
}

func TestShortTime(t *testing.T) {
	for want, at := range map[string]time.Time{
		"2026-03-15T17:00Z":        time.Date(2026, 3, 15, 17, 0, 0, 0, time.UTC),
		"2026-03-15T00:00Z":        time.Date(2026, 3, 15, 0, 0, 0, 0, time.UTC),
		"2026-03-15T17:00:01Z":     time.Date(2026, 3, 15, 17, 0, 1, 0, time.UTC),
		"2026-03-15T17:00:00.050Z": time.Date(2026, 3, 15, 17, 0, 0, 50e6, time.UTC),
	} {
		if got := screen.ShortTime(at); got != want {
			t.Errorf("%v: %s, want %s", at, got, want)
		}
	}
}
