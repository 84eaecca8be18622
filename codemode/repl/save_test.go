package repl

import (
	"os"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/scalar"
)

// TestSaveCSV: .csv keeps the rows, all of them, and no text that a spreadsheet would calculate.
func TestSaveCSV(t *testing.T) {
	t.Chdir(t.TempDir())
	out, _, _ := typing("[{ a: '=1+1', b: null, c: '', d: -1.5, e: 'x\"y,\\nz', f: '-5', g: ['=1'], h: { i: new Date(0) } }, { a: 'b', j: true }]\n.save a.csv\n.save a.CSV\n" +
		"api.me.first()\n.save one.csv\n7\n.save none.csv\nnothing\n.save failed.csv\n")
	for name, want := range map[string]string{
		"a.csv":   "\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h.i\",\"j\"\n\"'=1+1\",,\"\",-1.5,\"x\"\"y,\nz\",\"-5\",\"[\"\"=1\"\"]\",1970-01-01T00:00:00.000Z,\n\"b\",,,,,,,,true\n",
		"one.csv": "\"id\",\"name\"\n1,\"ann\"\n",
	} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s: %q %v\nwant %q", name, got, err, want)
		}
	}
	for _, want := range []string{"2 rows are in a.csv; 1 text written with ' in front, because a spreadsheet would calculate a formula\n", "1 row is in one.csv\n", "the last result has no rows; .save FILE.json keeps it", "no result to save"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	for _, name := range []string{"none.csv", "failed.csv"} {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s was made", name)
		}
	}
}

// TestSaveWhole: what a model would get cut is saved whole, and JSON of a row that wants
// to drive the terminal does so in no file.
func TestSaveWhole(t *testing.T) {
	t.Chdir(t.TempDir())
	out, _, _ := typing("return Array.from({ length: 1500 }, (_, i) => ({ n: i, t: '\\u009b2J' + 'x'.repeat(300) }))\n.save a.csv\n.save a.json\n")
	csv, _ := os.ReadFile("a.csv")
	json, _ := os.ReadFile("a.json")
	if strings.Count(string(csv), "\n") != 1501 || strings.Count(string(json), `"n":`) != 1500 || strings.Contains(string(json), "\u009b") {
		t.Errorf("%d lines, %d rows of JSON:\n%.300s", strings.Count(string(csv), "\n"), strings.Count(string(json), `"n":`), out[max(0, len(out)-300):])
	}
	if !strings.Contains(out, "was cut") {
		t.Error("the twin: the model's result is not cut")
	}
}

// TestSavePage: .html keeps a page of the whole result, in which no cell is more than a text, and .chart draws the result or says why not.
func TestSavePage(t *testing.T) {
	t.Chdir(t.TempDir())
	out, _, _ := typing(".chart\n[{ kind: 'a\u202e</script><script>', sum: 3 }, { kind: 'toy', sum: -1.5 }]\n.chart\n.save a.html\n.save a.html\n7\n.chart\nnothing\n.save b.html\n.chart\n")
	page, err := os.ReadFile("a.html")
	if err != nil || !strings.Contains(string(page), `{"result":[{"kind":"a\u202e\u003c/script\u003e\u003cscript\u003e","sum":3},{"kind":"toy","sum":-1.5}]`) {
		t.Errorf("%v\n%s", err, page)
	}
	for _, want := range []string{"no program has run yet", "sum by kind\na\\u202e</script><script>   3     ", "toy                       -1.5  ", "the result is in a.html", "a.html is there already", "no chart: the result is not a list of at least two rows", "no result to save or to draw"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if _, err := os.Stat("b.html"); err == nil {
		t.Error("a page of a failure was made")
	}
}

func TestFormula(t *testing.T) {
	for _, s := range []string{"=1", "+cmd|' /C calc'!A0", "-1+1", "@SUM(A1)", "\t=1", " =1", "\u00a0=1", "\ufeff=1", "＝1", "|x", "-"} {
		if !formula(s) {
			t.Errorf("%q may be calculated", s)
		}
	}
	for _, s := range []string{"", " ", "-5", "+5", "-0.5", "1=1", "a", "日本", scalar.TimeFormat} {
		if formula(s) {
			t.Errorf("%q is no formula", s)
		}
	}
}

// TestValues: where the values of a column can stand, and where not.
func TestValues(t *testing.T) {
	n := shopNames(t)
	for code, want := range map[string]string{
		"api.goods.where(g => g.kind === ":                   "'tool' 'toy'",
		"api.goods.where(g => g.kind == 't":                  "'tool' 'toy'",
		"api.goods.where(g => g.kind !== 'too":               "'tool'",
		"api.goods.where(g => g.kind != \"":                  "\"tool\" \"toy\" \"it's\"",
		"api.goods.where(g => g.kind.eq(":                    "'tool' 'toy'",
		"api.goods.where(g => g.kind.in(['tool', ":           "'tool' 'toy'",
		"api.goods.where({ name: 'x', kind: '":               "'tool' 'toy'",
		"api.goods.where(g => g.name === 'x' && g.kind===":   "'tool' 'toy'",
		"api.goods.where(g => g.name === 't":                 "",
		"api.goods.where(g => g.kind <= 't":                  "",
		"api.goods.where(g => g.kind === 'x' && g.name + 't": "",
		"const kind = 't":                                    "",
	} {
		_, found := n.Candidates(code)
		var got []string
		for _, c := range found {
			got = append(got, c.Name)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %s, want %s", code, s, want)
		}
	}
}
