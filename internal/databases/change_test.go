package databases

// Everything that a program can change of a table. What a change has to leave is asked of the database itself: the same change as a
// statement written here, in a transaction that is rolled back.

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/schema"
)

// state is what all tables hold.
type state map[string][]row

func (w *world) snapshot(ctx context.Context, q querier) (state, error) {
	s := state{}
	for _, t := range w.tables {
		if t.view {
			continue
		}
		rows, err := w.readTable(ctx, q, t)
		if err != nil {
			return nil, err
		}
		s[t.name] = rows
	}
	return s, nil
}

// querier is a pool, a connection or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// after is what the tables hold after a statement; the error is the database's refusal of it. Nothing of it stays.
func (w *world) after(ctx context.Context, statement string) (s state, refused, err error) {
	conn, err := w.raw.Conn(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer conn.Close()
	if w.e.Name == "sqlite" {
		if _, err := conn.ExecContext(ctx, "PRAGMA foreign_keys = ON"); err != nil {
			return nil, nil, err
		}
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	defer tx.Rollback()
	if _, refused = tx.ExecContext(ctx, statement); refused != nil {
		return nil, refused, nil
	}
	if w.e.Name == "postgres" { // what is deferred to the commit
		if _, refused = tx.ExecContext(ctx, "SET CONSTRAINTS ALL IMMEDIATE"); refused != nil {
			return nil, refused, nil
		}
	} else if rows, err := tx.QueryContext(ctx, "PRAGMA foreign_key_check"); err != nil {
		return nil, nil, err
	} else if broken := rows.Next(); rows.Close() == nil && broken {
		return nil, fmt.Errorf("a foreign key would be broken"), nil
	}
	s, err = w.snapshot(ctx, tx)
	return s, nil, err
}

// differs says how two states differ. Columns of free are filled in by the database, with another value each time.
func (w *world) differs(got, want state, free func(t *table, c string) bool) string {
	for _, t := range w.tables {
		left := slices.Clone(want[t.name])
		for _, g := range got[t.name] {
			at := slices.IndexFunc(left, func(r row) bool {
				for _, c := range t.columns {
					x, y := g[c.name], r[c.name]
					if free(t, c.name) {
						if x.null != y.null {
							return false
						}
					} else if x.null != y.null || x.bad != y.bad || !sameCell(x, y) {
						return false
					}
				}
				return true
			})
			if at < 0 {
				return fmt.Sprintf("%s holds %v, which SQL does not leave; it leaves %v", t.name, texts([]row{g}, t.columns), texts(left, t.columns))
			}
			left = slices.Delete(left, at, at+1)
		}
		if len(left) > 0 {
			return fmt.Sprintf("%s lacks %v", t.name, texts(left, t.columns))
		}
	}
	return ""
}

// sameCell reports whether two cells mean the same: other digits of one number, and other spaces of one document, are the same.
func sameCell(x, y cell) bool {
	switch {
	case x.bad:
		return x.raw == y.raw
	case x.kind == schema.JSON || x.kind == schema.List:
		return x.null || sameJSON(x.json, y.json)
	}
	return x.key(false) == y.key(false)
}

// written is the cell as a program gives it to a write.
func (c cell) written() (string, bool) {
	if (c.kind == schema.JSON || c.kind == schema.List) && !c.null && !c.bad {
		_, null := c.json.(jsonNull) // a program's null is that of SQL
		return c.text, !null
	}
	if c.null {
		return "null", true
	}
	return c.literal()
}

var chance = regexp.MustCompile(`(?i)now\(|current_|random|unixepoch|datetime\(|uuid|nextval`)

// chanced reports whether the database fills in a column with another value each time.
func chanced(c *schema.Column) bool {
	return c.Identity != schema.NotIdentity || chance.MatchString(c.Default)
}

// changes does everything to a table, and holds the tables against what SQL leaves.
func (a *asker) changes(t *table) {
	before, err := a.snapshot(a.ctx, a.raw)
	if err != nil {
		a.n.fail("%s/%s: %v", a.e.Name, a.name, err)
		return
	}
	rows := before[t.name]
	var key []*column
	for _, k := range t.live.RowKey() {
		if c := t.column(k); c != nil && c.out == "" {
			key = append(key, c)
		}
	}
	if len(key) < len(t.live.RowKey()) || len(key) == 0 { // the rowid, or none: the columns that can be written in a program
		key = nil
		for _, c := range t.shown() {
			plain := c.live.Kind == schema.Int || c.live.Kind == schema.Bool || c.live.Kind == schema.Text && c.live.Enum == nil // in one form
			if len(rows) > 0 && plain && !c.live.Loose {
				if _, ok := rows[0][c.name].literal(); ok {
					key = append(key, c)
				}
			}
		}
	}
	if len(rows) == 0 || len(key) == 0 {
		return
	}
	for _, c := range t.shown() {
		if c.live.Generated != schema.NotGenerated || c.live.Identity == schema.Always || slices.Contains(t.live.RowKey(), c.name) {
			continue
		}
		a.update(t, c, key)
	}
	if before, err = a.snapshot(a.ctx, a.raw); err != nil {
		a.n.fail("%s/%s: %v", a.e.Name, a.name, err)
		return
	}
	r := before[t.name][0]
	a.insert(t, r, false)
	a.insert(t, r, true)
	if len(key) == len(t.live.RowKey()) && slices.Contains(t.live.RowKey(), key[0].name) {
		a.upsert(t, key, r)
	}
	a.remove(t, key)
}

// at finds one row: as a program writes it, and as SQL does.
func at(key []*column, r row) (program, statement string, ok bool) {
	var p, s []string
	for _, c := range key {
		lit, ok := r[c.name].literal()
		if !ok {
			return "", "", false
		}
		p = append(p, c.guest+": "+lit)
		s = append(s, quote(c.name)+" = "+sqlLiteral(r[c.name]))
	}
	return "{ " + strings.Join(p, ", ") + " }", strings.Join(s, " AND "), true
}

func sqlLiteral(c cell) string {
	switch {
	case c.null:
		return "NULL"
	case c.kind == schema.Bool && !strings.HasPrefix(c.raw, "text "):
		return fmt.Sprint(c.num.Sign() != 0)
	case (c.kind == schema.Time || c.kind == schema.Date) && strings.HasPrefix(c.raw, "integer "):
		return strings.TrimPrefix(c.raw, "integer ")
	case c.num != nil && c.kind != schema.Bool:
		s, _ := c.literal()
		return strings.Trim(s, "'")
	}
	_, text, _ := strings.Cut(c.raw, " ")
	switch {
	case c.kind == schema.JSON: // a number is stored as one
		text = c.text
	case !strings.HasPrefix(c.raw, "text "):
		text = c.raw
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// change runs a program, and compares what it leaves with what the statement does.
func (a *asker) change(op string, t *table, c *column, program, statement string, free func(t *table, c string) bool, want func(v any, before, now state) string) {
	if op != "upsert" && a.skip(op, c) {
		return
	}
	before, err := a.snapshot(a.ctx, a.raw)
	var expected state
	var refused error
	if err == nil {
		expected, refused, err = a.after(a.ctx, statement)
	}
	if err != nil {
		a.n.fail("%s/%s %s %s: the oracle fails: %v\n\t%s", a.e.Name, a.name, t.name, op, err, statement)
		return
	}
	v, err := a.run(a.ctx, program)
	now, readErr := a.snapshot(a.ctx, a.raw)
	if readErr != nil {
		a.n.fail("%s/%s %s %s: the oracle fails: %v", a.e.Name, a.name, t.name, op, readErr)
		return
	}
	if err != nil { // then nothing has changed
		if why := a.differs(now, before, func(*table, string) bool { return false }); why != "" {
			a.n.fail("%s/%s %s %s failed and left a change: %s\n\t%s", a.e.Name, a.name, t.name, op, why, program)
		}
	}
	a.judge(op, t, c, "", program, v, err, func(v any) string {
		if refused != nil {
			return fmt.Sprintf("is %v, and SQL is refused: %v\n\t%s", v, refused, statement)
		}
		if why := a.differs(now, expected, free); why != "" {
			return why + "\n\t" + statement
		}
		return want(v, before, now)
	})
}

// timed are the times of tables with triggers, which may set them.
func timed(t *table, name string) bool {
	return len(t.live.Triggers) > 0 && t.column(name).live.Kind == schema.Time
}

func one(v any, _, _ state) string { return different(v, "1") }

// many holds a result to be the number of rows with the key of r, as there were before.
func (t *table) many(key []*column, r row) func(v any, before, _ state) string {
	return func(v any, before, _ state) string {
		return different(v, fmt.Sprint(len(filter(before[t.name], func(x row) bool {
			return !slices.ContainsFunc(key, func(k *column) bool {
				return x[k.name].null || x[k.name].key(k.live.Loose) != r[k.name].key(k.live.Loose)
			})
		}))))
	}
}

func (a *asker) update(t *table, c *column, key []*column) {
	for i := range 2 {
		now, err := a.snapshot(a.ctx, a.raw)
		if err != nil || len(now[t.name]) <= i {
			return
		}
		rows := now[t.name]
		r, from := rows[i], rows[(i+1)%len(rows)]
		value, ok := from[c.name].written()
		p, s, found := at(key, r)
		if !ok || !found {
			continue
		}
		other := "NULL"
		if !from[c.name].null {
			_, there, ok := at(key, from)
			if !ok || there == s { // rows without a key that are alike
				continue
			}
			other = fmt.Sprintf("(SELECT %s FROM %s WHERE %s LIMIT 1)", quote(c.name), quote(t.name), there)
		}
		many := t.many(key, r)
		a.change("update", t, c, fmt.Sprintf("%s.where(%s).update({ %s: %s })", t.grant, p, c.guest, value),
			fmt.Sprintf("UPDATE %s SET %s = %s WHERE %s", quote(t.name), quote(c.name), other, s), timed, many)
		if i == 0 && c.live.Kind == schema.Int && !slices.Contains(key, c) {
			a.change("update", t, c, fmt.Sprintf("%s.where(%s).update(t => ({ %s: t.%s + 1 }))", t.grant, p, c.guest, c.guest),
				fmt.Sprintf("UPDATE %s SET %s = %s + 1 WHERE %s", quote(t.name), quote(c.name), quote(c.name), s), timed, many)
		}
	}
}

// fresh is a value that no row of a column has.
func (a *asker) fresh(c *column) (program, statement string, ok bool) {
	a.news++
	switch c.live.Kind {
	case schema.Int, schema.Decimal, schema.Float:
		s := fmt.Sprint(5000 + a.news)
		return s, s, true
	case schema.Text:
		if c.live.Enum != nil || len(c.live.Type) > 0 && strings.HasPrefix(strings.ToLower(c.live.Type), "char") {
			s := fmt.Sprintf("'n%02d'", a.news%100)
			return s, s, c.live.Enum == nil
		}
		s := fmt.Sprintf("'new%c%c'", 'a'+a.news/26%26, 'a'+a.news%26)
		return s, s, true
	case schema.UUID:
		s := fmt.Sprintf("'99999999-0000-4000-8000-%012d'", a.news)
		return s, s, true
	case schema.Date:
		s := fmt.Sprintf("'2031-01-%02d'", a.news%28+1)
		return s, s, true
	}
	return "", "", false
}

// newRow is a row to insert: columns with values, as a program writes them and as SQL does.
type newRow struct {
	columns        []*column
	program, value []string
}

func (d newRow) has(c *column) bool { return slices.Contains(d.columns, c) }

// object is the row, or some columns of it, as a program gives it.
func (d newRow) object(some ...*column) string {
	var parts []string
	for i, c := range d.columns {
		if some == nil || slices.Contains(some, c) {
			parts = append(parts, c.guest+": "+d.program[i])
		}
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

func (d newRow) insert(t *table) string {
	if len(d.columns) == 0 {
		return fmt.Sprintf("INSERT INTO %s DEFAULT VALUES", quote(t.name))
	}
	var names []string
	for _, c := range d.columns {
		names = append(names, quote(c.name))
	}
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", quote(t.name), strings.Join(names, ", "), strings.Join(d.value, ", "))
}

// free are the columns that the database fills in with another value each time, and those that a trigger sets to the time.
func (d newRow) free(t *table) func(*table, string) bool {
	return func(x *table, name string) bool {
		c := x.column(name)
		return x == t && !d.has(c) && (chanced(c.live) || c.live.Generated != schema.NotGenerated) || timed(x, name)
	}
}

// insert adds a copy of a row, with new values where rows have to differ. least gives no column that may be left out.
func (a *asker) insert(t *table, r row, least bool) {
	d, ok := a.draft(t, r, least)
	if !ok {
		return
	}
	a.change("insert", t, nil, fmt.Sprintf("%s.insert(%s)", t.grant, d.object()), d.insert(t), d.free(t), func(v any, before, now state) string {
		// The program is given the row as it is then.
		rec, _ := v.(map[string]any)
		wrong := ""
		if !slices.ContainsFunc(now[t.name], func(x row) bool {
			for _, c := range t.shown() {
				if got, there := rec[c.guest]; there && !x[c.name].shows(got) {
					return false
				}
			}
			return true
		}) {
			wrong = fmt.Sprintf("the program is given %v, which is no row", v)
		}
		return wrong
	})
}

// draft drafts a row like r.
func (a *asker) draft(t *table, r row, least bool) (d newRow, ok bool) {
	for _, c := range t.columns {
		x := r[c.name]
		leads := slices.ContainsFunc(t.live.ForeignKeys, func(k schema.ForeignKey) bool { return slices.Contains(k.Columns, c.name) })
		differs := !leads && (slices.ContainsFunc(t.live.Keys(), func(k []string) bool { return slices.Contains(k, c.name) }) ||
			slices.ContainsFunc(t.live.Indexes, func(i schema.Index) bool {
				return i.Unique && slices.ContainsFunc(i.Parts, func(p schema.Part) bool { return p.Column == c.name || strings.Contains(p.Expr, c.name) })
			}))
		filled := c.live.Generated != schema.NotGenerated || c.live.Identity != schema.NotIdentity
		optional := filled || !c.live.NotNull || c.live.Default != ""
		program, value := "", ""
		switch {
		case filled || least && optional && !differs || c.out != "" && optional:
			continue
		case c.out != "":
			return d, false
		case differs:
			if program, value, ok = a.fresh(c); !ok {
				return d, false
			}
		default:
			if program, ok = x.written(); !ok && optional {
				continue
			} else if !ok {
				return d, false
			}
			value = a.sqlValue(t, c, x)
		}
		d.columns, d.program, d.value = append(d.columns, c), append(d.program, program), append(d.value, value)
	}
	return d, true
}

// sqlValue is a cell as a statement writes it.
func (a *asker) sqlValue(t *table, c *column, x cell) string {
	switch {
	case x.null:
		return "NULL"
	case a.e.Name == "sqlite" && strings.HasPrefix(x.raw, "blob "):
		return "x'" + x.raw[5:] + "'"
	case c.live.Kind == schema.Interval:
		var months, days, micros int64
		fmt.Sscan(x.text, &months, &days, &micros)
		return fmt.Sprintf("'%d months %d days %d microseconds'", months, days, micros)
	case c.live.Kind == schema.List:
		return fmt.Sprintf("(SELECT %s FROM %s WHERE to_json(%s)::text = '%s' LIMIT 1)", quote(c.name), quote(t.name), quote(c.name), strings.ReplaceAll(x.raw, "'", "''"))
	}
	return sqlLiteral(x)
}

// upsert changes a row or adds it, as the language page says, twice: the second time changes what the first has added.
func (a *asker) upsert(t *table, key []*column, r row) {
	if a.skip("upsert", nil) { // both or none
		return
	}
	d, ok := a.draft(t, r, false)
	set := slices.IndexFunc(d.columns, func(c *column) bool { return !slices.Contains(key, c) && !slices.Contains(t.live.RowKey(), c.name) })
	if !ok || set < 0 || slices.ContainsFunc(key, func(c *column) bool { return !d.has(c) }) {
		return
	}
	where := fmt.Sprintf("%s.where(%s)", t.grant, d.object(key...))
	if _, refused, err := a.after(a.ctx, d.insert(t)); refused != nil || err != nil {
		return // its key is that of a row
	}
	program := fmt.Sprintf("if (await %s.update(%s) === 0) await %s.insert(%s); return %s.count()", where, d.object(d.columns[set]), t.grant, d.object(), where)
	a.change("upsert", t, nil, program, d.insert(t), d.free(t), one)
	same := fmt.Sprintf("UPDATE %s SET %s = %s WHERE 1 = 0", quote(t.name), quote(t.columns[0].name), quote(t.columns[0].name))
	a.change("upsert", t, nil, program, same, d.free(t), one)
}

// remove deletes the last row, and the first one, to which more leads.
func (a *asker) remove(t *table, key []*column) {
	for _, last := range []bool{true, false} {
		now, err := a.snapshot(a.ctx, a.raw)
		if err != nil || len(now[t.name]) == 0 {
			return
		}
		r := now[t.name][0]
		if last {
			r = now[t.name][len(now[t.name])-1]
		}
		op := "delete"
		if slices.ContainsFunc(t.links, func(l *link) bool {
			return !l.one && slices.ContainsFunc(now[l.to.name], func(x row) bool { return l.joined(r, x) })
		}) {
			op = "cascade"
		}
		if p, s, ok := at(key, r); ok {
			a.change(op, t, nil, fmt.Sprintf("%s.where(%s).delete()", t.grant, p), fmt.Sprintf("DELETE FROM %s WHERE %s", quote(t.name), s), timed, t.many(key, r))
		}
	}
}
