package gen

import (
	"slices"
	"strings"

	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/schema"
)

// indexes describes the indexes of a table, as a sentence without its subject. A program's filter or order uses an index that begins with the
// columns of the scope; exo indexes reports which indexes do. The indexes are sorted by their text, since another database with the same
// definitions may list them in another order.
func indexes(t *schema.Table) string {
	var all []string
	if t.PrimaryKey != nil {
		all = append(all, key(*t.PrimaryKey))
	}
	for _, k := range t.Uniques {
		all = append(all, key(k))
	}
	for _, x := range t.Indexes {
		if !x.Invalid {
			all = append(all, index(x))
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	switch len(all) {
	case 0:
		return "has no index."
	case 1:
		return "has the index " + all[0] + "."
	}
	return "has the indexes " + strings.Join(all, ", ") + "."
}

func columns(names []string) string { return "(" + strings.Join(scalar.Each(names, name), ", ") + ")" }

// key describes the index of a key.
func key(k schema.Key) string {
	if k.Parts != nil {
		return index(schema.Index{Parts: k.Parts})
	}
	return columns(k.Columns)
}

// index describes an index of CREATE INDEX.
func index(x schema.Index) string {
	var parts []string
	for _, part := range x.Parts {
		s := name(part.Column)
		if part.Column == "" {
			s = line(part.Expr)
		}
		if part.Collation != "" {
			s += " COLLATE " + name(part.Collation)
		}
		if part.OpClass != "" {
			s += " " + name(part.OpClass)
		}
		if part.Desc {
			s += " DESC"
		}
		if nulls := x.Method != ""; nulls && part.NullsFirst != part.Desc { // in SQLite, where Method is "", NULLs have a fixed place
			s += map[bool]string{true: " NULLS FIRST", false: " NULLS LAST"}[part.NullsFirst]
		}
		parts = append(parts, s)
	}
	s := "(" + strings.Join(parts, ", ") + ")"
	if x.Method != "" && x.Method != "btree" {
		s = name(x.Method) + " " + s
	}
	if x.Where != "" {
		s += " where " + line(x.Where)
	}
	return s
}
