package schema

// This file finds shadow tables, in which a virtual table of SQLite keeps its data. The virtual table's module names them. SQLite marks them only
// if it has the module; in a file of another build they look like ordinary tables.

import (
	"database/sql"
	"strings"

	"github.com/exoagent/exoagent/internal/scalar"
)

// shadowNames are the endings of shadow tables' names, by module.
var shadowNames = map[string][]string{
	"fts3": {"content", "segments", "segdir", "docsize", "stat"}, "fts4": {"content", "segments", "segdir", "docsize", "stat"},
	"fts5": {"data", "idx", "content", "docsize", "config"}, "rtree": {"node", "rowid", "parent"}, "rtree_i32": {"node", "rowid", "parent"}, "geopoly": {"node", "rowid", "parent"},
}

var (
	virtualTable = scalar.Pattern(`(?is)^CREATE\s+VIRTUAL\s+TABLE\b.*?\bUSING\s+["\x60\[]?(\w+)`)
	contentOf    = scalar.Pattern("(?i)[(,\\s]content\\s*=\\s*[\"'`\\[]?([^\"'`\\],)]*)") // contentOf matches the ordinary table that a virtual table indexes
)

// shadows maps each shadow table, in lower case, to its virtual table.
func (r *sqliteReader) shadows() (map[string]string, error) {
	out := map[string]string{}
	err := each(r.ctx, r.q, `SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE%VIRTUAL%' ORDER BY name`, nil, func(rows *sql.Rows) error {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			return err
		}
		m := virtualTable().FindStringSubmatch(text)
		if m == nil {
			return nil
		}
		of := ""
		if c := contentOf().FindStringSubmatch(text); c != nil {
			of = asciiFold(strings.TrimSpace(c[1]))
		}
		for _, ending := range shadowNames[asciiFold(m[1])] {
			if shadow := asciiFold(name) + "_" + ending; shadow != of {
				out[shadow] = name
			}
		}
		return nil
	})
	return out, err
}
