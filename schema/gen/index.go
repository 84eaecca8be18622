package gen

import (
	"slices"
	"strings"

	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/schema"
)

// indexes says which indexes a table has, as a sentence without its subject. A program's filter or order uses one that
// begins with the columns of the scope; exo indexes says which do. Their order is that of
// their text: another database of the same definitions may list them in another.
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

func columns(names []string) string {
	return "(" + strings.Join(scalar.Each(names, name), ", ") + ")"
}

// key is the index behind a key.
func key(k schema.Key) string {
	if k.Parts != nil {
		return index(schema.Index{Parts: k.Parts})
	}
	return columns(k.Columns)
}

// index is one of CREATE INDEX, as its definition has it.
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
		if nulls := x.Method != ""; nulls && part.NullsFirst != part.Desc { // SQLite has one way, and no method
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
