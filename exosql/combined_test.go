package exosql_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// combiner writes random programs over notes and folders, in which what a query can do stands in one another: rows within rows, queries in
// callbacks, sets, windows, groups and names of an earlier select.
type combiner struct {
	*rand.Rand
	names int
	left  int // how much more may be written
}

// rowVar is a row of a callback: how it is written, and whether it is a note or a folder.
type rowVar struct {
	text string
	note bool
}

func (c *combiner) pick(of ...func() string) string {
	if c.left--; c.left < 0 {
		return of[0]()
	}
	return of[c.IntN(len(of))]()
}

func (c *combiner) fresh() string { c.names++; return fmt.Sprint("v", c.names) }

func is(text string) func() string { return func() string { return text } }

func (c *combiner) row(rows []rowVar) rowVar {
	if c.IntN(3) > 0 {
		return rows[len(rows)-1]
	}
	return rows[c.IntN(len(rows))]
}

func (c *combiner) number(rows []rowVar) string {
	v := c.row(rows)
	own := func() string {
		if v.note {
			return v.text + c.pick(is(".id"), is(".due"), is(".folderId"), is(".owner"), is(".due"))
		}
		return v.text + c.pick(is(".id"), is(".owner"))
	}
	return c.pick(own, own,
		func() string { return "(" + v.text + ".id - " + strconv.Itoa(c.IntN(1200)) + ")" },
		func() string {
			return "(" + c.number(rows) + c.pick(is(" + "), is(" - "), is(" * "), is(" % ")) + c.number(rows) + ")"
		},
		func() string { return c.text(rows) + ".length" },
		func() string { return "(" + c.cond(rows) + " ? " + c.number(rows) + " : " + c.number(rows) + ")" },
		func() string { return "(" + c.number(rows) + " ?? " + c.number(rows) + ")" },
		func() string { q, _ := c.query(rows, 2); return q + ".count()" },
		func() string {
			q, note := c.query(rows, 2)
			x := c.fresh()
			return q + c.pick(is(".sum"), is(".max"), is(".min"), is(".countDistinct")) + "(" + x + " => " + c.numberOf(rows, rowVar{x, note}) + ")"
		},
		func() string { return c.one(v) + ".owner" },
	)
}

// numberOf uses the last row.
func (c *combiner) numberOf(rows []rowVar, v rowVar) string {
	own := v.text + ".id"
	if v.note {
		own = c.pick(is(v.text+".id"), is(v.text+".due"), is(v.text+".text.length"))
	}
	return c.pick(is(own), func() string { return "(" + own + " + " + c.number(append(slices.Clip(rows), v)) + ")" })
}

// one is a row that a link of v leads to.
func (c *combiner) one(v rowVar) string {
	if v.note {
		return c.pick(is(v.text+".folder()"), func() string {
			x := c.fresh()
			return v.text + ".folder().notes().orderBy(" + x + " => " + c.number([]rowVar{v, {x, true}}) + ").first()"
		})
	}
	x := c.fresh()
	return v.text + ".notes().orderBy(" + x + " => " + c.number([]rowVar{v, {x, true}}) + ")" + c.pick(is(""), is(".offset(1)"), is(".limit(3)")) + ".first()"
}

func (c *combiner) text(rows []rowVar) string {
	v := c.row(rows)
	own := func() string {
		if v.note {
			return v.text + c.pick(is(".code"), is(".text"))
		}
		return v.text + ".name"
	}
	return c.pick(own, own,
		func() string { return own() + ".toUpperCase()" },
		func() string { return "`x${" + c.text(rows) + "}`" },
		func() string { return own() + ".concat('c" + strconv.Itoa(c.IntN(50)) + "')" },
		func() string { return "(" + c.cond(rows) + " ? " + c.text(rows) + " : " + own() + ")" },
		func() string {
			if v.note {
				return v.text + ".folder().name"
			}
			return c.one(v) + ".text"
		},
		func() string {
			q, note := c.query(rows, 2)
			x := c.fresh()
			own := x + ".name.toUpperCase()"
			if note {
				own = x + ".text.toLowerCase()"
			}
			return q + c.pick(is(".max"), is(".min")) + "(" + x + " => " + own + ")"
		},
	)
}

func (c *combiner) cond(rows []rowVar) string {
	return c.pick(
		func() string {
			return c.number(rows) + c.pick(is(" > "), is(" <= "), is(" === "), is(" !== ")) + c.number(rows)
		},
		func() string { return c.text(rows) + ".includes('" + strconv.Itoa(c.IntN(10)) + "')" },
		func() string {
			return c.text(rows) + c.pick(is(" === "), is(" !== "), is(" < ")) + c.pick(func() string { return c.text(rows) }, is("'c1'"))
		},
		func() string { return "(" + c.cond(rows) + c.pick(is(" && "), is(" || ")) + c.cond(rows) + ")" },
		func() string { return "!(" + c.cond(rows) + ")" },
		func() string {
			q, note := c.query(rows, 2)
			x := c.fresh()
			return c.number(rows) + c.pick(is(".in("), is(".notIn(")) + q + ".select(" + x + " => " + c.numberOf(rows, rowVar{x, note}) + "))"
		},
		func() string {
			return c.row(rows).text + ".id" + c.pick(is(".in("), is(".notIn(")) + c.numbers(rows) + ")"
		},
		func() string { q, _ := c.query(rows, 2); return q + ".exists()" },
		func() string {
			q, note := c.query(rows, 2)
			x := c.fresh()
			return q + c.pick(is(".some("), is(".every("), is(".none(")) + x + " => " + c.cond(append(slices.Clip(rows), rowVar{x, note})) + ")"
		},
		func() string { return c.one(c.row(rows)) + c.pick(is(" === null"), is(" !== null")) },
	)
}

// numbers is a closed query that shows one column of numbers.
func (c *combiner) numbers(rows []rowVar) string {
	x := c.fresh()
	plain := func() string {
		q, note := c.query(nil, 1)
		return q + ".select(" + x + " => " + c.numberOf(nil, rowVar{x, note}) + ")"
	}
	return c.pick(plain,
		func() string {
			return plain() + c.pick(is(".union("), is(".unionAll("), is(".except("), is(".intersect(")) + plain() + ")"
		},
		func() string { return plain() + ".distinct()" },
		func() string {
			q, note := c.query(nil, 1)
			return q + ".groupBy(" + x + " => ({ k: " + c.number([]rowVar{{x, note}}) + " })).select(g => g." + c.pick(is("k"), is("count()"), is("max(m => m.id)")) + ")"
		},
		func() string {
			q, note := c.query(nil, 1)
			return q + ".distinctBy(" + x + " => " + c.numberOf(nil, rowVar{x, note}) + ").select(d => d.id)"
		})
}

// query is one with rows of a table. In a callback it may be of the rows of it.
func (c *combiner) query(rows []rowVar, steps int) (string, bool) {
	note := c.IntN(2) == 0
	q := "folders"
	if note {
		q = "notes"
	}
	if len(rows) > 0 && c.IntN(4) > 0 {
		v := c.row(rows)
		q, note = v.text+".notes()", true
		if v.note {
			q, note = v.text+".folder()", false
			if c.IntN(2) == 0 {
				q, note = q+".notes()", true
			}
		}
	} else if c.IntN(4) == 0 {
		if note {
			q = "folders.notes()"
		} else {
			q = "notes.folder()"
		}
	}
	for range c.IntN(steps + 1) {
		x := c.fresh()
		in := append(slices.Clip(rows), rowVar{x, note})
		q += c.pick(is(""),
			func() string { return ".where(" + x + " => " + c.cond(in) + ")" },
			func() string {
				return ".orderBy(" + x + " => [" + c.number(in) + c.pick(is(""), is(".desc()")) + ", " + c.text(in) + "])"
			},
			func() string { return ".limit(" + strconv.Itoa(1+c.IntN(5)) + ")" },
			func() string { return ".offset(" + strconv.Itoa(c.IntN(3)) + ")" })
	}
	return q, note
}

// nested is what a selection may show.
func (c *combiner) nested(rows []rowVar, deep int) string {
	v := c.row(rows)
	cell := []func() string{func() string { return c.number(rows) }, func() string { return c.text(rows) }, func() string { return c.cond(rows) }}
	if deep < 3 {
		cell = append(cell, func() string {
			q, note := v.text+".notes()", true
			if v.note {
				q, note = v.text+".folder()", false
				if c.IntN(2) == 0 {
					q, note = q+".notes()", true
				}
			}
			x := c.fresh()
			in := append(slices.Clip(rows), rowVar{x, note})
			q += c.pick(is(""), func() string { return ".where(" + x + " => " + c.cond(in) + ")" })
			q += c.pick(is(""), func() string {
				return ".orderBy(" + x + " => [" + c.number(in) + c.pick(is(""), is(".desc()")) + ", " + x + ".id])"
			})
			q += c.pick(is(""), is(".limit(2)"), is(".offset(1)"), is(".limit(3).offset(1)"))
			q += c.pick(is(".select("+x+" => "+x+".id)"), func() string { return ".select(" + x + " => " + c.nested(in, deep+1) + ")" }, is(""))
			return q + c.pick(is(""), is(".first()"))
		})
		cell = append(cell, cell[len(cell)-1])
	}
	out := "{ a: " + c.pick(cell...)
	for i := range c.IntN(3) {
		out += fmt.Sprintf(", b%d: ", i) + c.pick(cell...)
	}
	return "(" + out + " })"
}

// program is a query that ends in what shows rows.
func (c *combiner) program() string {
	q, note := c.query(nil, 3)
	x := c.fresh()
	v := rowVar{x, note}
	name := "folder"
	if note {
		name = "note"
	}
	in := []rowVar{v}
	shown := func() string { return q + ".select(" + x + " => " + c.nested(in, 0) + ")" }
	flat := func() string {
		return q + ".select(" + x + " => ({ a: " + c.number(in) + ", b: " + c.text(in) + " }))"
	}
	other := func() string {
		q, note := c.query(nil, 2)
		y := c.fresh()
		in := []rowVar{{y, note}}
		return q + ".select(" + y + " => ({ a: " + c.number(in) + ", b: " + c.text(in) + " }))"
	}
	set := func() string {
		return flat() + c.pick(is(".union("), is(".unionAll("), is(".except("), is(".intersect(")) + other() + ")"
	}
	return c.pick(shown, shown,
		func() string {
			return q + ".distinctBy(" + x + " => " + c.number(in) + ").select(" + x + " => " + c.nested(in, 0) + ")"
		},
		func() string {
			w := []rowVar{{name, note}}
			return q + ".partitionBy(" + c.pick(is(""), func() string { return x + " => " + c.number(in) }, func() string { return x + " => " + c.text(in) }) + ")" +
				c.pick(is(""), func() string {
					return ".where(({ " + name + ", window }) => window.rowNumber() < 4 && " + c.cond(w) + ")"
				}) +
				".select(({ " + name + ", window }) => ({ n: " + c.nested(w, 1) + ".a, w: window." + c.pick(is("rowNumber()"), is("count()"), func() string { return "runningSum(" + x + " => " + c.numberOf(nil, v) + ")" },
				func() string { return "lag(" + x + " => " + c.text(in) + ")" }, func() string { return "first(" + x + " => " + c.number(in) + ")" }) + " }))"
		},
		set,
		func() string {
			return set() + ".where(r => r.a > " + strconv.Itoa(c.IntN(50)) + " || r.b.includes('1'))"
		},
		func() string {
			return set() + ".groupBy(r => r.a).select(g => ({ k: g.a, n: g.count(), m: g.max(r => r.b) }))"
		},
		func() string {
			return set() + ".orderBy(r => [r.a.desc(), r.b]).partitionBy(r => r.b).select(({ row, window }) => ({ a: row.a, w: window.rowNumber() }))"
		},
		func() string {
			return q + ".groupBy(" + x + " => ({ k: " + c.number(in) + ", t: " + c.text(in) + " })).where(g => g.count() > 0).select(g => ({ k: g.k, t: g.t, s: g.sum(" + x + " => " + c.numberOf(nil, v) + "), l: g.collect(" + x + " => " + c.text(in) + ") }))"
		},
		func() string { return flat() + ".where(r => r.a > 5 && r.b !== 'c1')" },
		func() string { return flat() + ".distinct().orderBy(r => r.a)" },
	)
}

// TestCombined: whatever stands in one another, no expression is tried on a row out of scope, both engines give one answer, and
// it does not depend on the rows of others. EXO_LONG asks for more programs, EXO_SEED for those of one seed.
func TestCombined(t *testing.T) {
	tu.NotRaced(t)
	programs := tu.Amount(60, 2000)
	if n, err := strconv.Atoi(os.Getenv("EXO_PROGRAMS")); err == nil {
		programs = n
	}
	seed := tu.Seed(t, 1)
	type world struct {
		name    string
		r       *tu.Runner
		tripped func(tu.Outcome) bool
	}
	var worlds []world
	for _, name := range []string{"scope", "others"} {
		for _, e := range []tu.Engine{tu.SQLite, tu.Postgres} {
			for i, others := range []string{"SELECT 1", "UPDATE notes SET due = 5000 + id, code = CASE WHEN id % 2 = 0 THEN 'a' ELSE 'z' END, text = 'BOLT z' || id WHERE owner <> 1"} {
				if i == 1 && name == "others" {
					continue
				}
				var indexes []string
				if name == "scope" {
					indexes = notesIndexes
				}
				db, _, tripped := trapped(t, e, nil, append(kit.NotesSQL(e, 400, indexes...), others, "ANALYZE"))
				worlds = append(worlds, world{name + " " + e.Name + " " + strconv.Itoa(i), tu.NewRunner(t, kit.NotesOf(db, 1, name == "others"), exo.Limits{}), tripped})
			}
		}
	}
	ran, some := map[string]int{}, 0
	for i := range programs {
		c := &combiner{Rand: rand.New(rand.NewPCG(seed, uint64(i))), left: 14}
		program := c.program()
		whole := "const r = await " + program + "; return r.map(x => JSON.stringify(x)).sort()"
		var first tu.Outcome
		for j, w := range worlds {
			o := w.r.Run(t, whole)
			if slices.ContainsFunc(worlds, func(w world) bool { return w.tripped(o) }) {
				t.Errorf("seed %d, program %d, %s: sprung or internal\n%s\n%s\n%v", seed, i, w.name, program, o, o.SQL)
				break
			}
			if j == 0 {
				first = o
				ran[o.Kind.String()]++
				if o.Kind == 0 && o.JSON != "[]" {
					some++
				}
				continue
			}
			if o.Kind == fail.Limit || first.Kind == fail.Limit { // of time: engines and machines differ
				continue
			}
			if o.JSON != first.JSON || o.Kind != first.Kind || o.Message != first.Message {
				t.Errorf("seed %d, program %d, %s\n%s\ngives %s\n%s gave\n%s\n%v\n%v", seed, i, w.name, program, o, worlds[0].name, first, o.SQL, first.SQL)
				break
			}
		}
	}
	t.Logf("seed %d: %v, %d with rows", seed, ran, some)
	if some*2 < programs {
		t.Errorf("only %d of %d programs give rows", some, programs)
	}
}
