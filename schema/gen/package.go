package gen

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/exoagent/exoagent/internal/naming"
	"github.com/exoagent/exoagent/schema"
)

// pack is the package that is being written. It chooses the names, and notes tables and columns that can't be declared, with the reason.
type pack struct {
	db     *schema.Database
	names  scope
	enums  []*enum
	tables []*table // tables are sorted by name
	list   string   // list is the function that returns all tables and links
	left   []string // left has each thing that is left out, and why

	byName map[schema.Name]*table // byName has the tables by folded name, once they are chosen
}

// table is a declared table.
type table struct {
	t     *schema.Table
	row   string // row is the name of the row type
	name  string // name is the name of the table's variable
	guest scope  // guest has the names that programs find on a row
	cols  []*column
	links []*link

	byName map[string]*column  // byName has cols by folded name
	shown  []*column           // shown is cached by the function shown
	grant  *bool               // grant is cached by grantable; nil if not known yet
	refs   []*reference        // refs are the declared foreign keys of the table
	lists  map[string][]string // lists has the values that a check allows, by column
	left   []string            // left has the columns and links that are left out, and why
}

// newPackage claims names in this order: row types and tables, enums, columns, links. So a new column never renames a table.
func newPackage(db *schema.Database, o Options) (*pack, error) {
	p := &pack{db: db, names: newScope()}
	if err := p.choose(o); err != nil {
		return nil, err
	}
	for _, t := range p.tables {
		p.takeColumns(t)
	}
	p.tables = slices.DeleteFunc(p.tables, func(t *table) bool {
		if len(t.cols) == 0 {
			p.leave("table %s: exosql can declare none of its columns", name(t.t.Name.Name))
		}
		return len(t.cols) == 0
	})
	p.list = p.names.claim(nil, "Declared")
	for _, t := range p.tables {
		one := naming.Pascal(naming.Singular(t.t.Name.Name))
		t.row = p.names.claim(nil, one, one+"Row")
	}
	for _, t := range p.tables {
		many := naming.Pascal(naming.Plural(t.t.Name.Name))
		t.name = p.names.claim(nil, many, many+"Table")
	}
	for _, e := range p.enums {
		e.claim(p.names)
	}
	for _, t := range p.tables {
		t.nameColumns(p.names)
	}
	p.link()
	return p, nil
}

// choose selects the tables that the options ask for.
func (p *pack) choose(o Options) error {
	for _, pattern := range o.Tables {
		if _, err := path.Match(strings.TrimPrefix(pattern, "!"), ""); err != nil {
			return fmt.Errorf("gen: %q is no pattern of table names: write one like task*, and close each [ with ]", pattern)
		}
	}
	schemas := o.Schemas
	if len(schemas) == 0 {
		schemas = p.db.Path
	}
	for _, t := range p.db.Tables {
		switch {
		case p.db.Engine == schema.Postgres && !slices.Contains(schemas, t.Schema), !wanted(t.Name, o.Tables), t.PartitionOf != nil:
		case t.Virtual:
			p.leave("table %s: a module of SQLite decides what its rows are", name(t.Name.Name))
		case strings.EqualFold(t.Name.Name, "exo_runs"): // exosql.CreateWitness makes this table
			p.leave("table %s: exosql keeps there which runs were committed, and no program may reach that", name(t.Name.Name))
		case !nameable(t.Name.Name):
			p.leave("table %s: its name is longer than 63 bytes, is no UTF-8 or has a zero byte", name(t.Name.Name))
		case p.db.Engine == schema.Postgres && p.hidden(t, schemas):
			p.leave("table %s: a table of the same name comes before it in the search path", name(t.Name.String()))
		default:
			p.tables = append(p.tables, &table{t: t, guest: newScope()})
		}
	}
	for _, v := range p.db.Views {
		if p.db.Engine == schema.Postgres && !slices.Contains(schemas, v.Schema) || !wanted(v.Name, o.Tables) || v.Extension != "" {
			continue
		}
		kind := "view"
		if v.Materialized {
			kind = "materialized view"
		}
		p.leave("%s %s: no key of its rows is known; declare it by hand", kind, name(v.Name.Name))
	}
	slices.SortStableFunc(p.tables, func(a, b *table) int { return cmp.Compare(a.t.Name.Name, b.t.Name.Name) })
	return nil
}

// hidden reports whether the name of t without its schema, as exosql writes it, means another table in the search path.
func (p *pack) hidden(t *schema.Table, schemas []string) bool {
	for _, s := range schemas {
		if s == t.Schema {
			return false
		}
		for _, other := range p.db.Tables {
			if other.Schema == s && other.Name.Name == t.Name.Name {
				return true
			}
		}
	}
	return false
}

func (p *pack) leave(format string, args ...any) {
	p.left = append(p.left, fmt.Sprintf(format, args...))
}

func (t *table) leave(format string, args ...any) {
	t.left = append(t.left, fmt.Sprintf(format, args...))
}

// wanted reports whether a pattern selects the table, and no pattern leaves the table out.
func wanted(n schema.Name, patterns []string) bool {
	take := !slices.ContainsFunc(patterns, func(s string) bool { return !strings.HasPrefix(s, "!") })
	for _, pattern := range patterns {
		glob, not := strings.CutPrefix(pattern, "!")
		short, _ := path.Match(glob, n.Name)
		long, _ := path.Match(glob, n.String())
		if short || long {
			if not {
				return false
			}
			take = true
		}
	}
	return take
}

// nameable reports whether exosql can write a name of the database. Quotes do not make every name safe.
func nameable(n string) bool {
	return n != "" && len(n) <= 63 && utf8.ValidString(n) && !strings.Contains(n, "\x00")
}

// find returns the declared table with a name, or nil.
func (p *pack) find(n schema.Name) *table {
	if p.byName == nil {
		p.byName = map[schema.Name]*table{}
		for _, t := range p.tables {
			p.byName[schema.Name{Schema: p.fold(t.t.Schema), Name: p.fold(t.t.Name.Name)}] = t
		}
	}
	return p.byName[schema.Name{Schema: p.fold(n.Schema), Name: p.fold(n.Name)}]
}
