package labels_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// totals are expressions of the methods that are total, and what each needs of a column. TestTotalsAreListed knows them all.
var totals = map[string][]string{
	"any":   {"x.isNull()", "x.isNotNull()"},
	"text":  {"x ?? 'none'", "x.coalesce(t.other)", "x.lower()", "x.upper()", "x.toLowerCase()", "x.trim()", "x.concat('a', t.other, x)", "'Dear ' + x", "`${x}, ${t.other}`", "x.trim().upper().concat(x.lower()) ?? t.other"},
	"equal": {"x.coalesce(x)"},
	"days":  {"x.year()", "x.quarter()", "x.month()", "x.getMonth()", "x.week()", "x.isoYear()", "x.day()", "x.weekday()", "x.getUTCFullYear()", "x.getUTCMonth()", "x.getUTCDate()", "x.getUTCDay()"},
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
func totalWorld(t *testing.T, e tu.Engine, typ, val, zone string) (*codemode.Tool, *codemode.Tool) {
	t.Helper()
	db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE x (id {int} PRIMARY KEY, s "+typ+", other TEXT)", "INSERT INTO x VALUES (1, "+val+", 'o'), (2, NULL, NULL)")})
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
		tool, err := codemode.New(codemode.Grants{"items": o}, &codemode.Options{Record: exo.Unrecorded, Admits: value.NewLabel(admits...), Zone: zone, Evaluator: exoeval.InProcess{}})
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
	tu.NotQuick(t)
	tu.NotRaced(t)
	type kind struct {
		typ, plain string
		odd        []string
		groups     []string
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		var kinds []kind
		if e.Name == tu.SQLite.Name {
			odd := append(slices.Clone(kit.Worst["sqlite"][""]), "printf('%.*c', 5000000, 'x')", "replace(printf('%.*c', 87000, 'x'), 'x', 'ΐ')")
			kinds = []kind{{"TEXT", "'a'", odd, []string{"any", "text", "equal"}}, {"DATETIME", "'2024-01-01 00:00:00'", odd, []string{"any", "equal", "days", "times"}}, {"DATE", "'2024-01-01'", odd, []string{"any", "equal", "days"}},
				{"INTEGER", "5", odd, []string{"any", "equal"}}, {"REAL", "5", odd, []string{"any", "equal"}}, {"NUMERIC", "5", odd, []string{"any", "equal"}}, {"BOOLEAN", "1", odd, []string{"any", "equal"}}, {"BLOB", "x'61'", odd, []string{"any", "equal"}}}
		} else {
			w := kit.Worst["postgres"]
			kinds = []kind{{"text", "'a'", append(slices.Clone(w["s"]), "repeat('x', 5000000)", "repeat(U&'\\0390', 87000)", "repeat('ß', 131072)"), []string{"any", "text", "equal"}}, {"char(200000)", "'a'", []string{"''", "repeat('x', 200000)"}, []string{"any", "text", "equal"}},
				{"timestamptz", "'2024-01-01'", w["at"], []string{"any", "equal", "days", "times"}}, {"date", "'2024-01-01'", w["day"], []string{"any", "equal", "days"}}, {"bigint", "5", w["n"], []string{"any", "equal"}}, {"double precision", "5", w["f"], []string{"any", "equal"}},
				{"numeric", "5", w["d"], []string{"any", "equal"}}, {"interval", "'1 day'", w["iv"], []string{"any", "equal"}}, {"bytea", `'\x61'`, w["raw"], []string{"any", "equal"}}, {"jsonb", "'1'", w["j"], []string{"any"}}, {"text[]", "'{a}'", w["tags"], []string{"any"}}}
		}
		share := tu.OneIn(t, 24)
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
				if zone != "" && !slices.Contains(k.groups, "days") {
					continue
				}
				t.Run(k.typ+zone, func(t *testing.T) {
					plain, admits := totalWorld(t, e, k.typ, k.plain, zone)
					want := plain.Run(t.Context(), program(exprs))
					if want.Err != nil || !want.Label.Empty() || strings.Count(string(want.JSON), "[sealed pii]") != 2*len(exprs) {
						t.Fatalf("%s: %v %s %v", k.typ, want.Err, want.JSON, want.Label)
					}
					first := admits.Run(t.Context(), program(exprs))
					for _, v := range append([]string{"NULL"}, k.odd...) {
						if v != "NULL" && !share.Next() {
							continue
						}
						t.Run("", func(t *testing.T) { // which closes its database
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
						})
					}
				})
			}
		}
	})
}

// TestOthersRead: what is not total reads a labelled column that it stands beside, in a selection, too; and what is total is read where it
// stands in anything else.
func TestOthersRead(t *testing.T) {
	const rows = "(1, 2, 'ann', 'ann@a.example', 70), (2, 1, 'bob', NULL, 80)"
	reads := []string{}
	for _, x := range []string{"p.email.length", "p.email.slice(0, 1)", "p.email.substring(0, 1)", "p.email === 'x'", "p.email === p.name", "p.name === p.email", "p.email.includes('x')", "p.email.startsWith('x')", "p.email.like('x')", "p.email.in(['x'])", "p.email.nullIf('x')",
		"p.pay + 1", "p.pay - p.id", "p.id * p.pay", "p.pay / 2", "p.pay % 2", "p.pay.neg()", "p.pay.abs()", "p.pay.round()", "p.pay.floor()", "p.pay.toText()", "`${p.pay}`", "p.pay > 1", "p.pay.between(1, 2)", "p.email.isNull() && p.id > 1", "!p.email.isNull()", "p.email.isNull() ? 'a' : 'b'",
		"p.email.lower() === 'x'", "p.email.trim().length", "p.email.lower().startsWith('a')", "p.name.concat(p.email).includes('x')", "(p.pay ?? 0) + 1"} {
		reads = append(reads, "people.select(p => ({ n: p.name, x: "+x+" }))")
	}
	reads = append(reads, "people.where(p => p.email.isNull())", "people.where(p => p.email.lower() === 'x').count()", "people.where(p => p.name === (p.email ?? 'x'))", "people.orderBy(p => p.email.lower())", "people.orderBy(p => p.email.isNull().desc())", "people.groupBy(p => ({ e: p.email.lower() })).select(g => ({ n: g.count() }))",
		"people.countBy(p => ({ e: p.email.isNull() }))", "people.select(p => p.email.lower()).distinct()", "people.select(p => ({ e: p.email.upper() })).where(x => x.e === 'x')", "people.select(p => ({ e: p.email.upper() })).orderBy(x => x.e)", "people.countDistinct(p => p.email.trim())", "people.max(p => p.email.lower())",
		"people.select(p => p.email.lower()).unionAll(people.select(p => p.name))", "people.where(p => people.where(q => q.email.lower() === p.name).exists())", "people.where(p => p.name.in(people.select(q => q.email.trim())))")
	shows := []string{}
	for _, x := range []string{"p.email.lower()", "p.email.toUpperCase()", "p.email.trim()", "p.email ?? 'none'", "p.email ?? p.name", "p.email.isNull()", "p.email.isNotNull()", "'<' + p.email + '>'", "`${p.name} <${p.email}>`", "p.name.concat(p.email)", "p.pay ?? 0", "p.manager().email.lower()"} {
		shows = append(shows, "people.select(p => ({ n: p.name, x: "+x+" }))", "people.where(p => p.id > 0).orderBy(p => p.id).limit(2).select(p => ({ n: p.name, x: "+x+" })).first()")
	}
	each(t, rows, func(t *testing.T, w *sealedWorld, how exoeval.Evaluator) {
		for _, program := range shows {
			if got, kind := w.run(t, how, exo.Limits{}, value.Label{}, program); kind != 0 || !strings.Contains(got, `"x":"[sealed p`) || !strings.HasSuffix(got, " {}") {
				t.Errorf("%s: %s", program, got)
			}
		}
		for _, program := range reads {
			got, kind := w.run(t, how, exo.Limits{}, value.Label{}, program)
			if kind != fail.Denied || !strings.Contains(got, "the program read values") && !strings.Contains(got, "may not leave") {
				t.Errorf("%s: %s (%v)", program, got, kind)
			}
			if got, kind := w.run(t, how, exo.Limits{}, value.NewLabel("pii", "pay"), program); kind != 0 {
				t.Errorf("the twin of %s: %s", program, got)
			}
		}
		got, _ := w.run(t, how, exo.Limits{}, value.NewLabel("pii"), "people.orderBy(p => p.id).select(p => ({ a: p.email.upper(), b: p.email ?? p.name, c: p.email.isNull(), d: `${p.name} <${p.email}>` }))")
		if want := `[{"a":"ANN@A.EXAMPLE","b":"ann@a.example","c":false,"d":"ann <ann@a.example>"},{"a":null,"b":"bob","c":true,"d":null}] {pii}`; got != want {
			t.Error(got)
		}
	})
}

// TestTotalsGrow: what an engine makes of a labelled text makes no row too large by its length: more than may be made is refused, whatever
// the text is. What leaves is bounded by what the column declares.
func TestTotalsGrow(t *testing.T) {
	tu.NotQuick(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		fields := func(n int, x string) string {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, "a%d: %s, ", i, x)
			}
			return "return (await people.select(p => ({ " + b.String() + " }))).length"
		}
		for _, size := range []int{1, 131_072, 262_144} { // the last has sealed.Most bytes
			w := newSealedWorld(t, e, "(1, 2, 'ann', "+e.Pick("replace(printf('%.*c', "+fmt.Sprint(size)+", 'x'), 'x', 'ΐ')", "repeat('ΐ', "+fmt.Sprint(size)+")")+", 70)")
			for _, c := range []struct {
				n    int
				x    string
				want string
			}{
				{32, "p.email.upper()", "1 {}"}, {33, "p.email.upper()", "could exceed 24 MiB"}, {64, "p.email.trim()", "1 {}"}, {64, "p.email ?? 'x'", "1 {}"}, {65, "p.email.isNull()", "64 is the limit"},
				{10, "p.email.concat(p.email, p.email, p.email, p.email, p.email, p.email, p.email)", "1 {}"}, {20, "p.email.concat(p.email, p.email, p.email, p.email, p.email, p.email, p.email)", "could exceed 24 MiB"},
			} {
				if got, _ := w.run(t, exoeval.InProcess{}, exo.Limits{}, value.Label{}, fields(c.n, c.x)); !strings.Contains(got, c.want) {
					t.Errorf("%d bytes, %d %s: %.300s", size, c.n, c.x, got)
				}
			}
		}
		w := newSealedWorld(t, e, "(1, 2, 'ann', 'ßßßßßßßßßßßßßßßßßßßß', 70), (2, 1, 'bob', 'ΐΐΐΐΐΐΐΐΐΐΐΐΐΐΐΐΐΐΐΐ', 70), (3, 1, 'cy', '"+strings.Repeat("x", 121)+"', 70)")
		got, _ := w.run(t, exoeval.InProcess{}, exo.Limits{}, value.NewLabel("pii"), "people.orderBy(p => p.id).select(p => p.email.upper())")
		if want := fmt.Sprintf(`["%s","%s","[too large]"] {pii}`, strings.Repeat("SS", 20), strings.Repeat("\u0399\u0308\u0301", 20)); got != want {
			t.Error(got)
		}
	})
}
