package writes_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// wayValues are values as programs write them, and what they are in the columns that can hold them, as JSON. In every other
// column they are an error.
var wayValues = []struct {
	js   string
	fits map[string]string
}{
	{`"a"`, map[string]string{"text": `"a"`}}, {`""`, map[string]string{"text": `""`}}, {`"O'Brien; DROP TABLE ways; \\ $1 ? 😀"`, map[string]string{"text": `"O'Brien; DROP TABLE ways; \\ $1 ? 😀"`}},
	{`"12.50"`, map[string]string{"text": `"12.50"`, "dec": `"12.5"`}}, {`"true"`, map[string]string{"text": `"true"`}}, {`"null"`, map[string]string{"text": `"null"`}},
	{`Decimal("1.10").plus("0.10")`, map[string]string{"text": `"1.2"`, "dec": `"1.2"`}},
	{`0`, map[string]string{"int": "0", "float": "0", "dec": `"0"`}}, {`-0`, map[string]string{"int": "0", "float": "0", "dec": `"0"`}}, {`-5`, map[string]string{"int": "-5", "float": "-5", "dec": `"-5"`}},
	{`1.5`, map[string]string{"float": "1.5", "dec": `"1.5"`}}, {`0.1 + 0.2`, map[string]string{"float": "0.30000000000000004", "dec": `"0.30000000000000004"`}},
	{`9007199254740991`, map[string]string{"int": "9007199254740991", "float": "9007199254740991", "dec": `"9007199254740991"`}},
	{`9007199254740992`, map[string]string{"float": "9007199254740992", "dec": `"9007199254740992"`}}, {`"9007199254740993"`, map[string]string{"text": `"9007199254740993"`, "int": `"9007199254740993"`, "dec": `"9007199254740993"`}},
	{`true`, map[string]string{"bool": "true"}}, {`false`, map[string]string{"bool": "false"}},
	{`"2024-02-29"`, map[string]string{"text": `"2024-02-29"`, "day": `"2024-02-29"`, "at": `"2024-02-29T00:00:00.000Z"`}},
	{`"2024-02-29T12:30:00Z"`, map[string]string{"text": `"2024-02-29T12:30:00Z"`, "day": `"2024-02-29"`, "at": `"2024-02-29T12:30:00.000Z"`}},
	{`new Date("2024-02-29T12:30:00.125Z")`, map[string]string{"day": `"2024-02-29"`, "at": `"2024-02-29T12:30:00.125Z"`}},
	{`new Date("2024-02-29")`, map[string]string{"day": `"2024-02-29"`, "at": `"2024-02-29T00:00:00.000Z"`}},
	{`"2023-02-29"`, map[string]string{"text": `"2023-02-29"`}}, {`new Date("nonsense")`, nil},
	{`"7C9E6679-7425-40DE-944B-E07FC1F90AE7"`, map[string]string{"text": `"7C9E6679-7425-40DE-944B-E07FC1F90AE7"`, "uuid": `"7c9e6679-7425-40de-944b-e07fc1f90ae7"`}},
	{`null`, map[string]string{"text": "null", "int": "null", "float": "null", "dec": "null", "bool": "null", "day": "null", "at": "null", "uuid": "null"}},
	{`undefined`, nil}, {`NaN`, nil}, {`1 / 0`, nil}, {`({})`, nil}, {`[1]`, nil}, {`(() => 1)`, nil}, {`new Map()`, nil}, {`ways`, nil}, {`ways.first()`, nil}, {`ways.first().label`, nil}, {`Symbol("a")`, nil},
	{`new String("a")`, nil}, {`new Number(5)`, nil}, {`new Boolean(true)`, nil}, {`new Boolean(false)`, nil},
	{`/a/`, nil}, {`new RegExp("a", "g")`, nil}, {`new Error("a")`, nil}, {`new Set(["a"])`, nil}, {`new WeakMap()`, nil}, {`[["a"]]`, nil}, {`["a"]`, nil}, {`({ toJSON: () => "a" })`, nil}, {`({ toString: () => "a" })`, nil},
	{`new (class { toJSON() { return "a" } })()`, nil}, {`new (class { toString() { return "a" } })()`, nil}, {`Object.assign(Object.create({ a: 1 }), { b: 1 })`, nil}, {`(function* () { yield "a" })()`, nil}, {`["a"].values()`, nil},
	{`[1, , 2]`, nil}, {`1n`, nil}, {`Symbol.iterator`, nil}, {`Math`, nil}, {`JSON`, nil}, {`"a\u0000"`, nil}, {`"\ud83d"`, nil},
}

// wayPlaces are where a value V of a column C can come from: statements, and the expression.
var wayPlaces = []struct{ before, expr string }{
	{"", "V"}, {"const v = V;", "v"}, {"let v; v = V;", "v"}, {"const a = [0, V];", "a[1]"}, {"const [, v] = [0, V];", "v"}, {"const { x: v } = { x: V };", "v"}, {"const give = () => V;", "give()"},
	{"class A { get v() { return V } }", "new A().v"}, {"const m = new Map([['k', V]]);", "m.get('k')"}, {"const v = await Promise.resolve(V);", "v"}, {"const f = x => x; const v = [V].map(f)[0];", "v"},
	{"await ways.where({ label: 'two' }).update({ C: V }); const r = await ways.where({ label: 'two' }).first();", "r.C"},
	{"await ways.where({ label: 'two' }).update({ C: V }); const [{ C: v }] = await ways.where({ label: 'two' });", "v"},
}

// wayForms are the ways of saying a change of column C to E: of the row "one", of all rows, or of a new one.
var wayForms = []struct{ of, text string }{
	{"one", `ways.where({ label: "one" }).update({ C: E })`}, {"one", `ways.where(w => w.label === "one").update({ ["C"]: E })`}, {"one", `ways.where({ label: "one" }).update({ ...{ C: E } })`},
	{"one", `ways.where({ label: "one" }).update(Object.assign({}, { C: E }))`}, {"one", `ways.ifUnchanged({ label: "one" }).update({ C: E })`}, {"one", `org.ways().where({ label: "one" }).update({ C: E })`},
	{"one", `ways.where({ label: "one" }).update(w => ({ C: E }))`}, {"one", `ways.where({ label: "one" }).update(({ way }) => ({ C: E, label: way.label }))`},
	{"one", `ways.update({ where: { label: "one" }, data: { C: E } })`}, {"one", `ways.where("label", "one").set({ C: E })`}, {"one", `ways.where({ label: "one" }).limit(1).update({ C: E })`},
	{"all", `ways.all().update({ C: E })`}, {"all", `ways.where(w => w.id > 0).update(w => ({ C: E }))`},
	{"new", `ways.insert({ label: "new", C: E })`}, {"new", `ways.create({ data: { label: "new", C: E } })`}, {"new", `ways.insertMany([{ label: "new", C: E }])`}, {"new", `ways.insert([{ C: E, label: "new" }])`},
	{"new", `org.ways().insert({ label: "new", C: E })`}, {"new", `org.ways().insertMany([{ label: "new", C: E }])`},
}

// TestWaysOfWriting crosses values, where they come from, the forms of a change and the types of columns. Each program leaves
// what the table above says, or is an error and leaves everything as it was. EXO_LONG tries all of them.
func TestWaysOfWriting(t *testing.T) {
	tu.NotRaced(t)
	draw := rand.New(rand.NewPCG(tu.Seed(t, 11), 3))
	each, some := 1, 4 // ways of each value and column, of which one in so many is tried
	if tu.Long() {
		each, some = len(wayPlaces)*len(wayForms), 1
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		url := e.URL(t)
		if dir, err := os.MkdirTemp("/dev/shm", "exo"); err == nil && e.Name == tu.SQLite.Name { // no commit is to wait for a disk
			t.Cleanup(func() { os.RemoveAll(dir) })
			url = "sqlite:" + filepath.Join(dir, "x.db")
		} else if e.Name == tu.Postgres.Name {
			url = tu.WithParam(t, url, "synchronous_commit", "off")
		}
		serial := e.Pick("INTEGER PRIMARY KEY", "bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY")
		db := e.OpenURL(t, url, &exosql.OpenOptions{Setup: e.Exec(strings.NewReplacer("{serial}", serial, "{float}", "double precision").Replace(kit.WayDDL))})
		raw := e.SQLDB(t, url)
		tools := map[int64]*codemode.Tool{}
		for org := range int64(2) {
			tool, err := codemode.New(kit.WayGrants(db, org+1), &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
			if err != nil {
				t.Fatal(err)
			}
			tools[org+1] = tool
		}
		look := func(org int64, col string) string {
			r := tools[org].Run(t.Context(), "return (await ways.orderBy(w => w.id)).map(w => [w.label, w."+col+"])")
			if r.Err != nil {
				t.Fatal(r.Err)
			}
			return string(r.JSON)
		}
		programs, kept := 0, 0
		for _, col := range []string{"text", "int", "float", "dec", "bool", "day", "at", "uuid", "data"} {
			for _, v := range wayValues {
				if draw.IntN(some) > 0 {
					continue
				}
				for i := range each {
					place, form := wayPlaces[draw.IntN(len(wayPlaces))], wayForms[draw.IntN(len(wayForms))]
					if each > 1 {
						place, form = wayPlaces[i%len(wayPlaces)], wayForms[i/len(wayPlaces)]
					}
					program := strings.NewReplacer("C", col, "V", v.js).Replace(place.before) + " return " + strings.NewReplacer("C", col, "E", strings.NewReplacer("C", col, "V", v.js).Replace(place.expr)).Replace(form.text)
					programs++
					r := tools[1].Run(t.Context(), program)
					value, ok := v.fits[col]
					rows := map[string]string{"one": "null", "two": "null"}
					if ok {
						kept++
						switch form.of {
						case "all":
							rows = map[string]string{"one": value, "two": value}
						default:
							rows[form.of] = value
						}
						if strings.Contains(place.before, "'two'") {
							rows["two"] = value
						}
					}
					want := fmt.Sprintf(`[["one",%s],["two",%s]`, rows["one"], rows["two"])
					if n, ok := rows["new"]; ok {
						want += fmt.Sprintf(`,["new",%s]`, n)
					}
					want += "]"
					if ok != (r.Err == nil) {
						t.Errorf("%s\ngives %s %v, and is to fail: %t", program, r.JSON, r.Err, !ok)
					}
					if got := look(1, col); got != want {
						t.Errorf("%s\nleaves %s\nwant %s", program, got, want)
					}
					if _, err := raw.Exec("DELETE FROM ways WHERE label = 'new'; UPDATE ways SET text = NULL, int = NULL, float = NULL, dec = NULL, bool = NULL, day = NULL, at = NULL, uuid = NULL WHERE org_id = 1"); err != nil {
						t.Fatal(err)
					}
				}
			}
			if other := look(2, col); other != `[["theirs",null]]` {
				t.Errorf("%s of a row out of scope: %s", col, other)
			}
		}
		if t.Logf("%d programs, %d kept", programs, kept); kept*20 < programs {
			t.Error("too few of them change anything")
		}
	})
}
