package web

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/challenge/game"
)

func TestTable(t *testing.T) {
	for _, c := range []struct {
		raw  string
		want *table
	}{
		{`[{"b":1,"a":"x"},{"a":null,"c":[1, {"z":2}]}]`, &table{Columns: []string{"b", "a", "c"}, Rows: [][]string{{"1", "x", ""}, {"", "null", `[1,{"z":2}]`}}}},
		{`[{"account":{"name":"A","in":{"x":1}},"n":"\u003cb>"}]`, &table{Columns: []string{"account.name", "account.in", "n"}, Rows: [][]string{{"A", `{"x":1}`, "<b>"}}}},
		{`[{"a":{}}]`, &table{Columns: []string{"a"}, Rows: [][]string{{"{}"}}}},
		{`[{"a":1,"a":2}]`, &table{Columns: []string{"a"}, Rows: [][]string{{"2"}}}},
		{`[]`, nil}, {`[{}]`, nil}, {`[1]`, nil}, {`[{"a":1},2]`, nil}, {`{"a":1}`, nil}, {`7`, nil}, {``, nil}, {`[{"a":`, nil},
	} {
		if got := tableOf(json.RawMessage(c.raw)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.raw, got, c.want)
		}
	}
	many := "[" + strings.Repeat(`{"a":1},`, maxTableRows+4) + `{"a":1}]`
	if got := tableOf(json.RawMessage(many)); len(got.Rows) != maxTableRows || got.More != 5 {
		t.Errorf("%d rows, %d more", len(got.Rows), got.More)
	}
	wide := "{"
	for i := range maxTableColumns {
		wide += fmt.Sprintf(`"c%d":1,`, i)
	}
	if got := tableOf(json.RawMessage("[" + wide + `"x":1}]`)); got != nil {
		t.Errorf("%d columns", len(got.Columns))
	}
}

func TestLines(t *testing.T) {
	got := linesOf("a\n\nb\n", game.Verdict{Line: 2})
	if want := []line{{"a", false}, {"", true}, {"b", false}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

// TestMemory: what was measured is shown, also where it is nothing; what was not is not.
func TestMemory(t *testing.T) {
	for _, c := range []struct {
		used game.Used
		want string
	}{
		{game.Used{CPUMillis: 1}, `<dd id="memory">0 bytes</dd>`},
		{game.Used{CPUMillis: 1, Memory: 3 << 20}, `<dd id="memory">3 MiB</dd>`},
		{game.Used{}, ""},
	} {
		var b strings.Builder
		a := &attemptView{Attempt: &game.Attempt{State: game.Ended, Verdict: game.Verdict{Kind: "ok"}, Used: c.used}}
		if err := templates["attempt"].ExecuteTemplate(&b, "layout.html", page{Body: a}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), c.want) || strings.Contains(b.String(), `id="memory"`) != (c.want != "") {
			t.Errorf("%+v: %s", c.used, b.String())
		}
	}
}
