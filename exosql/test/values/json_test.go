package values_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

func documentsOf(t testing.TB, e tu.Engine, more string) *tu.Runner {
	t.Helper()
	db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(e.SQL(kit.DocumentsDDL) + more)})
	facet := exosql.NewFacet(kit.Documents, "doc", kit.DocumentID, kit.DocumentName, kit.DocumentData)
	return tu.NewRunner(t, map[string]exo.Object{"docs": facet.Of(exosql.Grant(db, kit.Documents, kit.DocumentOwner.Eq(1)))}, exo.Limits{})
}

// TestJSON: what is in JSON, in every place of a query, over the documents in the order of their ids.
func TestJSON(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := documentsOf(t, e, "")
		for expr, want := range map[string]string{
			"d.data.os":                          `["mac","win",5,null,null,null]`,
			"d.data.os === 'mac'":                `[true,false,false,false,false,false]`,
			"d.data.os !== 'mac'":                `[false,true,true,true,true,true]`,
			"d.data.os.eq('mac')":                `[true,false,null,null,null,null]`,
			"d.data.os === 5":                    `[false,false,true,false,false,false]`,
			"d.data.os === null":                 `[false,false,false,true,true,true]`,
			"d.data.n === null":                  `[true,true,true,true,true,true]`,
			"d.data.n.isNotNull()":               `[false,false,false,false,false,false]`,
			"d.data.on === true":                 `[true,false,false,false,false,false]`,
			"d.data.on === false":                `[false,true,false,false,false,false]`,
			"d.data.size > 2.5":                  `[true,false,false,false,false,false]`,
			"d.data.size >= 2.5":                 `[true,true,false,false,false,false]`,
			"d.data.size.between(1, 2.75)":       `[false,true,null,null,null,null]`,
			"d.data.os.in(['mac', 'win'])":       `[true,true,null,null,null,null]`,
			"['mac', 'x'].includes(d.data.os)":   `[true,false,false,false,false,false]`,
			"d.data.size.in([3, 4])":             `[true,false,null,null,null,null]`,
			"d.data.os.notIn(['mac'])":           `[false,true,null,null,null,null]`,
			"d.data.os.asText() === d.name":      `[true,false,true,false,false,false]`,
			"d.data.os.eq(d.name)":               `[true,false,null,null,null,null]`,
			"d.data.size.eq(d.id)":               `[false,false,null,null,null,null]`,
			"d.data.size.lt(d.id)":               `[false,false,null,null,null,null]`,
			"d.data.os.asText()":                 `["mac","win",null,null,null,null]`,
			"d.data.os.asText().includes('a')":   `[true,false,false,false,false,false]`,
			"d.data.os.asText().upper()":         `["MAC","WIN",null,null,null,null]`,
			"d.data.os.asText() ?? 'none'":       `["mac","win","none","none","none","none"]`,
			"d.data.size.asNumber()":             `[3,2.5,null,null,null,null]`,
			"d.data.size.asNumber() + 1":         `[4,3.5,null,null,null,null]`,
			"d.data.on.asBool()":                 `[true,false,null,null,null,null]`,
			"d.data.on.asBool() && d.id < 9":     `[true,false,null,null,null,null]`,
			"d.data.tags":                        `[["a","b"],[],null,null,null,null]`,
			"d.data.tags[0]":                     `["a",null,null,null,null,null]`,
			"d.data.tags[1] === 'b'":             `[true,false,false,false,false,false]`,
			"d.data.os[0]":                       `[null,null,null,null,null,null]`,
			"d.data[0]":                          `[null,null,null,10,null,null]`,
			"d.data.deep.x[0]":                   `[null,null,null,null,null,null]`,
			"d.data.size[0].asNumber()":          `[null,null,null,null,null,null]`,
			"d.data[1]":                          `[null,null,null,20,null,null]`,
			"d.data[2].os":                       `[null,null,null,"mac",null,null]`,
			"d.data[2].os === 'mac'":             `[false,false,false,true,false,false]`,
			"d.data === 'mac'":                   `[false,false,false,false,true,false]`,
			"d.data.asText()":                    `[null,null,null,null,"mac",null]`,
			"d.data.deep.x.y":                    `["z",null,null,null,null,null]`,
			"d.data?.deep?.x?.y":                 `["z",null,null,null,null,null]`,
			"d.data['a.b']":                      `["dot",null,null,null,null,null]`,
			"d.data['q\"d']":                     `["quote",null,null,null,null,null]`,
			"d.data['$.os']":                     `["dollar",null,null,null,null,null]`,
			"d.data['$']":                        `[null,null,null,null,null,null]`,
			"d.data['[0]']":                      `["bracket",null,null,null,null,null]`,
			"d.data['é']":                        `["é",null,null,null,null,null]`,
			"d.data.getKey('0')":                 `["zero",null,null,null,null,null]`,
			"d.data.getKey('length')":            `[5,null,null,null,null,null]`,
			"d.data.length":                      `[5,null,null,3,3,null]`,
			"d.data.tags.length":                 `[2,0,null,null,null,null]`,
			"d.data.os.length":                   `[3,3,null,null,null,null]`,
			"d.data.tags.length > 1":             `[true,false,false,false,false,false]`,
			"String(d.data.os)":                  `["mac","win","5",null,null,null]`,
			"String(d.data.size)":                `["3","2.5","3",null,null,null]`,
			"String(d.data.on)":                  `["true","false","true",null,null,null]`,
			"String(d.data.tags)":                `[null,null,null,null,null,null]`,
			"d.data.tags.includes('a')":          `[true,false,false,false,false,false]`,
			"d.data.tags.has('a')":               `[true,false,null,null,null,null]`,
			"d.data.tags.contains('b')":          `[true,false,false,false,false,false]`,
			"d.data.tags.includes('A')":          `[false,false,false,false,false,false]`,
			"d.data.tags.includes(\"' OR 1=1\")": `[false,false,false,false,false,false]`,
			"d.data.tags.includes(5)":            `[false,false,false,false,false,false]`,
			"d.data.includes(10)":                `[false,false,false,true,false,false]`,
			"d.data.includes('10')":              `[false,false,false,false,false,false]`,
			"d.data.includes(true)":              `[false,false,false,false,false,false]`,
			"d.data.os.includes('a')":            `[true,false,false,false,false,false]`,
			"d.data.os.has('mac')":               `[null,null,null,null,null,null]`,
			"!d.data.tags.includes('a')":         `[false,true,true,true,true,true]`,
			"d.data.mixed.includes('x')":         `[false,false,false,false,false,false]`,
			"d.data.when >= '2024-01-01'":        `[true,false,false,false,false,false]`,
			"d.data.big > 1e19":                  `[false,true,false,false,false,false]`,
			"d.data.huge.asNumber()":             `[null,null,null,null,null,null]`,
			"d.data[\"x' OR 1=1 --\"]":           `[null,null,null,null,null,null]`,
		} {
			o := r.Run(t, "return (await docs.orderBy(d => d.id).select(d => ({ x: "+expr+" })).execute()).map(r => r.x)")
			if o.Kind != 0 || !tu.SameJSON(o.JSON, want) {
				t.Errorf("%s\ngot  %v\nwant %s", expr, o, want)
			}
		}
		for program, want := range map[string]string{
			"docs.where(d => d.data.os === 'mac').count()":                                                                           "1",
			"docs.where(({ doc: { data: { os } } }) => os === 'mac').count()":                                                        "1",
			"docs.where(d => d.data.size > 2 && d.data.on === true || d.data.os === 5).count()":                                      "2",
			"docs.where(d => !(d.data.os === 'mac')).count()":                                                                        "5",
			"docs.sum(d => d.data.size.asNumber())":                                                                                  "5.5",
			"docs.max(d => d.data.os.asText())":                                                                                      `"win"`,
			"docs.countDistinct(d => d.data.os.asText())":                                                                            "2",
			"docs.groupBy(d => ({ os: d.data.os.asText() })).select(g => ({ os: g.os, n: g.count() })).orderBy(g => g.os).execute()": `[{"os":null,"n":4},{"os":"mac","n":1},{"os":"win","n":1}]`,
			"docs.orderBy(d => d.data.size.asNumber().desc()).limit(1).select(d => ({ id: d.id })).execute()":                        `[{"id":1}]`,
			"docs.groupBy(d => d.data.os).select(g => ({ os: g.os, n: g.count() })).orderBy(g => g.key)":                             `[{"os":null,"n":3},{"os":"5","n":1},{"os":"mac","n":1},{"os":"win","n":1}]`,
			"docs.groupBy(d => ({ s: d.data.os })).select(g => ({ os: g.s, n: g.count() })).orderBy(g => g.s)":                       `[{"os":null,"n":3},{"os":"5","n":1},{"os":"mac","n":1},{"os":"win","n":1}]`,
			"docs.groupBy(d => [d.data.on, d.data.os]).where(g => g.os === 'mac').select(g => ({ ...g, n: g.length }))":              `[{"on":"true","os":"mac","n":1}]`,
			"docs.countBy(d => d.data.deep.x.y).orderBy(g => g.count().desc())":                                                      `[{"y":null,"count":5},{"y":"z","count":1}]`,
			"docs.where(d => `${d.data.os}` === 'mac').count()":                                                                      "1",
			"docs.select(d => ({ os: d.data.os.asText() })).distinct().count()":                                                      "3",
		} {
			if o := r.Run(t, "return await "+program); o.Kind != 0 || !tu.SameJSON(o.JSON, want) {
				t.Errorf("%s\ngot  %v\nwant %s", program, o, want)
			}
		}
	})
}

// TestJSONGroupsOfNumbers: numbers that JavaScript's would take for one are groups of their own, by the digits that rows show.
func TestJSONGroupsOfNumbers(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := documentsOf(t, e, `; INSERT INTO documents VALUES (11, 1, 'id', '{"k":9007199254740992}'), (12, 1, 'id', '{"k":9007199254740993}'), (13, 1, 'id', '{"k":9007199254740993.0}'), (14, 1, 'id', '{"k":-9007199254740993}'),
			(15, 1, 'id', '{"k":12345678901234567891}'), (16, 1, 'id', '{"k":12345678901234567892}'), (17, 1, 'id', '{"k":2.5}'), (18, 1, 'id', '{"k":25e-1}'), (19, 1, 'id', '{"k":1e400}'), (20, 1, 'id', '{"k":"2.5"}'), (21, 1, 'id', '{"k":{"length":3}}'), (22, 1, 'id', '{"k":{"length":"3"}}'), (23, 1, 'id', '{"k":{"length":2.5}}')`)
		for program, want := range map[string]string{
			"docs.where({ name: 'id' }).countBy(d => d.data.k).orderBy(g => g.k)":                   `[{"k":null,"count":4},{"k":"-9007199254740993","count":1},{"k":"12345678901234567891","count":1},{"k":"12345678901234567892","count":1},{"k":"2.5","count":3},{"k":"9007199254740992","count":1},{"k":"9007199254740993","count":2}]`,
			"docs.where(d => d.data.k.length >= 3).select(d => ({ id: d.id, n: d.data.k.length }))": `[{"id":20,"n":3},{"id":21,"n":3}]`,
		} {
			if o := r.Run(t, "return await "+program); o.Kind != 0 || !tu.SameJSON(o.JSON, want) {
				t.Errorf("%s\n got  %s\n want %s", program, o, want)
			}
		}
	})
}

// TestJSONWideNumbers: a whole number beyond 2^53 is shown as a text, and found by it, in all forms of equality. As a number it has the digits that
// JavaScript's numbers have, with a notice. What is no such text finds texts alone.
func TestJSONWideNumbers(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := documentsOf(t, e, `; INSERT INTO documents VALUES (11, 1, 'id', '{"k":9007199254740992}'), (12, 1, 'id', '{"k":9007199254740993}'), (13, 1, 'id', '{"k":"9007199254740993"}'), (14, 1, 'id', '{"k":-9007199254740993}'),
			(15, 1, 'id', '{"k":12345678901234567891}'), (16, 1, 'id', '{"k":12345678901234567892}'), (17, 1, 'id', '{"k":2.5}'), (18, 1, 'id', '{"k":"1234567890123456"}'), (19, 1, 'id', '{"k":1234567890123456}'), (20, 1, 'id', '{"k":[9007199254740993, "9007199254740995", 1]}')`)
		for program, want := range map[string]string{
			"const wide = (await docs.where({ id: 12 }).first()).data.k; return [typeof wide, await ids(d => d.data.k === wide)]":            `["number",[12,13]]`,
			"const rows = await docs.where(d => d.id > 10 && d.id < 15); return Promise.all(rows.map(r => ids(d => d.data.k === r.data.k)))": `[[11],[12,13],[12,13],[14]]`,
			"return ids(d => d.data.k.eq('9007199254740993'))":                                                                               `[12,13]`,
			"return ids(d => ['9007199254740992', '9007199254740993'].includes(d.data.k))":                                                   `[11,12,13]`,
			"return ids(d => d.data.k.in(['12345678901234567891', 'x']))":                                                                    `[15]`,
			"return ids(d => d.id > 10 && d.data.k !== '9007199254740993')":                                                                  `[11,14,15,16,17,18,19,20]`,
			"return ids(d => d.id > 10 && !(d.data.k === '9007199254740993'))":                                                               `[11,14,15,16,17,18,19,20]`,
			"return ids(d => d.data.k === '-9007199254740993')":                                                                              `[14]`,
			"return ids(d => d.data.k === '1234567890123456')":                                                                               `[18]`, // which a number holds
			"return ids(d => d.data.k === 1234567890123456)":                                                                                 `[19]`,
			"return ids(d => d.data.k.includes('9007199254740993'))":                                                                         `[13,20]`, // of a text it is a part
			"return ids(d => d.data.k.has('9007199254740995') || d.data.k.has('9007199254740996'))":                                          `[20]`,
			"return ids(d => d.data.k.asText() === '9007199254740993')":                                                                      `[13]`,
			"return ids(d => String(d.data.k) === '12345678901234567891')":                                                                   `[15]`,
			"return ids(d => d.data.k > 9007199254740993000)":                                                                                `[15,16]`,
		} {
			if o := r.Run(t, "const ids = (c) => docs.where(c).orderBy(d => d.id).select(d => d.id); "+program); o.Kind != 0 || !tu.SameJSON(o.JSON, want) {
				t.Errorf("%s\n got  %s\n want %s", program, o, want)
			}
		}
		if o := r.Run(t, "return await docs.where(d => d.data.k > '9007199254740993')"); o.Kind != fail.Invalid || !strings.Contains(o.Message, "asNumber()") {
			t.Error(o)
		}
		for program, notice := range map[string]bool{"docs.where({ id: 12 }).select(d => d.data.k.asNumber())": true, "docs.where({ id: 12 }).select(d => ({ n: d.data.k.asNumber() })).first()": true, "docs.where(d => d.id > 16).select(d => d.data.k.asNumber())": false, "docs.where({ id: 12 }).select(d => d.data.k)": false} {
			o := r.Run(t, "return await "+program)
			if got := strings.Join(o.Result.Notices, ""); o.Kind != 0 || strings.Contains(got, "`data` has 1 numbers beyond 2^53") != notice {
				t.Errorf("%s: %s %q", program, o, got)
			}
		}
	})
}

// TestJSONRefusals: what is not right in JSON is an error that says what would be.
func TestJSONRefusals(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := documentsOf(t, e, "")
		for program, says := range map[string]string{
			"docs.where(d => d.data.os === d.name)":              "asText() === other",
			"docs.where(d => d.data.os !== d.name)":              "asText() === other",
			"docs.where(d => d.data.os === d.data.name)":         "asText() === other",
			"docs.where(d => d.data.when > new Date(0))":         "A date in JSON is a text",
			"docs.where(d => d.data.os.in(['mac', 5]))":          "only texts or only numbers",
			"docs.where(d => d.data.os.in([d.name]))":            "can't have columns in it",
			"docs.where(d => d.data.os.between('a', 5))":         "a text, a number, true or false",
			"docs.where(d => d.data.os === { a: 1 })":            "a text, a number",
			"docs.where(d => d.data.tags.startsWith('a'))":       "asText()",
			"docs.where(d => d.data.os.startsWith('m'))":         "asText()",
			"docs.where(d => d.data.os.toLowerCase() === 'mac')": "asText()",
			"docs.where(d => d.data.tags.size() > 1)":            "has no method `size`",
			"docs.where(d => d.data.tags.some(t => t === 'a'))":  "select it",
			"docs.where(d => d.data.on)":                         "asBool()",
			"docs.where(d => !d.data.on)":                        "asBool()",
			"docs.where(d => d.data.on && d.id > 1)":             "asBool()",
			"docs.where(d => d.data.size + 1 > 2)":               "asNumber()",
			"docs.where(d => (d.data.os ?? 'x') === 'x')":        "asText()",
			"docs.where(d => Number(d.data.size) > 1)":           "asNumber()",
			"docs.orderBy(d => d.data.os)":                       "asText()",
			"docs.orderBy(d => d.data.os.desc())":                "asText()",
			"docs.groupBy(d => d.data)":                          "a whole JSON document is no text",
			"docs.sum(d => d.data.size)":                         "asNumber()",
			"docs.select(d => ({ os: d.data.os })).distinct()":   "can't be compared",
			"docs.where(d => d.data.getKey(-1) === 'x')":         "can't be negative",
			"docs.where(d => d.data.getKey(1.5) === 'x')":        "a key of JSON",
			"docs.where(d => d.data.getKey(true) === 'x')":       "a key of JSON",
			"docs.where(d => d.data.getKey(null) === 'x')":       "a key of JSON",
			"docs.where(d => d.data.getKey(d.name) === 'x')":     "only a value of the program",
			"docs.where(d => d.data.getKey() === 'x')":           "needs the key",
			"docs.where(d => d.data.getKey === 'x')":             "call it",
			"docs.select(d => ({ ...d.data }))":                  "only describes",
		} {
			for _, end := range []string{".execute()", ".count()"} {
				o := r.Run(t, "return await "+program+end)
				if o.Kind != fail.Invalid && o.Kind != fail.Denied && o.Kind != fail.Program || !strings.Contains(o.Message, says) {
					t.Errorf("%s%s\n%v", program, end, o)
				}
			}
		}
	})
}

// TestJSONKeysAreValues: whatever text a key is, it finds what is under it and nothing else.
func TestJSONKeysAreValues(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		var keys []string
		for _, k := range append(kit.Payloads(t), "$", "$.os", "$[0]", "[0]", "#", "0", "-1", "a.b", `a"b`, `a\b`, `\u0061`, `a\u0062`, "<&>", "\u2028", "é", "e\u0301", "") {
			if len(k) <= 1000 && !slices.Contains(keys, k) { // an index of PostgreSQL's on what a row holds is not needed here
				keys = append(keys, k)
			}
		}
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
			if _, err := db.ExecContext(ctx, e.SQL("CREATE TABLE documents (id {int} PRIMARY KEY, owner {int} NOT NULL, name TEXT, data {json})")); err != nil {
				return err
			}
			for i, k := range keys {
				data, err := json.Marshal(map[string]any{k: "v"})
				if err != nil {
					return err
				}
				if _, err := db.ExecContext(ctx, e.Pick("INSERT INTO documents VALUES (?, 1, NULL, ?), (?, 2, NULL, ?)", "INSERT INTO documents VALUES ($1, 1, NULL, $2), ($3, 2, NULL, $4)"), i, string(data), 1000+i, string(data)); err != nil {
					return err
				}
			}
			return nil
		}})
		facet := exosql.NewFacet(kit.Documents, "doc", kit.DocumentID, kit.DocumentData)
		r := tu.NewRunner(t, map[string]exo.Object{"docs": facet.Of(exosql.Grant(db, kit.Documents, kit.DocumentOwner.Eq(1)))}, exo.Limits{})
		for i, k := range keys {
			text, err := json.Marshal(k)
			if err != nil {
				t.Fatal(err)
			}
			o := r.Run(t, fmt.Sprintf("const k = %s; return (await docs.where(d => d.data.getKey(k) === 'v').execute()).map(d => d.id)", text))
			if strings.Contains(k, "\x00") {
				if o.Kind != fail.Invalid {
					t.Errorf("%q: %v", k, o)
				}
			} else if o.JSON != fmt.Sprintf("[%d]", i) {
				t.Errorf("%q: %v, want [%d]", k, o, i)
			}
		}
	})
}

// TestJSONStaysInScope: what is in JSON out of scope is not looked into. Of a column of type json PostgreSQL finds
// out only then that a text in it is none, and fails; the twin whose scope it is in sees that.
func TestJSONStaysInScope(t *testing.T) {
	e := tu.Postgres
	db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE documents (id bigint PRIMARY KEY, owner bigint NOT NULL, name text, data json)",
		`INSERT INTO documents SELECT i, 1 + i % 3, 'n', CASE WHEN i % 3 = 1 THEN '{"os":"\u0000","n":1}' ELSE '{"os":"mac","n":2}' END::json FROM generate_series(1, 3000) i`,
		"CREATE INDEX ON documents (owner)", "ANALYZE documents")})
	facet := exosql.NewFacet(kit.Documents, "doc", kit.DocumentID, kit.DocumentName, kit.DocumentData)
	for owner, fails := range map[int64]bool{1: false, 2: true} {
		r := tu.NewRunner(t, map[string]exo.Object{"docs": facet.Of(exosql.Grant(db, kit.Documents, kit.DocumentOwner.Eq(owner)))}, exo.Limits{})
		for _, program := range []string{
			"docs.where(d => d.data.os === 'mac').count()",
			"docs.where(d => d.id < 10 && d.data.os !== 'x').execute()",
			"docs.where(d => d.data.n > 1 || d.name === 'n').count()",
			"docs.orderBy(d => d.data.os.asText()).limit(3).execute()",
			"docs.max(d => d.data.os.asText())",
			"docs.sum(d => d.data.n.asNumber())",
			"docs.groupBy(d => ({ os: d.data.os.asText() })).select(g => ({ os: g.os, n: g.count() })).where(g => g.os !== 'y').execute()",
			"docs.select(d => ({ os: d.data.os })).limit(3).execute()",
		} {
			if o := r.Run(t, "return await "+program); (o.Kind != 0) != fails {
				t.Errorf("owner %d: %s: %v\n%v", owner, program, o, o.SQL)
			}
		}
	}
}

// TestJSONHas: an array has what equals one of its elements, of the element's own type; numbers are compared as those that
// programs have, and what is in an element is no element.
func TestJSONHas(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := documentsOf(t, e, `; INSERT INTO documents VALUES (20, 1, NULL, '[1, 0.10, 12345678901234567890, 1e400, "x", "", "a\"b", true, null, ["in"], {"k":"in"}, -0.0]')`)
		for element, want := range map[string]string{
			"1": "true", "1.0": "true", "0.1": "true", "0.10000000000000001": "true", "12345678901234567000": "true", "0": "true", "-1": "false", "'1'": "false", "'x'": "true", "''": "true", "'X'": "false",
			`'a"b'`: "true", "true": "true", "false": "false", "'true'": "false", "'null'": "false", "'in'": "false", "'k'": "false", "1e308": "false", "Number.MAX_VALUE": "false", "2**31": "false",
			"'x'.repeat(300)": "false",
		} {
			if o := r.Run(t, "return await docs.where({ id: 20 }).select(d => d.data.has("+element+"))"); o.JSON != "["+want+"]" {
				t.Errorf("%s: %s, want %s", element, o, want)
			}
			if o := r.Run(t, "return await docs.where({ id: 20 }).select(d => d.data.includes("+element+"))"); o.JSON != "["+want+"]" && !strings.Contains(o.Message, "200 bytes") {
				t.Errorf("includes %s: %s, want %s", element, o, want)
			}
		}
		for _, element := range []string{"null", "undefined", "[1]", "{ k: 'in' }", "d.name", "d.data", "new Date()", "", "docs"} {
			if o := r.Run(t, "return await docs.select(d => d.data.has("+element+"))"); o.Kind != fail.Invalid {
				t.Errorf("has(%s): %s", element, o)
			}
		}
	})
}

// TestBrokenJSON: a text that is no JSON is null, and so is what is in it; where it is shown, with a notice.
func TestBrokenJSON(t *testing.T) {
	r := documentsOf(t, tu.SQLite, "; UPDATE documents SET data = '{\"os\":\"mac' WHERE id = 1")
	if o := r.Run(t, "return await docs.where(d => d.data.os === 'mac').count()"); o.JSON != "0" {
		t.Error(o)
	}
	if o := r.Run(t, "return await docs.where(d => d.id === 1).select(d => ({ os: d.data.os, t: d.data.asText() })).first()"); o.JSON != `{"os":null,"t":null}` {
		t.Error(o)
	}
	if o := r.Run(t, "return (await docs.execute()).filter(d => d.data === null).length > 0"); o.JSON != "true" || len(o.Result.Notices) == 0 {
		t.Error(o)
	}
}

// TestJSONKeepsItsLabel: what is in a column carries its label, in whatever form it decides.
func TestJSONKeepsItsLabel(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(e.SQL(kit.DocumentsDDL))})
		table := exosql.NewTable[kit.Document]("documents")
		id := exosql.NewKey(table, "id", func(d *kit.Document) *int64 { return &d.ID })
		data := exosql.NewNullable(table, "data", func(d *kit.Document) **exosql.JSON { return &d.Data }).WithLabel("medical")
		docs := exosql.NewFacet(table, "doc", id, data).Of(exosql.Grant(db, table, exosql.AllRows[kit.Document]()))
		for _, program := range []string{
			"docs.select(d => ({ x: d.data.os }))", "docs.where(d => d.data.os === 'mac').select(d => ({ x: d.id }))", "docs.where(d => d.data.os === null).count()",
			"docs.orderBy(d => d.data.os.asText()).select(d => ({ x: d.id }))", "docs.sum(d => d.data.size.asNumber())",
			"docs.groupBy(d => ({ on: d.data.on.asBool() })).count()", "docs.groupBy(d => d.id).where(g => g.max(d => d.data.os.asText()) === 'mac').select(g => ({ x: g.id }))",
		} {
			for admits, ok := range map[string]bool{"": false, "medical": true} {
				g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"docs": docs}, Admits: value.NewLabel(strings.Fields(admits)...)})
				if err != nil {
					t.Fatal(err)
				}
				r := tu.InProcess(g).Run(t.Context(), exoeval.Job{Program: "return await " + program})
				if ok != (r.Err == nil) || r.Label.Empty() {
					t.Errorf("%s, admitting %q: %v %v, label %v", program, admits, r.Value, r.Err, r.Label)
				}
			}
		}
	})
}

type box struct{ ID, Doc int64 }

// TestJSONOfLinks: what is in the JSON of the row that a link leads to.
func TestJSONOfLinks(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(e.SQL(kit.DocumentsDDL) + "; CREATE TABLE boxes (id " + e.SQL("{int}") + " PRIMARY KEY, doc " + e.SQL("{int}") + " NOT NULL); INSERT INTO boxes VALUES (1, 1), (2, 2), (3, 4), (4, 7), (5, 99)")})
		boxes := exosql.NewTable[box]("boxes")
		id := exosql.NewKey(boxes, "id", func(b *box) *int64 { return &b.ID })
		doc := exosql.NewColumn(boxes, "doc", func(b *box) *int64 { return &b.Doc })
		facet := exosql.NewFacet(boxes, "box", id, exosql.Via(exosql.One("doc", doc, kit.DocumentID), exosql.NewFacet(kit.Documents, "doc", kit.DocumentID, kit.DocumentName, kit.DocumentData)))
		r := tu.NewRunner(t, map[string]exo.Object{"boxes": facet.Of(exosql.Grant(db, boxes, exosql.AllRows[box](), exosql.ScopeRows(kit.Documents, kit.DocumentOwner.Eq(1))))}, exo.Limits{})
		for program, want := range map[string]string{
			"boxes.orderBy(b => b.id).select(b => ({ x: b.doc().data.os })).execute()":                               `[{"x":"mac"},{"x":"win"},{"x":null},{"x":null},{"x":null}]`,
			"boxes.orderBy(b => b.id).select(b => ({ x: b.doc().data.size.asNumber() })).execute()":                  `[{"x":3},{"x":2.5},{"x":null},{"x":null},{"x":null}]`,
			"boxes.where(b => b.doc().data.os === 'mac').count()":                                                    "1",
			"boxes.where(b => b.doc().data[2].os === 'mac').count()":                                                 "1",
			"boxes.where(b => b.doc().data.secret === 'out of scope').count()":                                       "0",
			"boxes.max(b => b.doc().data.os.asText())":                                                               `"win"`,
			"boxes.orderBy(b => b.doc().data.size.asNumber().desc()).limit(1).select(b => ({ id: b.id })).execute()": `[{"id":1}]`,
			"boxes.join(({ box }) => box.doc()).where(({ doc }) => doc.data.os === 'mac').count()":                   "1",
		} {
			if o := r.Run(t, "return await "+program); o.Kind != 0 || !tu.SameJSON(o.JSON, want) {
				t.Errorf("%s\ngot  %v\nwant %s\n%v", program, o, want, o.SQL)
			}
		}
	})
}

// TestJSONTinyNumbers: a number that is too small for a float is 0, as JavaScript reads it, and no row with one fails the queries of its table.
func TestJSONTinyNumbers(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := documentsOf(t, e, `; INSERT INTO documents VALUES (8, 1, 'tiny', '{"size":1e-400,"list":[1e-400,2]}'), (9, 1, 'less', '{"size":-1e-400,"list":[3]}'), (10, 1, 'least', '{"size":3e-324}'), (11, 1, 'none', '{"size":-0.0}')`)
		for program, want := range map[string]string{
			"docs.where(d => d.id > 7).orderBy(d => d.id).select(d => d.data.size.asNumber())":              `[0,0,5e-324,0]`,
			"docs.where(d => d.data.size === 0).orderBy(d => d.id).select(d => d.id)":                       `[8,9,11]`,
			"docs.where(d => d.id > 7 && d.data.size.asNumber() >= 0).orderBy(d => d.id).select(d => d.id)": `[8,9,10,11]`,
			"docs.where(d => d.data.list.has(0)).select(d => d.id)":                                         `[8]`,
			"docs.where(d => d.data.size > 2).orderBy(d => d.id).select(d => d.id)":                         `[1,2]`,
		} {
			if o := r.Run(t, "return await "+program); o.Kind != 0 || !tu.SameJSON(o.JSON, want) {
				t.Errorf("%s: %s %v, want %s", program, o.JSON, o.Message, want)
			}
		}
	})
}
