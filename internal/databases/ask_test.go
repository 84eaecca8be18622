package databases

// Everything that a program can read of a column or a link, and what the answer has to be.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/exoagent/exoagent/exo/fail"
	tu "github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/schema"
)

// asker asks the questions of one world, and counts how they end.
type asker struct {
	*world
	ctx     context.Context
	n       *tally
	news    int // how many new values were drawn
	pending *pending
	skip    func(op string, c *column) bool // leaves out questions of a run that has no time for all
}

// ask runs a program about a column (or link, or the table alone, where c is nil) and holds its result against want, which says what is wrong.
func (a *asker) ask(op string, t *table, c *column, about, program string, want func(v any) string) {
	if a.skip(op, c) {
		return
	}
	v, err := a.run(a.ctx, program)
	a.judge(op, t, c, about, program, v, err, want)
}

func (a *asker) judge(op string, t *table, c *column, about, program string, v any, err error, want func(v any) string) {
	place := t.name
	if c != nil {
		place += "." + c.name
	}
	if about != "" {
		place += "." + about
	}
	wrong := ""
	switch text := fail.GuestText(err); {
	case err != nil && fail.KindOf(err) == fail.Internal:
		var e *fail.Error
		errors.As(err, &e)
		wrong = fmt.Sprintf("internal: %v", err)
	case err != nil && !names(text, t, c, about):
		wrong = "the reason names neither column nor table: " + text
	case err != nil:
		a.n.refuse(op, text, t, c)
		return
	default:
		wrong = want(v)
	}
	id := fmt.Sprintf("%s/%s %s %s", a.e.Name, a.name, place, op)
	if class := a.class(t, c); class != "" && wrong != "" && err == nil {
		id = class + ": " + op
	}
	if a.pending.known(id, wrong) {
		a.n.pending++
		return
	}
	if wrong != "" {
		a.n.fail("%s by %s: %s\n\t%s", id, a.way, wrong, program)
		return
	}
	a.n.right(op)
}

// class is what is known to be answered wrongly of all such columns; "": the column is of no such class.
func (a *asker) class(t *table, c *column) string {
	switch {
	case c == nil:
		return ""
	case a.enum(c.live) != nil:
		return a.e.Name + " enums"
	case c.live.Type == "real" && a.e == tu.Postgres:
		return "postgres reals"
	case c.live.Kind == schema.UUID && slices.ContainsFunc(t.rows, func(r row) bool { return r[c.name].raw != strings.ToLower(r[c.name].raw) && !r[c.name].bad }):
		return a.e.Name + " UUIDs in capitals"
	case !t.held(c):
		return fmt.Sprintf("%s values that a %s does not hold", a.e.Name, c.live.Kind)
	case slices.ContainsFunc(t.rows, func(r row) bool { return r[c.name].inGo }):
		return a.e.Name + " times as Go writes them"
	}
	return ""
}

// names reports whether a reason names the column, its table or the link.
func names(text string, t *table, c *column, about string) bool {
	all := []string{t.name, t.alias, t.grant}
	for _, x := range t.columns {
		if c == nil {
			all = append(all, x.name)
		}
	}
	if c != nil {
		all = append(all, c.name, c.guest)
	}
	if about != "" {
		all = append(all, about)
	}
	return slices.ContainsFunc(all, func(n string) bool { return strings.Contains(text, n) })
}

// record is what a selection of columns shows.
func record(of string, cs []*column, more string) string {
	var parts []string
	for i, c := range cs {
		parts = append(parts, fmt.Sprintf("k%d: %s.%s", i, of, c.guest))
	}
	if more != "" {
		parts = append(parts, more)
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

// rowsOf matches the records of a result with rows, each of which is there once. It says what is wrong: a record that is no row, or a row without one.
func rowsOf(v any, want []row, by []*column, also ...*column) (in []row, wrong string) {
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Sprintf("the result is no list: %v", v)
	}
	left := slices.Clone(want)
	for _, x := range list {
		rec, _ := x.(map[string]any)
		at := slices.IndexFunc(left, func(r row) bool {
			for i, c := range by {
				if got, there := rec[fmt.Sprintf("k%d", i)]; !there || !r[c.name].shows(got) {
					return false
				}
			}
			for _, c := range also {
				if got, there := rec["v"]; !there || !r[c.name].shows(got) {
					return false
				}
			}
			return true
		})
		if at < 0 {
			return nil, fmt.Sprintf("no such row is expected: %v; rows left are %v", x, texts(left, append(by, also...)))
		}
		in, left = append(in, left[at]), slices.Delete(left, at, at+1)
	}
	if len(left) > 0 {
		return nil, fmt.Sprintf("rows are missing: %v", texts(left, append(by, also...)))
	}
	return in, ""
}

func texts(rows []row, cs []*column) (out []string) {
	for _, r := range rows {
		var s []string
		for _, c := range cs {
			s = append(s, r[c.name].String())
		}
		out = append(out, strings.Join(s, "|"))
	}
	return out
}

func filter(rows []row, keep func(row) bool) (out []row) {
	for _, r := range rows {
		if keep(r) {
			out = append(out, r)
		}
	}
	return out
}

// reads asks everything of a table.
func (a *asker) reads(t *table) {
	id := t.identity()
	a.ask("show", t, nil, "", t.grant, func(v any) string {
		list, _ := v.([]any)
		var cs []*column
		for _, x := range list { // the columns by their own names
			rec, _ := x.(map[string]any)
			for i, c := range t.shown() {
				if got, there := rec[c.guest]; there {
					rec[fmt.Sprintf("k%d", i)] = got
				}
			}
		}
		cs = t.shown()
		_, wrong := rowsOf(v, t.rows, cs)
		return wrong
	})
	a.ask("aggregate", t, nil, "count", t.grant+".count()", func(v any) string {
		return different(v, fmt.Sprint(len(t.rows)))
	})
	if len(id) == 0 {
		return
	}
	for _, c := range t.shown() {
		a.column(t, c, id)
	}
	for _, l := range t.links {
		a.link(t, l, id)
	}
	if len(t.searched) > 0 {
		a.search(t, id)
	}
}

func different(v any, want string) string {
	if fmt.Sprint(v) != want {
		return fmt.Sprintf("is %v, want %s", v, want)
	}
	return ""
}

func (a *asker) column(t *table, c *column, id []*column) {
	loose := c.live.Loose
	g, at := t.grant, func(r row) cell { return r[c.name] }
	held := t.held(c)
	rec := record("t", id, "v: t."+c.guest)
	same := func(want []row) func(v any) string {
		return func(v any) string { _, wrong := rowsOf(v, want, id, c); return wrong }
	}
	only := func(want []row) func(v any) string {
		return func(v any) string { _, wrong := rowsOf(v, want, id); return wrong }
	}
	a.ask("show", t, c, "", fmt.Sprintf("%s.select(t => (%s))", g, rec), same(t.rows))

	kept := record("t", id, "")
	where := func(form, cond string, keep func(x cell) bool) {
		a.ask("filter", t, c, "", fmt.Sprintf("%s.where(t => %s).select(t => (%s))", g, cond, kept), only(filter(t.rows, func(r row) bool { return keep(at(r)) })))
	}
	col := "t." + c.guest
	null := func(x cell) bool { // a document that is JSON's null is shown as null
		_, own := x.json.(jsonNull)
		return x.null || x.bad || own
	}
	where("null", col+" === null", null)
	where("not null", col+" !== null", func(x cell) bool { return !null(x) })
	// The order of an enum is that of its declaration.
	cmpOf := func(x, y cell) int { return x.compare(y) } // orders and ranges are exact, whatever = ignores
	if vs := a.enum(c.live); vs != nil {
		place := func(x cell) int {
			if x.null || x.bad {
				return -1
			}
			return slices.Index(vs, x.text)
		}
		cmpOf = func(x, y cell) int { return place(x) - place(y) }
	}
	if strings.HasSuffix(c.live.Type, "range") { // the empty range comes first; the others here are in the order of their texts
		cmpOf = func(x, y cell) int {
			if !x.null && !y.null && (x.text == "empty") != (y.text == "empty") {
				return order(y.text == "empty") - order(x.text == "empty")
			}
			return x.compare(y)
		}
	}
	seen := map[string]bool{}
	for _, r := range t.rows {
		x := at(r)
		lit, ok := x.literal()
		if !ok || seen[lit] || len(seen) == 3 {
			continue
		}
		seen[lit] = true
		// A time is shown to the millisecond, and compared as it is.
		where("=", fmt.Sprintf("%s === %s", col, lit), func(y cell) bool { return !y.null && !y.bad && y.key(loose) == x.key(loose) })
		where("!=", fmt.Sprintf("%s !== %s", col, lit), func(y cell) bool { return y.null || y.bad || y.key(loose) != x.key(loose) })
		a.ask("filter", t, c, "", fmt.Sprintf("%s.where({ %s: %s }).select(t => (%s))", g, c.guest, lit, kept), only(filter(t.rows, func(r row) bool { y := at(r); return !y.null && !y.bad && y.key(loose) == x.key(loose) })))
		where("in", fmt.Sprintf("%s.in([%s])", col, lit), func(y cell) bool { return !y.null && !y.bad && y.key(loose) == x.key(loose) })
		if c.live.Kind != schema.Bool {
			where("<", fmt.Sprintf("%s < %s", col, lit), func(y cell) bool { return !y.null && !y.bad && cmpOf(y, x) < 0 })
			where(">=", fmt.Sprintf("%s >= %s", col, lit), func(y cell) bool { return !y.null && !y.bad && cmpOf(y, x) >= 0 })
		}
	}

	sorted := func(desc bool) func(v any) string {
		return func(v any) string {
			in, wrong := rowsOf(v, t.rows, id, c)
			if wrong != "" {
				return wrong
			}
			for i := 1; i < len(in); i++ {
				if d := cmpOf(at(in[i-1]), at(in[i])); d > 0 && !desc || d < 0 && desc {
					return fmt.Sprintf("%v stands before %v", at(in[i-1]), at(in[i]))
				}
			}
			return ""
		}
	}
	a.ask("order", t, c, "", fmt.Sprintf("%s.orderBy(t => %s).select(t => (%s))", g, col, rec), sorted(false))
	a.ask("order", t, c, "", fmt.Sprintf("%s.orderBy(t => %s.desc()).select(t => (%s))", g, col, rec), sorted(true))

	a.ask("group", t, c, "", fmt.Sprintf("%s.groupBy(t => %s).select(x => ({ %s: x.%s, rows_of_it: x.count() }))", g, col, c.guest, c.guest), func(v any) string {
		groups := map[string][]cell{}
		for _, r := range t.rows {
			k := at(r).key(loose)
			groups[k] = append(groups[k], at(r))
		}
		list, _ := v.([]any)
		if len(list) != len(groups) {
			return fmt.Sprintf("%d groups, want %d: %v", len(list), len(groups), v)
		}
		for _, x := range list {
			rec, _ := x.(map[string]any)
			found := ""
			for k, cells := range groups {
				if slices.ContainsFunc(cells, func(y cell) bool { return y.shows(rec[c.guest]) || y.bad && rec[c.guest] == nil }) && fmt.Sprint(rec["rows_of_it"]) == fmt.Sprint(len(cells)) {
					found = k
					break
				}
			}
			if found == "" {
				return fmt.Sprintf("no such group is expected: %v", x)
			}
			delete(groups, found)
		}
		return ""
	})
	a.aggregates(t, c, cmpOf)
	if held && len(t.live.RowKey()) > 0 && !t.view {
		a.pages(t, c, id, cmpOf)
	}
}

// enum are the values of an enum of PostgreSQL, in order; nil: the column is none.
func (a *asker) enum(c *schema.Column) []string {
	if c.Enum == nil || c.Kind == schema.List {
		return nil
	}
	for _, e := range a.live.Enums {
		if e.Name == *c.Enum {
			return e.Values
		}
	}
	return nil
}

func (a *asker) aggregates(t *table, c *column, cmpOf func(x, y cell) int) {
	loose := c.live.Loose
	var values []cell
	distinct := map[string]bool{}
	for _, r := range t.rows {
		if x := r[c.name]; !x.null && !x.bad {
			values = append(values, x)
			distinct[x.key(loose)] = true
		}
	}
	ask := func(f string, want func(v any) string) {
		a.ask("aggregate", t, c, f, fmt.Sprintf("%s.%s(t => t.%s)", t.grant, f, c.guest), want)
	}
	if c.live.Kind != schema.JSON && c.live.Kind != schema.List {
		ask("countDistinct", func(v any) string { return different(v, fmt.Sprint(len(distinct))) })
	}
	extreme := func(sign int) func(v any) string {
		return func(v any) string {
			if len(values) == 0 {
				return different(v, "<nil>")
			}
			best := values[0]
			for _, x := range values {
				if sign*cmpOf(x, best) > 0 {
					best = x
				}
			}
			if !slices.ContainsFunc(values, func(x cell) bool { return cmpOf(x, best) == 0 && x.shows(v) }) {
				return fmt.Sprintf("is %v, want %v", v, best)
			}
			return ""
		}
	}
	if c.live.Kind != schema.Bool {
		ask("min", extreme(-1))
		ask("max", extreme(1))
	}
	if k := c.live.Kind; k != schema.Int && k != schema.Float && k != schema.Decimal {
		return
	}
	sum, n := new(big.Rat), int64(0)
	for _, x := range values {
		sum.Add(sum, x.num)
		n++
	}
	ask("sum", func(v any) string { return near(v, sum, n, c.live.Kind != schema.Float) })
	mean := new(big.Rat)
	if n > 0 {
		mean.Quo(sum, new(big.Rat).SetInt64(n))
	}
	ask("avg", func(v any) string { return near(v, mean, n, false) })
}

// near compares a number of a result: exactly, or as floats.
func near(v any, want *big.Rat, n int64, exactly bool) string {
	if n == 0 {
		return different(v, "<nil>")
	}
	got, ok := new(big.Rat).SetString(fmt.Sprint(v))
	if ok && got.Cmp(want) == 0 {
		return ""
	}
	if ok && !exactly {
		x, _ := got.Float64()
		y, _ := want.Float64()
		if math.Abs(x-y) <= 1e-14*math.Abs(y) {
			return ""
		}
	}
	return fmt.Sprintf("is %v, want %s", v, want.FloatString(20))
}

// pages reads the table page by page in the order of the column.
func (a *asker) pages(t *table, c *column, id []*column, cmpOf func(x, y cell) int) {
	program := fmt.Sprintf("const q = %s.orderBy(t => t.%s).select(t => (%s)); const all = []; let next; do { const p = await q.page(2, next); all.push(...p.rows); next = p.next } while (next !== null); return all", t.grant, c.guest, record("t", id, "v: t."+c.guest))
	a.ask("page", t, c, "", program, func(v any) string {
		in, wrong := rowsOf(v, t.rows, id, c)
		for i := 1; wrong == "" && i < len(in); i++ {
			if cmpOf(in[i-1][c.name], in[i][c.name]) > 0 {
				wrong = fmt.Sprintf("%v stands before %v", in[i-1][c.name], in[i][c.name])
			}
		}
		return wrong
	})
}

// joined reports whether a link leads from one row to another.
func (l *link) joined(from, to row) bool {
	for i, c := range l.columns {
		x, y := from[c], to[l.references[i]]
		if x.null || y.null || x.bad || y.bad || x.key(false) != y.key(false) {
			return false
		}
	}
	return true
}

func (a *asker) link(t *table, l *link, id []*column) {
	far := l.to.identity()
	if len(far) == 0 {
		return
	}
	reached := func(r row) []row { return filter(l.to.rows, func(x row) bool { return l.joined(r, x) }) }
	inner := record("x", far, "")
	a.ask("nested", t, nil, l.name, fmt.Sprintf("%s.select(t => (%s))", t.grant, record("t", id, fmt.Sprintf("r: t.%s().select(x => (%s))", l.name, inner))), func(v any) string {
		// A row of the result is matched by its identity and by the rows in it.
		list, _ := v.([]any)
		left := slices.Clone(t.rows)
		for _, x := range list {
			rec, _ := x.(map[string]any)
			at := slices.IndexFunc(left, func(r row) bool {
				if _, wrong := rowsOf([]any{x}, []row{r}, id); wrong != "" {
					return false
				}
				got := rec["r"]
				if l.one {
					if got == nil {
						got = []any{}
					} else {
						got = []any{got}
					}
				}
				_, wrong := rowsOf(got, reached(r), far)
				return wrong == ""
			})
			if at < 0 {
				return fmt.Sprintf("no such row with these linked ones is expected: %v", x)
			}
			left = slices.Delete(left, at, at+1)
		}
		if len(left) > 0 {
			return fmt.Sprintf("rows are missing: %v", texts(left, id))
		}
		return ""
	})
	a.ask("nested", t, nil, l.name, fmt.Sprintf("%s.%s().select(x => (%s))", t.grant, l.name, inner), func(v any) string {
		_, wrong := rowsOf(v, filter(l.to.rows, func(x row) bool {
			return slices.ContainsFunc(t.rows, func(r row) bool { return l.joined(r, x) })
		}), far)
		return wrong
	})
	if !l.one {
		a.ask("aggregate", t, nil, l.name, fmt.Sprintf("%s.select(t => (%s))", t.grant, record("t", id, fmt.Sprintf("n: t.%s().count()", l.name))), func(v any) string {
			in, wrong := rowsOf(v, t.rows, id)
			for i, x := range v.([]any) {
				if rec := x.(map[string]any); wrong == "" && len(t.live.RowKey()) > 0 && fmt.Sprint(rec["n"]) != fmt.Sprint(len(reached(in[i]))) {
					wrong = fmt.Sprintf("%v, want %d", x, len(reached(in[i])))
				}
			}
			return wrong
		})
		a.ask("filter", t, nil, l.name, fmt.Sprintf("%s.where(t => t.%s().exists()).select(t => (%s))", t.grant, l.name, record("t", id, "")), func(v any) string {
			_, wrong := rowsOf(v, filter(t.rows, func(r row) bool { return len(reached(r)) > 0 }), id)
			return wrong
		})
	}
}

// search looks for words of the texts.
func (a *asker) search(t *table, id []*column) {
	words := func(r row) (out []string) {
		for _, c := range t.searched {
			out = append(out, strings.FieldsFunc(strings.ToLower(r[c.name].text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })...)
		}
		return out
	}
	all := map[string]bool{"nowhere": true}
	for _, r := range t.rows {
		for _, word := range words(r) {
			if !strings.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }) && word != "or" && word != "not" && word != "and" {
				all[word] = true
			}
		}
	}
	var list []string
	for word := range all {
		list = append(list, word)
	}
	sort.Strings(list)
	for _, word := range list[:min(len(list), 4)] {
		text, _ := json.Marshal(word)
		a.ask("search", t, nil, "", fmt.Sprintf("%s.search(%s).select(t => (%s))", t.grant, text, record("t", id, "")), func(v any) string {
			_, wrong := rowsOf(v, filter(t.rows, func(r row) bool { return slices.Contains(words(r), word) }), id)
			return wrong
		})
	}
}
