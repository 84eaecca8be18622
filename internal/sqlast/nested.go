package sqlast

import (
	"errors"
	"fmt"
)

// These bound the rows of a Nested. The spellings below contain MaxNested and MaxRows, too.
const (
	MaxNested = 1 << 20 // the most bytes of the rows, where each row counts 16 more
	MaxRows   = 10_000
	MaxCells  = 100 // the most arguments of a function in SQLite
)

// nested writes the rows of a select as one value. An engine would keep any number of rows in memory, so on Postgres the statement makes no
// row beyond the bounds.
func (f *fragment) nested(e Nested) *fragment {
	cells := func() *fragment {
		for i, o := range e.Sub.Columns {
			f.sep(i, ", ").add(Column{e.Alias, o.As})
		}
		return f
	}
	switch {
	case f.dialect == SQLite && e.One && len(e.Sub.OrderBy) == 0:
		one := *e.Sub
		one.Columns = []Output{{Expr: rowOf{e.Sub.Columns}, As: "k"}}
		return f.sub(&one)
	case f.dialect == SQLite:
		if e.One {
			f.write("(SELECT exo_row(")
		} else {
			f.write("(SELECT exo_rows(")
		}
		cells()
		return f.write(") FROM ").sub(e.Sub).write(" AS ").name(e.Alias).write(")")
	}
	f.write("ARRAY(SELECT ")
	sized := !e.One && f.sizes(e)
	f.write("ROW(")
	cells().write(")")
	if sized {
		f.write(" END")
	}
	return f.write(" FROM ").sub(e.Sub).write(" AS ").name(e.Alias).write(" LIMIT 10001)")
}

// rowOf is exo_row, called with the outputs.
type rowOf struct{ cells []Output }

func (rowOf) expr() {}

func (f *fragment) rowOf(e rowOf) *fragment {
	args := make([]Expr, len(e.cells))
	for i, o := range e.cells {
		args[i] = o.Expr
	}
	return f.call(function("exo_row("), args)
}

// sizes writes the condition that a row and all rows before it stay within MaxNested. If no value can be large, it writes nothing and returns false.
func (f *fragment) sizes(e Nested) (some bool) {
	for i, s := range e.Sizes {
		if s == Fixed {
			continue
		}
		if !some {
			f.write("CASE WHEN SUM(16")
		}
		some = true
		open, end := constant("octet_length(CAST("), constant(" AS text))")
		switch s {
		case Bytes:
			open, end = "octet_length(", ")"
		case Stored:
			open, end = "pg_column_size(", ")"
		}
		f.write(" + least(coalesce(").write(open).add(Column{e.Alias, e.Sub.Columns[i].As}).write(end).write(", 0), 1048577)") // coalesce, because LEAST skips NULL
	}
	if some {
		f.write(") OVER (ROWS UNBOUNDED PRECEDING) <= 1048576 THEN ")
	}
	return some
}

// nested checks a Nested and its select, which must have a limit or an offset. Without one, no engine promises to keep the order of a derived table.
func (c *checker) nested(e Nested, sc *scope) error {
	if err := checkIdent(e.Alias); err != nil {
		return fmt.Errorf("nested: alias: %w", err)
	}
	if c.aliases[Fold(e.Alias)] {
		return fmt.Errorf("nested: alias %q is used twice in the statement", e.Alias)
	}
	c.aliases[Fold(e.Alias)] = true
	if _, err := c.query(e.Sub, sc); err != nil {
		return fmt.Errorf("nested: %w", err)
	}
	switch {
	case len(e.Sub.Limit)+len(e.Sub.Offset) == 0:
		return errors.New("nested: the select needs a Limit or an Offset")
	case len(e.Sub.Columns) > MaxCells:
		return fmt.Errorf("nested: the select has more than %d columns", MaxCells)
	case len(e.Sizes) != len(e.Sub.Columns):
		return errors.New("nested: the field Sizes must have one size for each column")
	}
	return nil
}
