package schema

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/internal/cellform"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlname"
)

// lookedAt is the number of rows that LookAtCells reads from each end of a table. With many tables it reads allLooked divided by their number, but
// at least leastLooked, so that a large database does not keep a command waiting.
const lookedAt, leastLooked, allLooked = 500, 50, 40_000

// Cells counts the cells that were looked at in a SQLite column of times, days or truth values, which tools write in several forms.
type Cells struct {
	Held  int            // Held counts the cells that are not NULL
	Plain int            // Plain counts the cells that need no Column.Stored: a time as a text, a day like 2006-01-02, 0 and 1
	Forms map[string]int // Forms counts the cells in each form of exosql's Column.Stored; a cell may have several forms
}

// Form returns the form that most of the cells have, and their number, or "" if there is no such form.
func (c *Cells) Form(kind Kind) (form string, n int) {
	for _, f := range cellform.Of(string(kind)) {
		if k := c.Forms[string(f)]; k > n {
			form, n = string(f), k
		}
	}
	if n*2 <= c.Held {
		return "", 0
	}
	return form, n
}

// LookAtCells sets Column.Cells and Column.Misfits of the tables of a SQLite database, from the first and the last 500 rows of each table. With more
// than 80 tables it reads fewer rows of each, but at least 50. On PostgreSQL it does nothing, since a column's type decides how values are stored.
func (d *Database) LookAtCells(ctx context.Context, q Querier) error {
	if d.Engine != SQLite {
		return nil
	}
	for _, t := range d.Tables {
		if t.Virtual {
			continue
		}
		if err := t.lookAtCells(ctx, q, max(leastLooked, min(lookedAt, allLooked/len(d.Tables)))); err != nil {
			return &ReadError{"the forms of cells", err}
		}
	}
	return nil
}

func (t *Table) lookAtCells(ctx context.Context, q Querier, most int) error {
	var cols []*Column
	var names, outs []string
	for i := range t.Columns {
		c := &t.Columns[i]
		formed := c.Kind == Time || c.Kind == Date || c.Kind == Bool
		if (formed || storageOf[c.Kind] != nil || c.Kind == Unknown) && c.Generated != Virtual { // a virtual column may call any function, so it is not read
			// The expression has no declared type, so no driver turns a text into a time.
			name := sqlname.Quote(c.Name)
			names, cols = append(names, name), append(cols, c)
			outs = append(outs, fmt.Sprintf("CASE typeof(%[1]s) WHEN 'text' THEN substr(%[1]s, 1, 100) WHEN 'blob' THEN x'' ELSE %[1]s END", name))
			if formed {
				c.Cells = &Cells{Forms: map[string]int{}}
			}
			c.Misfits, c.Untyped = 0, nil
			if c.Kind == Unknown {
				c.Untyped = map[Kind]int{}
			}
		}
	}
	if len(cols) == 0 {
		return nil
	}
	from := fmt.Sprintf("(SELECT %s FROM %s LIMIT %d)", strings.Join(names, ", "), sqlname.Quote(t.Name.Name), most)
	if rowid := t.rowid(); rowid != "" {
		number := "exo_rowid"
		for slices.ContainsFunc(t.Columns, func(c Column) bool { return strings.EqualFold(c.Name, number) }) {
			number += "_"
		}
		some := strings.Join(append([]string{rowid + " AS " + number}, names...), ", ")
		end := func(order string) string {
			return fmt.Sprintf("SELECT * FROM (SELECT %s FROM %s ORDER BY %s%s LIMIT %d)", some, sqlname.Quote(t.Name.Name), rowid, order, most)
		}
		from = "(" + end("") + " UNION " + end(" DESC") + ")" // UNION counts a row that is at both ends once
	}
	cells := make([]any, len(cols))
	for i := range cells {
		cells[i] = new(any)
	}
	return each(ctx, q, "SELECT "+strings.Join(outs, ", ")+" FROM "+from, nil, func(rows *sql.Rows) error {
		if err := rows.Scan(cells...); err != nil {
			return err
		}
		for i, c := range cols {
			if x := *cells[i].(*any); c.Cells != nil {
				c.Cells.add(c.Kind, x)
			} else if x != nil && c.Untyped != nil {
				for kind, holds := range storageOf {
					if !holds(x) {
						c.Untyped[kind]++
					}
				}
			} else if x != nil && !storageOf[c.Kind](x) {
				c.Misfits++
			}
		}
		return nil
	})
}

// storageOf reports, for each kind that needs no form, whether a cell is a value of that kind. Texts are cut to 100 characters, and blobs are empty.
var storageOf = map[Kind]func(cell any) bool{
	Int:   func(x any) bool { _, ok := x.(int64); return ok },
	Float: func(x any) bool { f, _ := x.(float64); return number(x) && !math.IsInf(f, 0) },
	Text:  func(x any) bool { _, ok := x.(string); return ok },
	Bytes: func(x any) bool { _, ok := x.([]byte); return ok },
	Decimal: func(x any) bool {
		s, text := x.(string)
		_, ok := scalar.Canonical(string(Decimal), s)
		return number(x) || text && (ok || len(s) == 100)
	},
	UUID: func(x any) bool {
		s, _ := x.(string)
		u, ok := scalar.Canonical(string(UUID), s)
		return ok && u == s
	},
}

func number(x any) bool {
	switch x.(type) {
	case int64, float64:
		return true
	}
	return false
}

// rowid returns a name for the table's rowid that no column has, or "".
func (t *Table) rowid() string {
	for _, name := range []string{"rowid", "_rowid_", "oid"} {
		if !t.WithoutRowID && !slices.ContainsFunc(t.Columns, func(c Column) bool { return asciiFold(c.Name) == name }) {
			return name
		}
	}
	return ""
}

func (c *Cells) add(kind Kind, cell any) {
	if cell == nil {
		return
	}
	c.Held++
	s, _ := cell.(string)
	plain := false
	switch kind {
	case Time:
		_, plain = cellform.ReadTime(s)
	case Date:
		d, ok := scalar.Canonical(string(kind), s)
		plain = ok && d == s
	default:
		plain = cell == int64(0) || cell == int64(1)
	}
	if plain {
		c.Plain++
	}
	for _, f := range cellform.Of(string(kind)) {
		if f.Read(string(kind), cell) != nil {
			c.Forms[string(f)]++
		}
	}
}
