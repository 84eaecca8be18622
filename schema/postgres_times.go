package schema

// This file samples the times in a PostgreSQL database.

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/internal/sqlname"
)

// LookAtTimes sets Column.Finer of a PostgreSQL database, from 500 rows of each table. It must be the last step of a transaction. It skips tables
// with row-level security, where finding 500 rows may take long. Finer is -1 for a table that can't be read.
func (d *Database) LookAtTimes(ctx context.Context, q Querier) error {
	var cols []*Column
	var selects []string
	var of [][]*Column // of has the columns of each select
	for _, t := range d.Tables {
		var names, values []string
		for i := range t.Columns {
			if c := &t.Columns[i]; c.Kind == Time && !c.Unreadable && !t.Foreign && !t.RowSecurity {
				name := sqlname.Quote(c.Name)
				names = append(names, name) // the role may have no right to other columns
				values = append(values, fmt.Sprintf("(%d, %[2]s <> date_trunc('milliseconds', %[2]s))", len(cols), name))
				cols = append(cols, c)
			}
		}
		if n := len(cols) - len(names); names != nil {
			of = append(of, cols[n:])
			selects = append(selects, fmt.Sprintf("(SELECT x.i, count(*) FROM (SELECT %s FROM %s LIMIT %d) AS t, LATERAL (VALUES %s) AS x (i, finer) WHERE x.finer GROUP BY x.i)", strings.Join(names, ", "), sqlname.Path(t.Schema, t.Name.Name), lookedAt, strings.Join(values, ", ")))
		}
	}
	for alone := 0; len(selects) > 0 && ctx.Err() == nil; { // alone counts how many of the next selects run one by one, since one of them fails
		n := min(len(selects), 100)
		if alone > 0 {
			n, alone = 1, alone-1
		}
		if err := each(ctx, q, "SAVEPOINT exo_times", nil, nil); err != nil {
			return &ReadError{"the times", err}
		}
		err := each(ctx, q, strings.Join(selects[:n], " UNION ALL "), nil, func(rows *sql.Rows) error {
			var i, finer int
			if err := rows.Scan(&i, &finer); err != nil {
				return err
			}
			cols[i].Finer = finer
			return nil
		})
		if err != nil {
			if back := each(ctx, q, "ROLLBACK TO exo_times", nil, nil); back != nil {
				return &ReadError{"the times", back}
			}
			if n > 1 {
				alone = n
				continue
			}
			for _, c := range of[0] {
				c.Finer = -1
			}
		}
		selects, of = selects[n:], of[n:]
	}
	return ctx.Err()
}
