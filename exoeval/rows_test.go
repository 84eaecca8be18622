package exoeval_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
)

// What a program does with rows, as the body of a function of rows.
var rowUses = []string{
	"return rows",
	"return { rows, n: rows.length }",
	"return [rows, rows]",
	"return rows[0]",
	"return [rows[0] === rows[0], rows.results === rows, rows[0] === rows.results[0], rows.at(-1).id, rows[-1], rows[99], rows['1'].id]",
	"return [Array.isArray(rows), rows instanceof Array, rows instanceof Object, typeof rows, String(rows).length, Object.keys(rows).join()]",
	"return [Object.keys(rows), Object.keys(rows[1]), Object.entries(rows[2]), Object.values(rows[2]), 3 in rows, 99 in rows, 'results' in rows, rows.hasOwnProperty(3), Object.hasOwn(rows, 'length')]",
	"return Object.getOwnPropertyNames(rows)",
	"return [Object.getOwnPropertyDescriptor(rows, 1), Object.getOwnPropertyDescriptor(rows, 'length'), Object.getOwnPropertyDescriptor(rows, 99) ?? null, Object.getOwnPropertyDescriptor(rows, 'results').enumerable]",
	"return JSON.stringify(rows)",
	"return [JSON.stringify({ rows }), JSON.stringify(rows, ['id']), JSON.parse(JSON.stringify(rows))]",
	"const [a, , b, ...rest] = rows; return [a, b, rest]",
	"const { length, 0: first, [2]: third } = rows; return [length, first, third]",
	"return [...rows]",
	"return [...rows].map(({ id, ...rest }) => rest)",
	"return rows.map((r) => r.id)",
	"return rows.filter((r) => r.done)",
	"return rows.reduce((s, r) => s + r.id, 0)",
	"return [rows.find((r) => r.id === 3), rows.findIndex((r) => r.id === 3), rows.some((r) => r.done), rows.every((r) => r.done), rows.findLast((r) => r.done)]",
	"return [rows.indexOf(rows[2]), rows.includes(rows[2]), rows.lastIndexOf(rows[1]), rows.includes({})]",
	"return rows.slice(1, 3)",
	"return rows.concat([1], rows)",
	"return [0].concat(rows)",
	"return [[rows], [[1, rows]]].flat(Infinity)",
	"return rows.flatMap((r) => [r.id, r.title])",
	"const out = []; for (const r of rows) out.push(r.id); for (const i in rows) out.push(i); for (let i = 0; i < rows.length; i++) out.push(rows[i].title); return out",
	"const out = []; rows.forEach((r, i, all) => out.push([r.id, i, all === rows])); return out",
	"return [[...rows.entries()], [...rows.keys()], [...rows.values()]]",
	"const same = rows.sort((a, b) => b.id - a.id); return [same === rows, rows]",
	"rows.sort((a, b) => a.title < b.title ? 1 : -1); rows.reverse(); return rows",
	"return [rows.toSorted((a, b) => b.id - a.id), rows.toReversed(), rows.with(0, 'x'), rows.toSpliced(1, 2), rows]",
	"rows[1].title = 'changed'; return rows",
	"rows[1].extra = [1]; delete rows[2].title; return rows",
	"rows.forEach((r) => { r.title = r.title.toUpperCase() }); return rows",
	"rows[0] = 'x'; return rows",
	"rows[7] = 'x'; return [rows.length, rows]",
	"rows.length = 2; return rows",
	"rows.length = 0; return [rows, rows.length, rows[0] ?? 'none']",
	"return [rows.push({ id: 99 }), rows.pop(), rows.shift(), rows.unshift('a', 'b'), rows.splice(1, 2, 'c'), rows]",
	"delete rows[1]; return [1 in rows, rows.length, rows]",
	"rows.fill(0, 1, 3); rows.copyWithin(0, 3); return rows",
	"rows.total = 5; return [rows.total, Object.keys(rows), rows]",
	"delete rows.results; return [rows.results ?? 'none', Object.getOwnPropertyNames(rows).length]",
	"const c = structuredClone(rows); c[0].id = -1; return [c, rows[0].id]",
	"Object.freeze(rows); try { rows.push(1) } catch (e) { return [e.name, Object.isFrozen(rows), rows] }",
	"Object.freeze(rows[0]); try { rows[0].id = 1 } catch (e) { return [e.name, rows] }",
	"Object.seal(rows); return [Object.isSealed(rows), Object.isExtensible(rows), rows]",
	"Object.defineProperty(rows, 0, { get: () => 'got' }); return [rows[0], rows]",
	"Object.defineProperty(rows, 1, { value: 'v', enumerable: false }); return [rows[1], Object.keys(rows)]",
	"Object.defineProperty(rows, 'length', { writable: false }); try { rows.push(1) } catch (e) { return [e.name, rows.length] }",
	"const kid = Object.create(rows); kid[0] = 'own'; kid.x = 1; return [kid[0], kid[1], kid.length, Object.keys(kid), rows]",
	"Object.assign(rows, ['x']); return rows",
	"return Object.assign([], rows)",
	"return Array.from(rows, (r, i) => r.id + i)",
	"return Object.groupBy(rows, (r) => r.done)",
	"return [...new Map(rows.map((r) => [r.id, r])).values()]",
	"return [new Set(rows).size, Math.max(...rows.map((r) => r.id))]",
	"return Object.fromEntries(rows.map((r) => [r.title, r.id]))",
	"const by = new Map([[rows, 1]]); return by.get(rows)",
	"const sum = (...r) => r.length; return [sum(...rows), sum.apply(null, rows)]",
	"return rows.join(';').length",
	"const s = Symbol('s'); rows[s] = 1; return [rows[s], Object.getOwnPropertySymbols(rows).length, rows]",
	"return `${rows.length} ${rows.map((r) => r.id)}`",
	"console.log(rows, rows[0]); return rows",
	"return [({}).toString.call(rows), Object.getPrototypeOf(rows) === Object.getPrototypeOf([])]",
	"let p = Object.getPrototypeOf([]); p[1] = 'from the prototype'; rows.length = 1; const got = rows[1]; delete p[1]; return got",
	"Object.defineProperty(Object.getPrototypeOf({}), 'title', { set() { throw new Error('a setter of the program runs') }, configurable: true }); return rows",
}

// An array of rows is to a program what an array of objects is: each use has the
// same result with both, also when a part of the rows was asked for before.
func TestRowsAreArrays(t *testing.T) {
	e := newStore(t, 5)
	for _, before := range []string{"", "rows[3].id; ", "for (const r of rows) r.id; ", "rows[4] = rows[4]; "} {
		for _, use := range rowUses {
			body := "const f = (rows) => { " + before + use + " };\n"
			run := func(what string) string {
				res := e.Run(t.Context(), exoeval.Job{Program: body + what, Run: exo.Run{Seed: 1}})
				if res.Err != nil {
					return res.Err.Error()
				}
				return res.Value.String() + res.Console
			}
			got := run("return f(await store.rows())")
			want := run("const plain = (await store.rows()).map((r) => ({ ...r })); Object.defineProperty(plain, 'results', { value: plain, writable: true, configurable: true }); return f(plain)")
			if got != want || strings.Contains(got, "internal") {
				t.Errorf("%s%s:\n got %s\nwant %s", before, use, got, want)
			}
		}
	}
}

// Rows that no code asked for reach the result as the host gave them; of the
// others no change is lost.
func TestRowsPassThrough(t *testing.T) {
	e := newStore(t, 100)
	kind := func(program string) string {
		t.Helper()
		res := e.Run(t.Context(), exoeval.Job{Program: program})
		if res.Err != nil {
			return fail.GuestText(res.Err)
		}
		s := fmt.Sprint(res.Value.Type())
		for _, f := range res.Value.Fields() {
			s += fmt.Sprint(" ", f.Type())
		}
		return s
	}
	rows, list, record := fmt.Sprint(value.TypeRows), fmt.Sprint(value.TypeList), fmt.Sprint(value.TypeRecord)
	for program, want := range map[string]string{
		"return await store.rows()": rows,
		"store.rows()":              rows,
		"const rows = await store.rows(); return { rows, n: rows.length }":     record + " " + rows + " " + fmt.Sprint(value.TypeInt),
		"const rows = await store.rows(); rows[0].id; return rows":             list,
		"const rows = await store.rows(); rows.push(1); return rows":           list,
		"const { results } = await store.rows(); return results":               rows,
		"const rows = await store.rows(); return Array(3000).fill(rows)":       "the result: the value has more than 1000000 items and fields, the limit: use a smaller one",
		"const rows = await store.rows(); console.log(rows); return rows":      rows,
		"const rows = await store.rows(); if (rows.length > 3) return rows":    rows,
		"const rows = await store.rows(); const copy = [...rows]; return copy": list,
	} {
		if got := kind(program); got != want {
			t.Errorf("%s: kind %s, want %s", program, got, want)
		}
	}
}

// holder is a host that keeps the cells of all rows until they are fetched.
type holder struct {
	*exo.Session
	fetched int
}

func (h *holder) Held(rs *value.Rows) (rows, text int, ok bool) {
	text, _ = rs.Plain()
	return rs.Len(), text, true
}

func (h *holder) Fetch(*value.Rows) { h.fetched++ }

// The cells of rows are fetched once when a program looks at one of them, and not at
// all when it returns the rows as they are.
func TestHeldRowsStay(t *testing.T) {
	g := storeGate(t, 5)
	w, err := exoeval.NewWorld(g, exoeval.Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	for use, want := range map[string]int{
		"return rows": 0,
		"return { n: rows.length, rows, again: [rows] }": 0,
		"return rows[4].id + rows[3].id":                 1,
		"rows[0].id; return rows":                        1,
		"return rows.map((r) => r.id)":                   1,
		"console.log(rows); return rows":                 1,
	} {
		s, err := g.Begin(t.Context(), exo.Run{}, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		h := &holder{Session: s}
		job := exoeval.Job{Run: s.Run(), Program: "const rows = await store.rows(); " + use}
		out := w.Run(t.Context(), h, s.Checker(), job)
		if err := s.Finish(t.Context(), value.Null(), nil); out.Err != nil || err != nil || h.fetched != want {
			t.Errorf("%s: fetched %d times, want %d; %v, %v", use, h.fetched, want, out.Err, err)
		}
	}
}
