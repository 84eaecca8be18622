package observed_test

// This file makes random programs of a hostile author, who knows all of the worlds but the secret.

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// values are those of a program of one type, by how it comes to them. Each may be used in each place of a call that has the type.
type values struct {
	plain, sealed, read []string
	as                  string // makes a value of the type of anything
}

var (
	texts = values{[]string{`'a.txt'`, `'x'`, `a.name`, `'me'`, `'ann'`, `String(n)`},
		[]string{`a.address`, `b.address`, `c.address`, "await text`${b.salary}`", "await text`x${c.address}.txt`", "await text`${a.address}`", "await text([a.address, b.address])", "await text([b.address, c.salary, 'x'])", `(await people.select(p => p.address.toLowerCase()))[1]`},
		[]string{`String(await reveal(b.address))`, `String(await reveal(c.salary))`, `(await hidden.list())[0].path`, `String(await reveal(b.bonus))`, `await hidden.read({ path: '2.txt' })`}, "String(%s)"}
	numbers = values{[]string{`7`, `rows.length`, `Number(n)`, `0`},
		[]string{`a.salary`, `b.salary`, `c.salary`, `(await people.select(p => p.salary ?? 0))[2]`},
		[]string{`await reveal(b.salary)`, `await people.where(p => p.salary > 50).count()`, `(await people.orderBy(p => p.salary).first()).id`, `await people.sum(p => p.salary)`, `(await people.where({ salary: 70 })).length`,
			`(await people.where(p => p.address.startsWith('b')).first())?.id`, `(await people.groupBy(p => p.salary).select(p => ({ n: p.count() }))).length`, `(await hr.list()).length`, `(await hidden.list()).length`, `(await hr.raise({ amount: b.salary })).id`,
			`(await people.where({ id: 2 }).select(p => ({ s: p.salary, of: people.where(q => q.salary > p.salary).count() }))).length`, `await people.where(p => p.bonus > 50).count()`, `(await reveal(b.bonus)) + (await reveal(c.bonus))`}, "Number(%s)"}
	whatever = values{[]string{`rows.length`, `null`, `n`, `{ x: 1 }`, `e0`}, []string{`[b.salary, c.address]`, `{ k: b.address }`, `rows`, `b`, `b.salary`, `c.address`}, []string{`await reveal(b)`, `await reveal(c.salary)`, `await reveal(rows)`, `await reveal(b.bonus)`}, "%s"}
	// bonuses read what results may carry.
	bonuses = []string{`await reveal(b.bonus)`, `await people.where(p => p.bonus > 50).count()`, `(await reveal(b.bonus)) > 50 ? 3 : 0`, `(await people.orderBy(p => p.bonus).first()).id`, `await people.sum(p => p.bonus)`, `(await people.where({ bonus: null })).length`}
	// tried is what a program tries with sealed values, to read them without a label.
	tried = []string{`b.salary`, `b.salary > 50`, `b.salary === null`, `JSON.stringify(b)`, "`${c.address}`", `b.salary ?? 'none'`, `(b.salary ? 'y' : 'n')`, `Object.keys({ [b.address]: 1 })[0]`, `b.address.length`, `new Set([b.salary, c.salary, b.salary]).size`,
		`[c.salary, b.salary].sort()[0]`, `rows.find(r => r.salary > 50)`, `Number(b.salary)`, `new Map([[b.salary, 1]]).get(b.salary)`, `b.salary === c.salary`, `typeof b.salary`, `c.address + '.txt'`, `Object.is(b.salary, a.salary)`, `structuredClone(b)`,
		`rows.map(r => r.address).indexOf(b.address)`, `[b.salary].includes(c.salary)`, `Object.entries(b).length`, `parseInt(b.salary)`, `(() => { try { throw b.address } catch (x) { return x } })()`, `new Error(b.address).message`, `[b.address].join()`, `isNaN(b.salary)`, `b.salary?.toString()`, `rows.toSorted((x, y) => x.salary - y.salary)[0].id`}
	// calls are those of each service. They have a place for a text at $t, for a number at $n, and for anything at $a.
	calls = [][]string{
		{`site.find({ q: $t })`, `site.say({ text: $t })`},
		{`desk.look({ q: $t })`, `desk.tell({ text: $t })`},
		{`box.write({ path: $t, text: 'x' })`, `box.write({ path: 'b.txt', text: $t })`, `box.write({ path: $t, text: $t })`, `box.read({ path: $t })`, `box.list()`, `box.rows({ path: $t })`},
		{`hidden.write({ path: 'h.txt', text: $t })`, `hidden.write({ path: $t, text: 'x' })`},
		{`hr.pay({ amount: $n })`, `hr.pay({ text: $t })`, `hr.pay({ amount: $n, text: $t })`},
		{`mailer.send({ to: $t, subject: 's', text: 't' })`, `mailer.send({ to: 'me', subject: 's', text: $t })`, `mailer.send({ to: 'me', subject: a.address, text: $t })`, `mailer.send({ to: 'me', subject: $t, text: a.address })`, `mailer.send({ to: 'ann', subject: $t, text: $t })`},
		{`team.post({ text: $t })`},
		{`ops.send({ type: 'a.b', data: $a })`, `ops.send({ type: $t, data: 1 })`},
		{`board.send({ type: 'a.b', data: $a })`},
		{`people.where({ id: 2 }).update({ note: $t })`, `people.where({ id: $n }).update({ note: 'z' })`, `people.where(p => p.salary > 50).update({ note: 'x' })`, `people.where(p => p.bonus > 50).update({ note: 'x' })`, `people.insert({ id: 9, name: $t, note: 'x' })`, `people.where({ id: $n }).delete()`,
			`people.where({ name: $t }).delete()`, `people.where({ salary: $n }).count()`},
	}
	// atOnce act at once, so they are refused once another call waits for the end.
	atOnce = [][]string{{`site.now({ text: $t })`, `desk.order({ text: $t })`, `hr.raise({ amount: $n })`, `hr.raise({ text: $t })`}}
)

// author draws a program.
type author struct {
	*rapid.T
	depth int
	reads string // what it reads secrets of: nothing, bonuses or everything
}

func (d *author) of(list ...string) string { return rapid.SampledFrom(list).Draw(d.T, "") }

func (d *author) in(n int) bool { return rapid.IntRange(1, n).Draw(d.T, "") == n }

// value returns a value of a type. It is mostly a plain one if mostly is set: a call that is never made shows nothing.
func (d *author) value(of values, mostly bool) string {
	kind := rapid.IntRange(0, 9).Draw(d.T, "")
	switch {
	case kind < 3 || mostly && kind < 7:
		return "(" + d.of(of.plain...) + ")"
	case kind < 6 || mostly && kind == 7:
		return "(" + d.of(of.sealed...) + ")"
	case kind < 8 || mostly && kind == 8 || d.reads == "nothing":
		return "(" + fmt.Sprintf(of.as, d.of(tried...)) + ")"
	case d.reads == "bonuses":
		return "(" + fmt.Sprintf(of.as, d.of(bonuses...)) + ")"
	}
	return "(" + d.of(of.read...) + ")"
}

func (d *author) any() string {
	return d.value([]values{texts, numbers, whatever}[rapid.IntRange(0, 2).Draw(d.T, "")], false)
}

func (d *author) call(of [][]string) string {
	form := d.of(rapid.SampledFrom(of).Draw(d.T, "")...)
	for i, of := range []values{texts, numbers, whatever} {
		for place := []string{"$t", "$n", "$a"}[i]; strings.Contains(form, place); {
			if d.in(20) {
				of = whatever
			}
			form = strings.Replace(form, place, d.value(of, true), 1)
		}
	}
	return form
}

// block is some statements.
func (d *author) block() string {
	d.depth++
	defer func() { d.depth-- }()
	var out strings.Builder
	for range rapid.IntRange(1, max(1, 4-d.depth)).Draw(d.T, "") {
		s := d.statement()
		if !d.in(6) {
			s = "try { " + s + " } catch (e) { e0 = e.message; " + d.of("", "", "console.log(e0);", "await site.find({ q: e0 });", "await desk.tell({ text: e0 });") + " }"
		}
		out.WriteString(strings.Repeat("  ", d.depth-1) + s + "\n")
	}
	return out.String()
}

func (d *author) nested() string { return "{\n" + d.block() + strings.Repeat("  ", d.depth-1) + "}" }

func (d *author) statement() string {
	kind := rapid.IntRange(0, 13).Draw(d.T, "")
	if d.depth > 2 {
		kind %= 7
	}
	switch kind {
	case 1:
		return "n = " + d.any() + ";"
	case 2:
		return "console.log(" + d.any() + ");"
	case 3:
		return "await Promise.all([" + d.call(calls) + ", " + d.call(calls) + "]);"
	case 4:
		return "if (" + d.any() + ") throw new Error(" + d.of(`'stop'`, d.any()) + ");"
	case 7, 8:
		return "if (" + d.any() + ") " + d.nested() + d.of("", " else "+d.nested())
	case 9, 10:
		return "for (let i = 0; i < Math.abs(" + d.value(numbers, false) + ") % 5; i++) " + d.nested()
	case 11:
		return "for (const r of rows) if (" + d.of(`r.salary > 50`, `r.address`, `r.id > 1`, d.value(numbers, false)) + ") " + d.nested()
	case 12:
		return "switch (" + d.any() + ") { case 70: " + d.nested() + " break; default: " + d.nested() + " }"
	}
	return "await " + d.call(calls) + ";"
}

// before begins each program. What it reads has no label for the run.
const before = "let n = 1, e0 = ''; const rows = await people.orderBy(p => p.id), [a, b, c] = rows;\n"

// program is a whole one.
func (d *author) program() string {
	d.reads = d.of("nothing", "nothing", "bonuses", "bonuses", "everything")
	out := before
	if d.in(3) {
		out += "try { await " + d.call(atOnce) + "; } catch (e) { e0 = e.message; console.log(e0); }\n"
	}
	out += d.block() + "await " + d.call(calls) + ";\n" + d.block()
	if d.in(8) {
		out += "try { await " + d.call(atOnce) + "; } catch (e) { e0 = e.message; }\n"
	}
	return out + d.of("return 1", "return "+d.any(), "return e0", "")
}
