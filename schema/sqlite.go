package schema

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/internal/sqlname"
)

// Querier runs the queries of the readers. *sql.DB, *sql.Conn and *sql.Tx implement it. A transaction gives one consistent picture while
// others change the catalogue.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// ReadSQLite reads the catalogue of the main schema of a SQLite database (3.37 or newer).
//
// SQLite reports most of it. The rest (collations, checks, conditions, the event of a trigger) is parsed from the texts of definitions.
func ReadSQLite(ctx context.Context, q Querier) (*Database, error) {
	r := &sqliteReader{ctx: ctx, q: q, db: &Database{Engine: SQLite}, sql: map[string]string{}}
	steps := []struct {
		what string
		read func() error
	}{
		{"the list of tables", r.tables}, {"the columns", r.columns}, {"the definitions", r.definitions},
		{"the indexes", r.indexes}, {"the foreign keys", r.foreignKeys}, {"the triggers", r.triggers}, {"the views", r.views},
	}
	for _, s := range steps {
		if err := s.read(); err != nil {
			return nil, &ReadError{s.what, err}
		}
	}
	r.db.finish()
	return r.db, nil
}

type sqliteReader struct {
	ctx context.Context
	q   Querier
	db  *Database
	sql map[string]string // sql has the texts of definitions of tables, views and indexes, by name
}

// each runs a query and calls scan for each row.
func each(ctx context.Context, q Querier, query string, args []any, scan func(*sql.Rows) error) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (r *sqliteReader) tables() error {
	shadows, err := r.shadows()
	if err != nil {
		return err
	}
	return each(r.ctx, r.q, `SELECT l.name, l.type, l.wr, l.strict, coalesce(m.sql, '') FROM pragma_table_list AS l
		JOIN sqlite_schema AS m ON m.name = l.name AND m.type IN ('table', 'view')
		WHERE l.schema = 'main' AND l.type IN ('table', 'view', 'virtual', 'shadow') AND l.name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY l.name`, nil, func(rows *sql.Rows) error {
		t := &Table{}
		var kind, text string
		if err := rows.Scan(&t.Name.Name, &kind, &t.WithoutRowID, &t.Strict, &text); err != nil {
			return err
		}
		if kind == "view" {
			r.sql[t.Name.Name] = text
			r.db.Views = append(r.db.Views, &View{Name: t.Name})
			return nil
		}
		if of := shadows[asciiFold(t.Name.Name)]; of != "" && kind != "virtual" {
			r.db.LeftOut = append(r.db.LeftOut, LeftOut{Name: t.Name, Of: of})
			return nil
		}
		t.Virtual = kind == "virtual"
		if t.Virtual { // for a virtual table, SQLite reports these fields as the table's module decides
			t.WithoutRowID, t.Strict = false, false
		}
		r.sql[t.Name.Name] = text
		r.db.Tables = append(r.db.Tables, t)
		return nil
	})
}

// columns reads the columns of all tables and views. A table or view that SQLite can't compile is left out with the reason, since only queries
// of it fail.
func (r *sqliteReader) columns() error {
	var tables []*Table
	for _, t := range r.db.Tables {
		key := map[int]string{}
		err := r.columnsOf(t.Name.Name, func(c Column, pk int) {
			t.Columns = append(t.Columns, c)
			if pk > 0 {
				key[pk] = c.Name
			}
		})
		if err = r.compiles(t.Name.Name, err); err != nil {
			if err := r.leaveOut(t.Name, err); err != nil {
				return err
			}
			continue
		}
		tables = append(tables, t)
		if len(key) > 0 {
			t.PrimaryKey = &Key{NullsDistinct: true}
		}
		for i := 1; i <= len(key); i++ { // the loop does not test for "", since a column's name may be empty
			t.PrimaryKey.Columns = append(t.PrimaryKey.Columns, key[i])
		}
	}
	var views []*View
	for _, v := range r.db.Views {
		err := r.columnsOf(v.Name.Name, func(c Column, _ int) { v.Columns = append(v.Columns, c) })
		if err = r.compiles(v.Name.Name, err); err != nil {
			if err := r.leaveOut(v.Name, err); err != nil {
				return err
			}
			continue
		}
		views = append(views, v)
	}
	r.db.Tables, r.db.Views = tables, views
	return nil
}

// compiles returns err, or else makes SQLite compile a query of a table or view. SQLite lists columns even of some that can't be queried.
func (r *sqliteReader) compiles(name string, err error) error {
	if err != nil {
		return err
	}
	return each(r.ctx, r.q, `EXPLAIN SELECT * FROM main.`+sqlname.Quote(name), nil, func(*sql.Rows) error { return nil })
}

// leaveOut notes why a table or view is left out. If the context has ended or the file can't be read, it returns that error: otherwise every
// table would be left out.
func (r *sqliteReader) leaveOut(name Name, why error) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if err := each(r.ctx, r.q, "SELECT count(*) FROM sqlite_schema", nil, func(*sql.Rows) error { return nil }); err != nil {
		return err
	}
	r.db.LeftOut = append(r.db.LeftOut, LeftOut{Name: name, Why: Printable(why.Error()), Unread: errors.Is(why, errDefinition)})
	return nil
}

func (r *sqliteReader) columnsOf(table string, add func(c Column, pk int)) error {
	return each(r.ctx, r.q, `SELECT name, type, "notnull", coalesce(dflt_value, ''), pk, hidden FROM pragma_table_xinfo(?, 'main') ORDER BY cid`, []any{table}, func(rows *sql.Rows) error {
		var c Column
		var text string
		var pk, hidden int
		if err := rows.Scan(&c.Name, &c.Type, &c.NotNull, &text, &pk, &hidden); err != nil {
			return err
		}
		switch hidden {
		case 1: // 1 means a hidden column of a virtual table
			return nil
		case 2:
			c.Generated = Virtual
		case 3:
			c.Generated = Stored
		}
		c.setDefault(text, SQLite)
		c.Kind = sqliteKind(c.Type)
		add(c, pk)
		return nil
	})
}

// eachTable calls read for each table. A table for which read fails is left out with the reason, since only queries of it fail.
func (r *sqliteReader) eachTable(read func(*Table) error) error {
	var kept []*Table
	for _, t := range r.db.Tables {
		if err := read(t); err == nil {
			kept = append(kept, t)
		} else if err := r.leaveOut(t.Name, err); err != nil {
			return err
		}
	}
	r.db.Tables = kept
	return nil
}

// definitions parses the texts of definitions for collations, checks and other parts that SQLite does not report.
func (r *sqliteReader) definitions() error {
	return r.eachTable(func(t *Table) error {
		if t.Virtual {
			return nil
		}
		own, err := readTable(r.sql[t.Name.Name])
		if err != nil {
			return fmt.Errorf("%w: %w", errDefinition, err)
		}
		if !slices.EqualFunc(own.columns, t.Columns, func(a, b Column) bool { return SQLite.Is(a.Name, b.Name) }) {
			return fmt.Errorf("%w: its columns are not those that SQLite reports", errDefinition)
		}
		t.Checks, t.OnConflict = own.checks, own.onConflict
		for i := range t.Columns {
			c, w := &t.Columns[i], own.columns[i]
			c.Collation, c.Loose, c.GenExpr = w.Collation, w.Loose, w.GenExpr
		}
		for _, d := range slices.Backward(own.deferrable) { // SQLite lists foreign keys from the last to the first
			t.ForeignKeys = append(t.ForeignKeys, ForeignKey{Deferrable: d})
		}
		return nil
	})
}

func (r *sqliteReader) indexes() error {
	texts := map[string]string{} // texts is read by one query, because SQLite would scan its whole catalogue for each index
	err := each(r.ctx, r.q, `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL`, nil, func(rows *sql.Rows) error {
		var name, text string
		err := rows.Scan(&name, &text)
		texts[name] = text
		return err
	})
	if err != nil {
		return err
	}
	return r.eachTable(func(t *Table) error {
		type listed struct {
			name, origin string
			unique       bool
			parts        []Part
		}
		var list []listed
		// One statement returns the indexes with their parts, since preparing one for each index would take most of the time.
		err := each(r.ctx, r.q, `SELECT l.name, l.origin, l."unique", x.cid, coalesce(x.name, ''), x."desc", coalesce(x.coll, '')
			FROM pragma_index_list(?, 'main') l, pragma_index_xinfo(l.name, 'main') x WHERE x.key ORDER BY l.name, x.seqno`, []any{t.Name.Name}, func(rows *sql.Rows) error {
			var l listed
			var p Part
			var cid int
			if err := rows.Scan(&l.name, &l.origin, &l.unique, &cid, &p.Column, &p.Desc, &p.Collation); err != nil {
				return err
			}
			if n := len(list); n == 0 || list[n-1].name != l.name {
				list = append(list, l)
			}
			last := &list[len(list)-1]
			last.parts = append(last.parts, p.ofIndex(t, cid))
			return nil
		})
		if err != nil {
			return err
		}
		rowid := !t.Virtual && !t.WithoutRowID
		for _, l := range list {
			key := Key{NullsDistinct: true}
			if slices.ContainsFunc(l.parts, func(p Part) bool { return p.Desc || p.Collation != "" }) {
				key.Parts = l.parts
			}
			if l.origin == "pk" {
				rowid = false
				if t.PrimaryKey != nil {
					t.PrimaryKey.Parts = key.Parts
				}
				continue
			}
			if l.origin == "u" {
				x := Index{Parts: l.parts}
				key.Columns = x.columns()
				t.Uniques = append(t.Uniques, key)
				continue
			}
			x := Index{Name: l.name, Parts: l.parts, Unique: l.unique}
			if err := x.fromText(texts[l.name]); err != nil {
				x.unread(texts[l.name])
			}
			t.Indexes = append(t.Indexes, x)
		}
		t.RowID = !t.Virtual && !t.WithoutRowID && (!rowid || t.PrimaryKey == nil) &&
			!slices.ContainsFunc(t.Columns, func(c Column) bool { return asciiFold(c.Name) == rowID })
		if k := t.PrimaryKey; rowid && k != nil { // a key without an index is the rowid under another name
			c := t.Column(k.Columns[0])
			c.Identity, c.NotNull = ByDefault, true
		}
		return nil
	})
}

// ofIndex returns a part of an index of t in the form of this package. SQLite gives the rowid the number -1. A collation equal to the column's own is
// left out.
func (p Part) ofIndex(t *Table, cid int) Part {
	if cid == -1 {
		p.Column = "rowid"
	}
	own := ""
	if c := t.Column(p.Column); c != nil {
		own = c.Collation
	}
	if SQLite.Is(p.Collation, cmp.Or(own, "BINARY")) {
		p.Collation = ""
	}
	return p
}

func (r *sqliteReader) foreignKeys() error {
	return r.eachTable(func(t *Table) error {
		texts := t.ForeignKeys
		t.ForeignKeys = nil
		last := -1
		err := each(r.ctx, r.q, `SELECT id, "table", "from", coalesce("to", ''), upper(on_update), upper(on_delete) FROM pragma_foreign_key_list(?, 'main') ORDER BY id, seq`, []any{t.Name.Name}, func(rows *sql.Rows) error {
			var id int
			var f ForeignKey
			var from, to string
			if err := rows.Scan(&id, &f.Table.Name, &from, &to, &f.OnUpdate, &f.OnDelete); err != nil {
				return err
			}
			if id != last {
				t.ForeignKeys = append(t.ForeignKeys, f)
			}
			last = id
			g := &t.ForeignKeys[len(t.ForeignKeys)-1]
			g.Columns = append(g.Columns, from)
			if to != "" {
				g.References = append(g.References, to)
			}
			return nil
		})
		if err != nil {
			return err
		}
		if len(texts) != len(t.ForeignKeys) && !t.Virtual {
			return fmt.Errorf("%w: its foreign keys are not those that SQLite reports", errDefinition)
		}
		for i := range t.ForeignKeys {
			t.ForeignKeys[i].Deferrable = texts[i].Deferrable // only the text of the definition has Deferrable
		}
		return nil
	})
}

// triggers reads the events of triggers. A trigger with an unreadable text has no events, and writes treat it as a trigger of all events.
func (r *sqliteReader) triggers() error {
	return each(r.ctx, r.q, `SELECT tbl_name, name, coalesce(sql, '') FROM sqlite_schema WHERE type = 'trigger' ORDER BY name`, nil, func(rows *sql.Rows) error {
		var table, name, text string
		if err := rows.Scan(&table, &name, &text); err != nil {
			return err
		}
		t := r.db.Table(Name{Name: table})
		if t == nil {
			return nil // the trigger belongs to a view
		}
		tr, err := readTrigger(text)
		if err != nil {
			tr = Trigger{Name: name}
		}
		t.Triggers = append(t.Triggers, tr)
		return nil
	})
}
