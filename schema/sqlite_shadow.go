package schema

// Shadow tables: what a virtual table of SQLite keeps in tables of its own, by the names that its module gives them. SQLite calls them so
// only where it has the module: in a file of another build they look like any table.

import (
	"database/sql"
	"regexp"
	"strings"
)

// shadowNames are the endings of the names of the tables that the modules of SQLite keep.
var shadowNames = map[string][]string{
	"fts3": {"content", "segments", "segdir", "docsize", "stat"}, "fts4": {"content", "segments", "segdir", "docsize", "stat"},
	"fts5": {"data", "idx", "content", "docsize", "config"}, "rtree": {"node", "rowid", "parent"}, "rtree_i32": {"node", "rowid", "parent"}, "geopoly": {"node", "rowid", "parent"},
}

var (
	virtualTable = regexp.MustCompile(`(?is)^CREATE\s+VIRTUAL\s+TABLE\b.*?\bUSING\s+["\x60\[]?(\w+)`)
	contentOf    = regexp.MustCompile("(?i)[(,\\s]content\\s*=\\s*[\"'`\\[]?([^\"'`\\],)]*)") // whose rows it indexes: a table like any other
)

// shadows are the virtual tables by the tables that they keep, in lower case.
func (r *sqliteReader) shadows() (map[string]string, error) {
	out := map[string]string{}
	err := each(r.ctx, r.q, `SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE%VIRTUAL%' ORDER BY name`, nil, func(rows *sql.Rows) error {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			return err
		}
		m := virtualTable.FindStringSubmatch(text)
		if m == nil {
			return nil
		}
		of := ""
		if c := contentOf.FindStringSubmatch(text); c != nil {
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
