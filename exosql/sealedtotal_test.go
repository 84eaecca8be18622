package exosql_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// totals are expressions of the methods that are total, and what each needs of a column. TestTotalsAreListed knows them all.
var totals = map[string][]string{
	"any":   {"x.isNull()", "x.isNotNull()"},
	"text":  {"x ?? 'none'", "x.coalesce(t.other)", "x.lower()", "x.upper()", "x.toLowerCase()", "x.trim()", "x.concat('a', t.other, x)", "'Dear ' + x", "`${x}, ${t.other}`", "x.trim().upper().concat(x.lower()) ?? t.other"},
	"equal": {"x.coalesce(x)"},
	"days":  {"x.year()", "x.quarter()", "x.month()", "x.getMonth()", "x.week()", "x.day()", "x.weekday()", "x.getUTCFullYear()", "x.getUTCMonth()", "x.getUTCDate()", "x.getUTCDay()"},
	"times": {"x.hour()", "x.minute()", "x.second()", "x.getUTCHours()", "x.getUTCMinutes()", "x.getUTCSeconds()", "x.getFullYear()", "x.getHours()"},
}

// TestTotalsAreListed: who marks a method as total tries it below.
func TestTotalsAreListed(t *testing.T) {
	all := fmt.Sprint(totals)
	g := tu.As(t, tu.Open(t), tu.Acme, exo.Limits{}).Gate
	n := 0
	for _, i := range g.Catalog() {
		for name, m := range i.Methods {
			if !m.Total {
				continue
			}
			if n++; !i.Expr || m.Name == name && !strings.Contains(all, "."+name+"(") && name != "coalesce" && name != "prepend" {
				t.Errorf("%s.%s is total, and untried", i.Name, name)
			}
		}
	}
	if n < 30 {
		t.Errorf("only %d methods are total", n)
	}
}

// totalWorld is a table of one row, and another one, whose column s is labelled, of the declared type of the engine.
func totalWorld(t *testing.T, e tu.Engine, typ, value, zone string) (*codemode.Tool, *codemode.Tool) {
	t.Helper()
	db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE x (id {int} PRIMARY KEY, s "+typ+", other TEXT)", "INSERT INTO x VALUES (1, "+value+", 'o'), (2, NULL, NULL)")})
	live, err := db.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	table, err := dynamic.New(live).Table("x", dynamic.ColumnSpec{Name: "s", Label: []string{"pii"}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := table.Facet("item", "id", "s", "other")
	if err != nil {
		t.Fatal(err)
	}
	o, err := f.Grant(db, dynamic.AllRows())
	if err != nil {
		t.Fatal(err)
	}
	tool := func(admits ...string) *codemode.Tool {
		tool, err := codemode.New(codemode.Grants{"items": o}, &codemode.Options{Record: exo.Unrecorded, Admits: exo.NewLabel(admits...), Zone: zone})
		if err != nil {
			t.Fatal(err)
		}
		return tool
	}
	return tool(), tool("pii")
}

// TestOddCellsOfTotals: a selection of a labelled column by way of a method that is total shows it sealed and reads nothing, whatever
// the cell holds: the result, its label and the bytes that are counted are the same. Where the label is admitted the values differ.
func TestOddCellsOfTotals(t *testing.T) {
	tu.NotRaced(t)
	type kind struct {
		typ, plain string
		odd        []string
		groups     []string
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		var kinds []kind
		if e.Name == tu.SQLite.Name {
			odd := append(slices.Clone(worst["sqlite"][""]), "printf('%.*c', 5000000, 'x')", "replace(printf('%.*c', 87000, 'x'), 'x', 'ΐ')")
			kinds = []kind{{"TEXT", "'a'", odd, []string{"any", "text", "equal"}}, {"DATETIME", "'2024-01-01 00:00:00'", odd, []string{"any", "equal", "days", "times"}}, {"DATE", "'2024-01-01'", odd, []string{"any", "equal", "days"}},
				{"INTEGER", "5", odd, []string{"any", "equal"}}, {"REAL", "5", odd, []string{"any", "equal"}}, {"NUMERIC", "5", odd, []string{"any", "equal"}}, {"BOOLEAN", "1", odd, []string{"any", "equal"}}, {"BLOB", "x'61'", odd, []string{"any", "equal"}}}
		} else {
			w := worst["postgres"]
			kinds = []kind{{"text", "'a'", append(slices.Clone(w["s"]), "repeat('x', 5000000)", "repeat(U&'\\0390', 87000)", "repeat('ß', 131072)"), []string{"any", "text", "equal"}}, {"char(200000)", "'a'", []string{"''", "repeat('x', 200000)"}, []string{"any", "text", "equal"}},
				{"timestamptz", "'2024-01-01'", w["at"], []string{"any", "equal", "days", "times"}}, {"date", "'2024-01-01'", w["day"], []string{"any", "equal", "days"}}, {"bigint", "5", w["n"], []string{"any", "equal"}}, {"double precision", "5", w["f"], []string{"any", "equal"}},
				{"numeric", "5", w["d"], []string{"any", "equal"}}, {"interval", "'1 day'", w["iv"], []string{"any", "equal"}}, {"bytea", `'\x61'`, w["raw"], []string{"any", "equal"}}, {"jsonb", "'1'", w["j"], []string{"any"}}, {"text[]", "'{a}'", w["tags"], []string{"any"}}}
		}
		share := tu.OneIn(t, 6)
		for _, k := range kinds {
			var exprs []string
			for _, g := range k.groups {
				for _, x := range totals[g] {
					exprs = append(exprs, strings.ReplaceAll(x, "x", "t.s"))
				}
			}
			// All in one row, and none so often that it is refused for what it may take.
			program := func(exprs []string) string {
				var fields []string
				for i, x := range exprs {
					fields = append(fields, fmt.Sprintf("f%d: %s", i, x))
				}
				return "const r = await items.orderBy(t => t.id).select(t => ({ id: t.id, " + strings.Join(fields, ", ") + " })); for (let i = 0; i < 3; i++) console.log(JSON.stringify(await items.select(t => " + exprs[0] + ").first())); return r"
			}
			for _, zone := range []string{"", "Asia/Tokyo"} {
				plain, admits := totalWorld(t, e, k.typ, k.plain, zone)
				want := plain.Run(t.Context(), program(exprs))
				if want.Err != nil || !want.Label.Public() || strings.Count(string(want.JSON), "[sealed pii]") != 2*len(exprs) {
					t.Fatalf("%s: %v %s %v", k.typ, want.Err, want.JSON, want.Label)
				}
				first := admits.Run(t.Context(), program(exprs))
				for _, v := range append([]string{"NULL"}, k.odd...) {
					if v != "NULL" && !share.Next() {
						continue
					}
					tool, twin := totalWorld(t, e, k.typ, v, zone)
					got := tool.Run(t.Context(), program(exprs))
					if got.Err != nil || string(got.JSON) != string(want.JSON) || !got.Label.Equal(want.Label) || got.Console != want.Console {
						t.Errorf("%s %.40s %s: %.400s %v %v\n%s", k.typ, v, zone, got.JSON, got.Label, got.Err, want.JSON)
						for _, x := range exprs {
							if r := tool.Run(t.Context(), program([]string{x})); r.Err != nil {
								t.Errorf("%s: %v", x, r.Err)
							}
						}
					}
					if r := twin.Run(t.Context(), program(exprs)); r.Err != nil || v == "NULL" && string(r.JSON) == string(first.JSON) {
						t.Errorf("%s %.40s: where it is admitted: %v %.200s", k.typ, v, r.Err, r.JSON)
					}
				}
			}
		}
	})
}
