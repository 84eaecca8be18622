package sqlast

import (
	"errors"
	"fmt"
)

// WriteKind is the kind of a Write. The zero kind is invalid.
type WriteKind uint8

const (
	NoWrite WriteKind = iota
	Insert
	Update
	Delete
)

// Write is one statement that changes rows of a table. For an update or a delete the Select From finds the rows, so writes have the same
// guarantees as reads. The changed rows have the keys that From returns. Without From they are the rows that match Where.
type Write struct {
	Kind  WriteKind
	Table string
	In    string // the PostgreSQL schema of the table: see Source

	// Columns are the columns that get a value. Each occurs once.
	Columns []string
	// Rows are the new rows of an Insert. Each has an Arg or Null for each column.
	Rows [][]Expr

	// Alias is the name of Table in an Update or a Delete. From, if not nil, selects the rows to change: those with columns equal to From's
	// outputs, by the pairs in Keys. From must not have two rows with the same key, because engines differ on which one counts.
	Alias string
	From  *Select
	As    string // the alias of From
	Keys  []KeyOutput
	// Values are the new values of Columns in an Update: each is an output of From, an Arg, or Null. Without From they may be any expressions over
	// the row.
	Values []Expr
	// Where are further conditions, which read only Alias. Without From there must be at least one.
	Where []Expr

	// Returning are columns of an inserted row that the statement returns, in this order.
	Returning []string
	// Outputs are the expressions over Alias that an Update returns for each changed row. Their names are not written.
	Outputs []Output
}

// KeyOutput requires that a column of the table equals an output of the select.
type KeyOutput struct{ Column, Output string }

// RenderWrite is Render for a Write. The result reads has the tables and columns that the statement reads, in the form of Tables.
func RenderWrite(w *Write, d Dialect) (text string, slots []int, reads map[string]map[string]bool, err error) {
	if d != SQLite && d != Postgres {
		return "", nil, nil, errors.New("sqlast: there is no such dialect: want SQLite or Postgres")
	}
	if reads, err = checkWrite(w, d); err != nil {
		return "", nil, nil, fault(err)
	}
	f := newFragment(d)
	switch w.Kind {
	case Insert:
		f.insert(w)
	case Update:
		f.update(w)
	default:
		f.delete(w)
	}
	if f.err != nil {
		return "", nil, nil, fmt.Errorf("sqlast: %w", f.err)
	}
	text = f.text.String()
	for _, a := range f.slots {
		slots = append(slots, a.(int))
	}
	text, err = finish(text, len(slots), d, func(int) bool { return false })
	return text, slots, reads, err
}

func (f *fragment) insert(w *Write) {
	f.write("INSERT INTO ").path(w.In, w.Table).write(" ").names(w.Columns).write(" VALUES ")
	for i, row := range w.Rows {
		f.sep(i, ", ").call(spelling{"(", []constant{", "}, ")"}, row)
	}
	for i, c := range w.Returning {
		if i == 0 {
			f.write(" RETURNING ")
		} else {
			f.write(", ")
		}
		f.name(c)
	}
}

func (f *fragment) names(list []string) *fragment {
	f.write("(")
	for i, n := range list {
		f.sep(i, ", ").name(n)
	}
	return f.write(")")
}

func (f *fragment) update(w *Write) {
	f.write("UPDATE ").path(w.In, w.Table).write(" AS ").name(w.Alias).write(" SET ")
	for i, c := range w.Columns {
		f.sep(i, ", ").name(c).write(" = ").add(w.Values[i])
	}
	if w.From != nil {
		f.write(" FROM ").sub(w.From).write(" AS ").name(w.As)
	}
	f.matched(w)
	for i, o := range w.Outputs {
		f.write(map[bool]constant{true: " RETURNING ", false: ", "}[i == 0]).add(o.Expr)
	}
}

// delete writes a DELETE. For SQLite it writes IN, because SQLite has no USING.
func (f *fragment) delete(w *Write) {
	f.write("DELETE FROM ").path(w.In, w.Table).write(" AS ").name(w.Alias)
	if w.From == nil {
		f.matched(w)
		return
	}
	if f.dialect == Postgres {
		f.write(" USING ").sub(w.From).write(" AS ").name(w.As).matched(w)
		return
	}
	f.write(" WHERE (")
	for i, k := range w.Keys {
		f.sep(i, ", ").name(w.Alias).write(".").name(k.Column)
	}
	f.write(") IN (SELECT ")
	for i, k := range w.Keys {
		f.sep(i, ", ").name(w.As).write(".").name(k.Output)
	}
	f.write(" FROM ").sub(w.From).write(" AS ").name(w.As).write(")")
	for _, e := range w.Where {
		f.write(" AND ").add(e)
	}
}

func (f *fragment) matched(w *Write) {
	for i, k := range w.Keys {
		f.and(i).write("(").name(w.Alias).write(".").name(k.Column).write(" = ").name(w.As).write(".").name(k.Output).write(")")
	}
	for i, e := range w.Where {
		f.and(len(w.Keys) + i).add(e)
	}
}

// and begins condition number i of a WHERE.
func (f *fragment) and(i int) *fragment {
	if i == 0 {
		return f.write(" WHERE ")
	}
	return f.write(" AND ")
}

// checkWrite checks a Write and returns the tables and columns that the statement reads.
func checkWrite(w *Write, d Dialect) (map[string]map[string]bool, error) {
	if w == nil || w.Kind == NoWrite || w.Kind > Delete {
		return nil, errors.New("the write is nil, or its Kind is not Insert, Update or Delete")
	}
	if err := checkTable(w.In, w.Table); err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	if err := distinctNames("columns", w.Columns); err != nil {
		return nil, err
	}
	if err := distinctNames("returning", w.Returning); err != nil {
		return nil, err
	}
	c := &checker{dialect: d, aliases: map[string]bool{}, reads: map[string]map[string]bool{w.Table: {}}}
	if w.Kind == Insert {
		for _, r := range w.Returning {
			c.reads[w.Table][r] = true
		}
		return c.reads, c.rows(w)
	}
	return c.reads, c.changes(w)
}

func distinctNames(what string, names []string) error {
	seen := map[string]bool{}
	for i, n := range names {
		if err := checkIdent(n); err != nil {
			return at(what, i, err)
		}
		if seen[Fold(n)] {
			return at(what, i, fmt.Errorf("the name %q occurs twice", n))
		}
		seen[Fold(n)] = true
	}
	return nil
}

// rows checks the new rows of an insert.
func (c *checker) rows(w *Write) error {
	switch {
	case len(w.Columns) == 0 || len(w.Rows) == 0:
		return errors.New("an insert needs Columns and Rows")
	case w.From != nil || w.Alias != "" || w.As != "" || len(w.Keys)+len(w.Values)+len(w.Where)+len(w.Outputs) > 0:
		return errors.New("an insert can't have From, Alias, As, Keys, Values, Where or Outputs")
	}
	for i, row := range w.Rows {
		if len(row) != len(w.Columns) {
			return at("rows", i, fmt.Errorf("a row of the insert has %d values for %d columns", len(row), len(w.Columns)))
		}
		for _, e := range row {
			if !given(e) {
				return at("rows", i, errors.New("a value has to be an argument, or NULL"))
			}
			if err := c.expr(e, nil, 0); err != nil {
				return at("rows", i, err)
			}
		}
	}
	return nil
}

// given reports whether a value does not depend on a row.
func given(e Expr) bool {
	_, arg := e.(Arg)
	return arg || e == Expr(Null)
}

// changes checks which rows an update or a delete changes, and the new values.
func (c *checker) changes(w *Write) error {
	switch {
	case len(w.Rows)+len(w.Returning) > 0:
		return errors.New("only an insert may have Rows and Returning")
	case w.From == nil && (len(w.Keys) > 0 || w.As != "" || len(w.Where) == 0):
		return errors.New("an update or delete without From needs Where, and can't have Keys or As")
	case w.From != nil && len(w.Keys) == 0:
		return errors.New("an update or delete with From needs Keys")
	case w.Kind == Delete && len(w.Columns)+len(w.Values) > 0:
		return errors.New("a delete can't have Columns or Values")
	case w.Kind == Delete && len(w.Outputs) > 0:
		return errors.New("only an update may have Outputs")
	case w.Kind == Update && (len(w.Columns) == 0 || len(w.Columns) != len(w.Values)):
		return errors.New("an update needs Columns, and in Values one value for each")
	}
	if w.From == nil {
		return c.direct(w)
	}
	outputs, err := c.query(w.From, nil)
	if err != nil {
		return fmt.Errorf("from: %w", err)
	}
	for i, k := range w.Keys {
		if err := checkIdent(k.Column); err != nil {
			return at("keys", i, err)
		}
		c.reads[w.Table][k.Column] = true
		if _, ok := outputs[k.Output]; !ok {
			return at("keys", i, fmt.Errorf("the select in From has no output %q", k.Output))
		}
	}
	for _, alias := range []string{w.As, w.Alias} {
		if err := checkIdent(alias); err != nil {
			return fmt.Errorf("alias: %w", err)
		}
		if c.aliases[Fold(alias)] {
			return fmt.Errorf("alias %q is used twice in the statement", alias)
		}
		c.aliases[Fold(alias)] = true
	}
	from := &scope{sources: []source{{alias: w.As, outputs: outputs}}}
	for i, e := range w.Values {
		if column, ok := e.(Column); ok && column.Alias != w.As || !ok && !given(e) {
			return at("values", i, errors.New("a value has to be an output of the select, an argument, or NULL"))
		}
		if err := c.expr(e, from, 0); err != nil {
			return at("values", i, err)
		}
	}
	return c.ofRow(w, &scope{sources: []source{{alias: w.Alias, table: w.Table}}})
}

// ofRow checks the conditions and the outputs, which read the changed row.
func (c *checker) ofRow(w *Write, row *scope) error {
	for i, o := range w.Outputs {
		if _, err := c.root(func() error { return c.expr(o.Expr, row, 0) }); err != nil {
			return at("outputs", i, err)
		}
	}
	return c.conjuncts("where", w.Where, row)
}

// direct checks an update or a delete without From: its conditions find the rows.
func (c *checker) direct(w *Write) error {
	if err := checkIdent(w.Alias); err != nil {
		return fmt.Errorf("alias: %w", err)
	}
	c.aliases[Fold(w.Alias)] = true
	row := &scope{sources: []source{{alias: w.Alias, table: w.Table}}}
	for i, e := range w.Values {
		if _, err := c.root(func() error { return c.expr(e, row, 0) }); err != nil {
			return at("values", i, err)
		}
	}
	return c.ofRow(w, row)
}
