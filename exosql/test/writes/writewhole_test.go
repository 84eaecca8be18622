package writes_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

const wholeUUID = "7c9e6679-7425-40de-944b-e07fc1f90ae7"

// wholeValues are values of many parts as programs write them, and what is stored in the columns that can hold them. In every other
// column they are an error.
var wholeValues = []struct {
	js   string
	fits map[string]string // "*": in both columns of JSON
}{
	{`["a", "b"]`, map[string]string{"*": `["a","b"]`, "tags": `["a","b"]`}}, {`[]`, map[string]string{"*": "[]", "tags": "[]", "nums": "[]", "decs": "[]", "days": "[]", "flags": "[]", "floats": "[]", "ids": "[]"}},
	{`["a", null]`, map[string]string{"*": `["a",null]`}}, {`[null]`, map[string]string{"*": "[null]", "nums": "[null]"}}, {`[1, null, -3]`, map[string]string{"*": "[1,null,-3]", "nums": "[1,null,-3]"}},
	{`[1, 2]`, map[string]string{"*": "[1,2]", "nums": "[1,2]", "decs": `["1","2"]`, "floats": "[1,2]"}}, {`[1.5]`, map[string]string{"*": "[1.5]", "decs": `["1.5"]`, "floats": "[1.5]"}}, {`[-0]`, map[string]string{"*": "[0]", "nums": "[0]", "decs": `["0"]`, "floats": "[0]"}},
	{`["1.50"]`, map[string]string{"*": `["1.50"]`, "tags": `["1.50"]`, "decs": `["1.5"]`}}, {`["9223372036854775807"]`, map[string]string{"*": `["9223372036854775807"]`, "tags": `["9223372036854775807"]`, "nums": `["9223372036854775807"]`, "decs": `["9223372036854775807"]`}},
	{`["2024-02-29"]`, map[string]string{"*": `["2024-02-29"]`, "tags": `["2024-02-29"]`, "days": `["2024-02-29"]`}}, {`[new Date("2024-02-29")]`, map[string]string{"*": `["2024-02-29T00:00:00.000Z"]`, "days": `["2024-02-29"]`}},
	{`[true, false]`, map[string]string{"*": "[true,false]", "flags": "[true,false]"}}, {`["` + strings.ToUpper(wholeUUID) + `"]`, map[string]string{"*": `["` + strings.ToUpper(wholeUUID) + `"]`, "tags": `["` + strings.ToUpper(wholeUUID) + `"]`, "ids": `["` + wholeUUID + `"]`}},
	{`["NULL", "{}", "a,b", "\"", "\\", "", " ", "'); DROP TABLE wholes; --", "$1", "?"]`, map[string]string{"*": `["NULL","{}","a,b","\"","\\",""," ","'); DROP TABLE wholes; --","$1","?"]`, "tags": `["NULL","{}","a,b","\"","\\",""," ","'); DROP TABLE wholes; --","$1","?"]`}},
	{`({})`, map[string]string{"*": "{}"}}, {`({ a: 1, b: [true, null, "x"], c: { d: {} } })`, map[string]string{"*": `{"a":1,"b":[true,null,"x"],"c":{"d":{}}}`}}, {`({ a: -0, b: 1e21, c: 1e300, d: 5e-324, e: 0.1 })`, map[string]string{"*": `{"a":0,"b":1e21,"c":1e300,"d":5e-324,"e":0.1}`}},
	{`({ "": 1, "a.b": 2, "$": 3, "__proto": 4 })`, map[string]string{"*": `{"":1,"a.b":2,"$":3,"__proto":4}`}}, {`JSON.parse('{"a":1,"a":2}')`, map[string]string{"*": `{"a":2}`}}, {`[[1], [2]]`, map[string]string{"*": "[[1],[2]]"}},
	{`({ a: new Date(0) })`, map[string]string{"*": `{"a":"1970-01-01T00:00:00.000Z"}`}}, {`[{ a: 1 }]`, map[string]string{"*": `[{"a":1}]`}}, {`({ a: Decimal("1.10") })`, map[string]string{"*": `{"a":"1.1"}`}},
	{`null`, map[string]string{"*": "null", "nums": "null", "decs": "null", "days": "null", "flags": "null", "floats": "null", "ids": "null"}},
	{`"a"`, map[string]string{"*": `"a"`}}, {`5`, map[string]string{"*": "5"}}, {`true`, map[string]string{"*": "true"}}, {`"{\"a\":1}"`, map[string]string{"*": `"{\"a\":1}"`}},
	{`({ a: undefined })`, nil}, {`[1, , 2]`, nil}, {`({ a: NaN })`, nil}, {`[1 / 0]`, nil}, {`({ a: () => 1 })`, nil}, {`({ a: Symbol("x") })`, nil}, {`[/a/]`, nil}, {`({ a: new Map() })`, nil}, {`({ a: new Set([1]) })`, nil},
	{`new Map([["a", 1]])`, nil}, {`new Set(["a"])`, nil}, {`({ a: Promise.resolve(1) })`, nil}, {`({ a: wholes })`, nil}, {`[wholes.first()]`, nil}, {`({ a: wholes.where({ id: 1 }) })`, nil}, {`["\ud83d"]`, nil}, {`["a\u0000"]`, nil},
	{`({ "a\u0000": 1 })`, nil}, {`({ "\ud83d": 1 })`, nil}, {`({ toJSON: () => [1] })`, nil}, {`Object.assign(["a"], { toJSON: () => "b" })`, nil}, {`({ a: { toJSON() { return 1 } } })`, nil}, {`new Uint8Array([1, 2])`, nil}, {`new Error("a")`, nil},
	{`(() => { const a = []; a.push(a); return a })()`, nil}, {`(() => { const o = {}; o.o = o; return o })()`, nil}, {`(() => { let o = {}; for (let i = 0; i < 100; i++) o = { o }; return o })()`, nil}, {`Array.from({ length: 100000 }, () => 1)`, nil}, {`["x".repeat(300000)]`, nil},
	{`Object.create({ a: 1 })`, map[string]string{"*": "{}"}}, {`new (class { constructor() { this.a = 1 } })()`, map[string]string{"*": `{"a":1}`}}, {`({ get a() { return 1 } })`, map[string]string{"*": `{"a":1}`}},
	{`(function () { return arguments })("a")`, map[string]string{"*": `{"0":"a"}`}}, {`({ 0: "a", length: 1 })`, map[string]string{"*": `{"0":"a","length":1}`}},
}

// wholePlaces are where such a value V of a column C can come from: statements, and the expression.
var wholePlaces = []struct{ before, expr string }{
	{"", "V"}, {"const v = V;", "v"}, {"const { x: v } = { x: V };", "v"}, {"const [v] = [V];", "v"}, {"class A { get v() { return V } }", "new A().v"}, {"const m = new Map([['k', V]]);", "m.get('k')"}, {"const v = await Promise.resolve(V);", "v"},
	{"const v = Object.freeze(V);", "v"}, {"const [v] = Object.freeze([V]);", "v"}, {"const f = () => V;", "f()"}, {"let v; try { throw V } catch (e) { v = e }", "v"},
	{"await wholes.where({ label: 'two' }).update({ C: V }); const r = await wholes.where({ label: 'two' }).first();", "r.C"},
	{"await wholes.where({ label: 'two' }).update({ C: V }); const { C: v } = { ...(await wholes.where({ label: 'two' }))[0] };", "v"},
}

// wholeForms are the ways of saying a change of column C to E.
var wholeForms = []struct{ of, text string }{
	{"one", `wholes.where({ label: "one" }).update({ C: E })`}, {"one", `wholes.where({ label: "one" }).update({ ...{ C: E } })`}, {"one", `wholes.where({ label: "one" }).update(w => ({ C: E }))`}, {"one", `wholes.where({ label: "one" }).update(w => ({ C: E, label: w.label }))`},
	{"one", `wholes.ifUnchanged({ label: "one" }).update({ ["C"]: E })`}, {"one", `wholes.ifUnchanged(await wholes.where({ label: "one" }).first()).update({ C: E })`}, {"one", `wholes.where({ label: "one" }).limit(1).update({ C: E })`},
	{"new", `wholes.insert({ label: "new", C: E })`}, {"new", `wholes.create({ data: { C: E, label: "new" } })`}, {"new", `wholes.insertMany([{ label: "new", C: E }])`}, {"new", `wholes.insert([{ C: E, label: "new" }])`},
}

// TestWritingWholes crosses values of many parts, where they come from and the forms of a change. Each program leaves what the table
// above says, or is an error and leaves everything as it was.
func TestWritingWholes(t *testing.T) {
	draw := rand.New(rand.NewPCG(tu.Seed(t, 12), 4))
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := kit.OpenWholes(t, e, nil)
		kept, clear := 0, `await wholes.where({ label: "new" }).delete(); await wholes.where(w => w.label !== "new").update({ tags: [], doc: null, raw: null, nums: null, decs: null, days: null, flags: null, floats: null, ids: null })`
		w.Look(clear)
		for _, col := range []string{"tags", "doc", "raw", "nums", "decs", "days", "flags", "floats", "ids"} {
			for _, v := range wholeValues {
				value, ok := v.fits[col]
				if !ok && (col == "doc" || col == "raw") {
					value, ok = v.fits["*"]
				}
				if !tu.Long() && draw.IntN(4) > 0 {
					continue
				}
				place, form := wholePlaces[draw.IntN(len(wholePlaces))], wholeForms[draw.IntN(len(wholeForms))]
				program := strings.NewReplacer("C", col, "V", v.js).Replace(place.before) + " return " + strings.NewReplacer("C", col, "E", strings.NewReplacer("C", col, "V", v.js).Replace(place.expr)).Replace(form.text)
				r := w.Tool.Run(t.Context(), program)
				if ok != (r.Err == nil) {
					t.Errorf("%s\ngives %s %v, and is to fail: %t", program, r.JSON, r.Err, !ok)
					continue
				}
				if !ok {
					if fail.KindOf(r.Err) == fail.Internal {
						t.Errorf("%s\n%v", program, r.Err)
					}
					if after := w.Look("return (await wholes.orderBy(w => w.id)).map(w => w." + col + ").filter(v => v?.length > 0 || v !== null && !Array.isArray(v))"); after != "[]" {
						t.Errorf("%s\nfails and leaves %s", program, after)
					}
					continue
				}
				kept++
				if got := w.Look(fmt.Sprintf(`return (await wholes.where({ label: %q }).first()).%s`, form.of, col)); !tu.SameJSON(got, value) {
					t.Errorf("%s\nleaves %s\nwant %s", program, got, value)
				}
				w.Look(clear)
			}
		}
		if kept < 15 {
			t.Errorf("only %d programs change anything", kept)
		}
		if got := tu.Rows(t, w.SQL, "SELECT count(*) FROM wholes WHERE org_id = 2 AND label = 'theirs' AND "+e.Pick("tags = '[]'", "tags = '{}'")+" AND nums IS NULL"); !strings.Contains(got, "1") {
			t.Error(got)
		}
	})
}

// TestWholesAreValues: whatever text an element, a field or a key of a written value is, it is that and nothing else.
func TestWholesAreValues(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := kit.OpenWholes(t, e, nil)
		texts := slices.DeleteFunc(append(kit.Payloads(t), `","`, `\`, `\"`, "NULL", "null", "{", "}", "{1,2}", "", " ", "\n", "é😀", `'`, "$1", "?", "[1:2]={a,b}"), func(s string) bool { return strings.Contains(s, "\x00") || len(s) > 2000 })
		for from := 0; from < len(texts); from += 40 {
			part := texts[from:min(from+40, len(texts))]
			b, err := json.Marshal(part)
			if err != nil {
				t.Fatal(err)
			}
			got := w.Look(fmt.Sprintf(`const texts = %s; const doc = { texts, keys: Object.fromEntries(texts.map(t => ["k" + t, t])) };
				await wholes.where({ label: "one" }).update({ tags: texts, doc, raw: doc });
				const r = await wholes.where({ label: "one" }).first();
				const same = d => d.texts.join("|") === texts.join("|") && texts.every(t => d.keys["k" + t] === t);
				const n = await wholes.ifUnchanged(r).update({ label: "one" });
				return [r.tags.length === texts.length && r.tags.every((t, i) => t === texts[i]), same(r.doc), same(r.raw), n]`, b))
			if got != "[true,true,true,1]" {
				t.Errorf("%s: %q", got, part)
			}
		}
	})
}

// TestWholesUnchanged: ifUnchanged compares whole values, and finds no row in which any part has become another.
func TestWholesUnchanged(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := kit.OpenWholes(t, e, nil)
		for program, want := range map[string]string{
			`const r = await wholes.where({ label: "two" }).first(); return wholes.ifUnchanged(r).update({ doc: { ...r.doc, a: [1, 2] } })`: `1`,
			`return wholes.ifUnchanged({ label: "two", doc: { n: null, a: [1, { b: "x" }] } }).update({ tags: ["x"] })`:                     `1`,
			`return wholes.ifUnchanged({ label: "two", doc: { n: null, a: [{ b: "x" }, 1] } }).update({ tags: ["x"] })`:                     `conflict`,
			`return wholes.ifUnchanged({ label: "two", doc: { n: null, a: [1, { b: "y" }] } }).update({ tags: ["x"] })`:                     `conflict`,
			`return wholes.ifUnchanged({ label: "two", doc: { a: [1, { b: "x" }] } }).update({ tags: ["x"] })`:                              `conflict`,
			`return wholes.ifUnchanged({ label: "two", doc: "x" }).update({ tags: ["x"] })`:                                                 `conflict`,
			`return wholes.ifUnchanged({ label: "two", doc: null }).update({ tags: ["x"] })`:                                                `conflict`,
			`return wholes.ifUnchanged({ label: "two", tags: [] }).update({ tags: ["x"] })`:                                                 `1`,
			`return wholes.ifUnchanged({ label: "two", tags: ["a"] }).update({ tags: ["x"] })`:                                              `conflict`,
			`await wholes.where({ label: "one" }).update({ nums: [1, null, 3], decs: ["1.50"], flags: [true], floats: [0.5], days: ["2024-01-31"], ids: ["` + wholeUUID + `"] }); const r = await wholes.where({ label: "one" }).first(); return wholes.ifUnchanged(r).delete()`: `1`,
			`await wholes.where({ label: "one" }).update({ nums: [1, null, 3] }); return wholes.ifUnchanged({ label: "one", nums: [1, 2, 3] }).delete()`:                                                                                                                         `conflict`,
			`await wholes.where({ label: "one" }).update({ nums: [1, null, 3] }); return wholes.ifUnchanged({ label: "one", nums: [1, null] }).delete()`:                                                                                                                         `conflict`,
			`await wholes.where({ label: "one" }).update({ raw: { b: 1, a: 1.5 } }); return wholes.ifUnchanged({ label: "one", raw: { a: 1.5, b: 1 } }).delete()`:                                                                                                                `1`,
			`return wholes.ifUnchanged({ label: "one", nums: ["x"] }).delete()`:                                                                                                                                                                                                  `invalid`,
			`return wholes.ifUnchanged({ label: "one", doc: wholes }).delete()`:                                                                                                                                                                                                  `invalid`,
			`return wholes.where({ label: "two", doc: { n: null } }).count()`:                                                                                                                                                                                                    `invalid`, // there its keys would be conditions, as in other libraries
			`return wholes.where(w => w.tags === ["a"]).update({ label: "x" })`:                                                                                                                                                                                                  `invalid`,
			`return wholes.where({ label: "one" }).update(w => ({ doc: { l: w.label } }))`:                                                                                                                                                                                       `invalid`,
			`return wholes.where({ label: "one" }).update({ doc: Object.assign([1], { toJSON: () => "x" }) })`:                                                                                                                                                                   `invalid`,
			`let n = 0; return wholes.where({ label: "one" }).update({ doc: { get a() { return n++ ? wholes : 1 } } })`:                                                                                                                                                          `invalid`,
			`return wholes.where({ label: "one" }).update({ doc: { get a() { throw { kind: "mine" } } } })`:                                                                                                                                                                      `mine`,
			`return wholes.where({ label: "one" }).update(w => ({ tags: ["a", w.label] }))`:                                                                                                                                                                                      `invalid`,
		} {
			got := w.Look("try { await (async () => { " + program + " })().then(n => { throw n }) } catch (e) { return typeof e === 'number' ? e : e.kind }")
			if got != want && got != `"`+want+`"` {
				t.Errorf("%s\ngives %s, want %s", program, got, want)
			}
			w.Look(`await wholes.all().delete(); await wholes.insertMany([{ label: "one" }, { label: "two", doc: { a: [1, { b: "x" }], n: null } }])`)
		}
	})
}

// TestWholesOfGo: Go code writes and reads the same values, keeps their digits, and is refused what it could not read again.
func TestWholesOfGo(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		ctx := t.Context()
		w := kit.OpenWholes(t, e, nil)
		mine := exosql.Grant(w.DB, w.T, w.Org.Eq(1))
		big := int64(9007199254740993)
		row, err := mine.Insert(ctx, w.Label.Set("new"), w.Tags.Set([]string{`a","b`, "NULL", ""}), w.Doc.Set(exosql.JSON(`{"n": 9007199254740993, "a": 1, "a": [1.50, null, "\u00e9"]}`)), w.Nums.Set([]*int64{&big, nil}), w.Decs.Set([]exosql.Decimal{"1.50"}))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(row.Tags, []string{`a","b`, "NULL", ""}) || !tu.SameJSON(string(*row.Doc), `{"n":9007199254740993,"a":[1.5,null,"é"]}`) || !strings.Contains(string(*row.Doc), "9007199254740993") || strings.Contains(string(*row.Doc), `"9007`) {
			t.Errorf("%q %s", row.Tags, *row.Doc)
		}
		if *(*row.Nums)[0] != big || (*row.Nums)[1] != nil || (*row.Decs)[0] != "1.5" {
			t.Error(*(*row.Nums)[0], (*row.Decs)[0])
		}
		one := mine.Where(w.Label.Eq("one"))
		if n, err := one.Update(ctx, w.Doc.Set(exosql.JSON(`[]`)), w.Tags.Set(nil), w.Nums.SetNull()); err != nil || n != 1 {
			t.Error(n, err)
		}
		for _, bad := range []string{"", "{", "null", "1 2", `"\u0000"`, `"\ud800"`, "1e400", `{"a":1e999}`, "{} x", strings.Repeat("[", 300) + strings.Repeat("]", 300)} {
			if _, err := one.Update(ctx, w.Doc.Set(exosql.JSON(bad))); fail.KindOf(err) != fail.Invalid || !errors.Is(err, exo.ErrNothingDone) {
				t.Errorf("%q: %v", bad, err)
			}
		}
		if _, err := one.Update(ctx, w.Decs.Set([]exosql.Decimal{"x"})); fail.KindOf(err) != fail.Invalid {
			t.Error(err)
		}
		rows, err := one.All(ctx)
		if err != nil || len(rows) != 1 || string(*rows[0].Doc) != "[]" || len(rows[0].Tags) != 0 || rows[0].Nums != nil {
			t.Error(rows, err)
		}
	})
}

// TestWholesNullElement: an element that is NULL is refused where the declared slice could not hold it.
func TestWholesNullElement(t *testing.T) {
	type line struct {
		ID   int64
		Tags []*string
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := kit.OpenWholes(t, e, nil)
		if r := w.Tool.Run(t.Context(), `return wholes.where({ label: "one" }).update({ tags: ["a", null] })`); fail.KindOf(r.Err) != fail.Invalid || !strings.Contains(r.Err.Error(), "tags[1]") {
			t.Error(r.Err)
		}
		x := exosql.NewTable[line]("wholes")
		id := exosql.NewKey(x, "id", func(l *line) *int64 { return &l.ID })
		tags := exosql.NewColumn(x, "tags", func(l *line) *[]*string { return &l.Tags })
		tool, err := codemode.New(codemode.Grants{"lines": exosql.NewFacet(x, "line", id, tags).AllowUpdate(tags).Of(exosql.Grant(w.DB, x, id.Eq(1)))}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
		if err != nil {
			t.Fatal(err)
		}
		if r := tool.Run(t.Context(), `await lines.all().update({ tags: ["a", null] }); return lines.all()`); string(r.JSON) != `[{"id":1,"tags":["a",null]}]` {
			t.Error(r.JSON, r.Err)
		}
	})
}

// TestWholesChanged: the images of a run show whole values.
func TestWholesChanged(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		var got []exosql.Change
		w := kit.OpenWholes(t, e, exo.RecordFunc(func(x exo.Entry) error {
			for _, d := range x.Details {
				if c, ok := d.(exosql.Changes); ok {
					got = c.Rows
				}
			}
			return nil
		}))
		if r := w.Tool.Run(t.Context(), `return wholes.where({ label: "two" }).update({ doc: { b: [1, 2] }, tags: ["x"] })`); r.Err != nil {
			t.Fatal(r.Err)
		}
		if len(got) != 1 {
			t.Fatal(got)
		}
		before, _ := got[0].Before.Get("doc")
		after, _ := got[0].After.Get("doc")
		tags, _ := got[0].After.Get("tags")
		if !tu.SameJSON(before.String(), `{"a":[1,{"b":"x"}],"n":null}`) || !tu.SameJSON(after.String(), `{"b":[1,2]}`) || tags.String() != `["x"]` {
			t.Error(got)
		}
	})
}
