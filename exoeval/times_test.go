package exoeval_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/testutil"
)

type happening struct {
	ID   int64
	At   time.Time
	Seen *time.Time
	Day  exosql.Date
	Took exosql.Interval
}

// happenings are rows with each type that is the text of a time in a program.
func happenings(t *testing.T, e testutil.Engine) map[string]exo.Object {
	t.Helper()
	rows := exosql.NewTable[happening]("happenings")
	id := exosql.NewKey(rows, "id", func(h *happening) *int64 { return &h.ID })
	at, seen := exosql.NewColumn(rows, "at", func(h *happening) *time.Time { return &h.At }), exosql.NewNullable(rows, "seen", func(h *happening) **time.Time { return &h.Seen })
	day, took := exosql.NewColumn(rows, "day", func(h *happening) *exosql.Date { return &h.Day }), exosql.NewColumn(rows, "took", func(h *happening) *exosql.Interval { return &h.Took })
	db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE happenings(id {int} PRIMARY KEY, at {time} NOT NULL, seen {time}, day {date} NOT NULL, took {interval} NOT NULL)",
		"INSERT INTO happenings VALUES (1, '2026-01-31T22:30:00.000Z', NULL, '2026-01-31', 'PT9H')", "INSERT INTO happenings VALUES (2, '2026-02-01T08:00:00.000Z', '2026-02-02T08:00:00.000Z', '2026-02-01', 'PT10H')")})
	return map[string]exo.Object{"happenings": exosql.NewFacet(rows, "happening", id).Add(at, seen, day, took).Of(exosql.Grant(db, rows, exosql.AllRows[happening]()))}
}

// operandKinds are expressions by the kind that decides whether an operator takes them with the text of a time.
var operandKinds = map[string]string{"at": "time", "day": "time", "'2026-01-31'": "time", "took": "length", "'PT10H'": "length",
	"'12.5'": "text", "''": "text", "'abc'": "text", "'P'": "text", "'2026-1-3'": "text", "[]": "text", "({})": "text",
	"seen": "null", "null": "null", "undefined": "null", "0": "number", "5": "number", "-3": "number", "1e21": "number", "true": "number", "NaN": "number", "new Date(5)": "date"}

// takesNo reports whether an operator refuses operands of two kinds.
func takesNo(op, a, b string) bool {
	isTime := func(kind string) bool { return kind == "time" || kind == "length" }
	number := func(kind string) bool { return kind == "number" || kind == "date" }
	switch op[0] {
	case '-', '*', '/', '%', '|', '&', '^':
		return isTime(a) || isTime(b)
	case '<', '>':
		if len(op) > 1 && op[1] == op[0] { // a shift
			return isTime(a) || isTime(b)
		}
		return a == "length" && b == "length" || isTime(a) && number(b) || number(a) && isTime(b)
	case '=', '!':
		return a == "time" && b == "date" || a == "date" && b == "time"
	}
	return false
}

// TestTimesAsOperands: an operator on the text of a time is an error where JavaScript gives NaN, compares it with a number or a Date, or
// compares the letters of lengths of time. Everywhere else the result is JavaScript's.
func TestTimesAsOperands(t *testing.T) {
	const texts = "const at = '2026-01-31T22:30:00.000Z', seen = null, day = '2026-01-31', took = 'PT9H';"
	refused := map[string]bool{"-at": true, "+at": true, "+day": true, "~took": true, "Number(at)": true, "Number(took)": true, "(() => { let x = day; x |= 0; return x })()": true, "parseInt(day)": false, "Math.abs(took)": true, "Math.floor(at)": true, "Math.round(seen)": false, "Number.isInteger(at)": false, "Number(day.slice(0, 4))": false,
		"((Number) => Number(at))((x) => x)": false, "+seen": false, "Number(new Date(day))": false, "isNaN(at)": false,
		"[at].includes(new Date(at))": true, "[day, at].indexOf(new Date(at))": true, "[new Date(at)].lastIndexOf(at)": true, "[null, at].includes(new Date(5))": true, "new Set([at]).has(new Date(at))": true, "new Map([[day, 1]]).get(new Date(day))": true,
		"new Map([[new Date(5), 1]]).has(at)": true, "new Set([5]).has(new Date(5))": false, "(() => { const d = new Date(5); return new Set([d]).has(d) && [d].includes(d) })()": false, "[5, 'a'].includes(new Date(5))": false, "[].includes(at)": false, "new Set().has(at)": false,
		"[day].includes(at)": false, "new Set([at]).add(new Date(at)).size": false, "Math.max(1, day)": true, "Math.min(took)": true, "(() => { let x = day; x -= 1; return x })()": true, "(() => { const o = { x: at }; o.x *= 2; return o.x })()": true,
		"Math.max(seen, 3)": false, "[at, day].includes(day)": false, "[took].indexOf(took)": false, "new Set([at, at]).size": false, "new Date(at) - new Date(day)": false, "day.slice(0, 4) - 1": false}
	read := map[string]bool{"at": true, "seen": true, "day": true, "took": true}
	for a, x := range operandKinds {
		for b, y := range operandKinds {
			for _, op := range append(bitOperators, pairOperators...) {
				switch {
				case !read[a] && !read[b]: // JavaScript decides about what is written in the program
				case op == "**" && a[0] == '-': // no syntax
				case op == "+" && (x == "date" || y == "date"): // the engine writes a Date in another zone
				default:
					refused[fmt.Sprintf("%s %s %s", a, op, b)] = takesNo(op, x, y)
				}
			}
		}
	}
	testutil.Engines(t, func(t *testing.T, e testutil.Engine) {
		r := testutil.NewRunner(t, happenings(t, e), exo.Limits{})
		for exprs := range slices.Chunk(slices.Sorted(maps.Keys(refused)), 500) {
			plain, err := goja.New().RunString("'use strict'; JSON.stringify((() => { " + texts + outcomes(exprs) + "})())")
			if err != nil {
				t.Fatal(err)
			}
			engine := listOf(t, plain.String())
			o := r.Run(t, "const { at, seen, day, took } = await happenings.where({ id: 1 }).first();"+outcomes(exprs))
			if o.Message != "" {
				t.Fatal(o)
			}
			for i, got := range listOf(t, o.JSON) {
				want := engine[i]
				if refused[exprs[i]] {
					want = "TypeError"
				}
				if got != want {
					t.Errorf("%s: %s, want %s; JavaScript gives %s", exprs[i], got, want, engine[i])
				}
			}
		}
	})
}

// TestTimesOfTwoZones: the letters of two times in different zones are not compared, because their order is not that of the times.
func TestTimesOfTwoZones(t *testing.T) {
	for _, c := range []struct {
		zone, program string
		refused       bool
	}{
		{"", "h.at >= '2026-02-01'", false},
		{"", "h.at >= '2026-02-01T00:00'", false},
		{"", "h.at >= '2026-02-01T00:00:00+02:00'", true},
		{"Europe/Berlin", "h.at >= '2026-02-01'", true},
		{"Europe/Berlin", "h.at >= '2026-02-01T00:00'", true},
		{"Europe/Berlin", "h.at >= '2026-02-01T00:00:00Z'", false},
		{"Europe/Berlin", "h.day >= '2026-02-01'", false},
		{"Europe/Berlin", "new Date(h.at) >= new Date('2026-02-01T00:00')", false},
	} {
		gate, err := exo.NewGate(exo.Config{Grants: happenings(t, testutil.SQLite), Zone: c.zone})
		if err != nil {
			t.Fatal(err)
		}
		res := testutil.InProcess(gate).Run(t.Context(), exoeval.Job{Program: "const h = await happenings.where({ id: 1 }).first(); return " + c.program})
		if refused := res.Err != nil && strings.Contains(res.Err.Error(), "different time zones"); refused != c.refused || !refused && res.Err != nil {
			t.Errorf("%s in %q: %v %v", c.program, c.zone, res.Value, res.Err)
		}
	}
}

// TestTextsBesideTimes: after a time was read, texts are compared as before: those with letters beyond ASCII, product codes that look like lengths of
// time, and long ones.
func TestTextsBesideTimes(t *testing.T) {
	r := testutil.NewRunner(t, happenings(t, testutil.SQLite), exo.Limits{})
	for _, c := range []struct{ read, program, want string }{
		{"at", "['Émile', 'Ada', 'Zoë'].sort((a, b) => a.toLowerCase() < b.toLowerCase() ? -1 : 1).join()", `"Ada,Zoë,Émile"`},
		{"at", "['P9D', 'P10D'].sort((a, b) => a < b ? -1 : 1).join()", `"P10D,P9D"`},
		{"took", "(() => { const p = ['P9D', 'P10D']; try { return p[0] < p[1] } catch (e) { return e.name } })()", `"TypeError"`},
		{"took", "['2026-01-31'][0] < 5", "false"},
		{"at", "(() => { const m = new Map([[1, 2]]), p = Object.getPrototypeOf(m.keys()); try { p.next = () => 1; p.next = undefined } catch {} return m.has(read[0].x) || m.delete(read[0].x) })()", "false"},
		{"at", "(() => { const a = 'é'.repeat(4e6), b = 'ü'.repeat(4e6); let n = 0; for (let i = 0; i < 200; i++) n = n + (a < b ? 1 : 0); return n })()", "200"},
	} {
		if o := r.Run(t, "const read = await happenings.select(h => ({ x: h."+c.read+" })); return "+c.program); o.JSON != c.want {
			t.Errorf("%s: %s %s, want %s", c.program, o.JSON, o.Message, c.want)
		}
	}
}
