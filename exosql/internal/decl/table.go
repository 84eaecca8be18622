package decl

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/terms"
)

// Table is a declared table. The typed API, exosql/dynamic and the messages of programs share it.
type Table struct {
	ID      uint64 // unique in this process; part of plan keys
	Name    string // what errors and messages call it, unique in its database. It may begin with Schema and a dot
	Schema  string // the schema of PostgreSQL in which statements name it; "": it is found along the search path
	Cols    []*Column
	Keys    []*Column
	Reader  terms.Reader // who wrote the declaration: errors name its parts in the words of that reader
	Label   value.Label  // of its rows' existence: see exosql.Table.WithLabel
	Keyless bool         // nothing makes its rows unique, and it has no Keys: see exosql.Table.Keyless
	inUse   atomic.Bool  // granted: its declaration is frozen

	Permits []Permission // what a write by Go code may do beyond the rows that it names

	Hooks []Hook    // before each write, in this order
	Fills []*Column // that these may fill

	Afters []After // each commit

	mu     sync.Mutex
	refers []*Link   // see Refers
	ends   []*Column // to which a link to many leads: a row that is inserted through it gets them
}

// Bare is the name of the table without its schema.
func (t *Table) Bare() string {
	if t.Schema == "" {
		return t.Name
	}
	return strings.TrimPrefix(t.Name, t.Schema+".")
}

// SetSchema declares in which schema of PostgreSQL the table is.
func (t *Table) SetSchema(schema string) {
	t.change()
	t.Schema, t.Name = schema, schema+"."+t.Name
}

// Column finds a column by its name in the database.
func (t *Table) Column(name string) *Column { return t.col(name) }

// Refers are links from the table to at most one row of another, whichever way round they were declared, one for
// each list of columns: a value that is written into these columns says that there is such a row.
func (t *Table) Refers() (out []*Link) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range t.refers {
		if !l.turned || !slices.ContainsFunc(l.To.Keys, func(k *Column) bool {
			return !slices.ContainsFunc(l.Pairs, func(p Pair) bool { return p.To == k })
		}) {
			out = append(out, l)
		}
	}
	return out
}

// expects reports whether a program has to give a new row a value for the column, in whichever way it inserts the row.
func (t *Table) expects(c *Column) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return c.Needed.Load() && !c.Scoped.Load() && !slices.Contains(t.Fills, c) && !slices.Contains(t.ends, c)
}

// refer notes a declared link: a host may declare the same for each request, and one is kept.
func (l *Link) refer() {
	if !l.One {
		l.To.mu.Lock()
		for _, p := range l.Pairs {
			if !slices.Contains(l.To.ends, p.To) {
				l.To.ends = append(l.To.ends, p.To)
			}
		}
		l.To.mu.Unlock()
		back := &Link{ID: TableIDs.Add(1), Name: l.Name, From: l.To, To: l.From, One: true, turned: true}
		for _, p := range l.Pairs {
			back.Pairs = append(back.Pairs, Pair{From: p.To, To: p.From})
		}
		l = back
	}
	t := l.From
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, m := range t.refers {
		if m.To == l.To && slices.Equal(m.Pairs, l.Pairs) {
			if m.turned && !l.turned { // it leads to one row because somebody says so
				t.refers[i] = l
			}
			return
		}
	}
	t.refers = append(t.refers, l)
}

// TableIDs numbers tables and links, for the keys of plans.
var TableIDs atomic.Uint64

func (t *Table) col(name string) *Column {
	for _, c := range t.Cols {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Freeze ends the declaration. Most calls find it ended: they write nothing that other
// processors would have to read again.
func (t *Table) Freeze() {
	if !t.inUse.Load() {
		t.inUse.Store(true)
	}
}

// Permit adds permissions for Go code.
func (t *Table) Permit(known ...Permission) {
	t.change()
	t.Permits = append(t.Permits, known...)
}

// SetKeyless says that nothing makes the rows unique. It panics where a key is declared.
func (t *Table) SetKeyless() {
	t.change()
	if len(t.Keys) > 0 {
		panic(fmt.Sprintf("exosql: table %s has the key %s: Keyless is for one without", t.Name, t.Keys[0].Name))
	}
	t.Keyless = true
}

// AddLabel joins a label to that of the existence of rows.
func (t *Table) AddLabel(l value.Label) {
	t.change()
	t.Label = t.Label.Join(l)
}

// Labelled reports whether its rows have a label, or one of its columns has.
func (t *Table) Labelled() bool {
	return !t.Label.Empty() || slices.ContainsFunc(t.Cols, func(c *Column) bool { return !c.Label.Empty() })
}

// change panics once the table is in use: plans and catalogues made from the
// declaration would not know of the change.
func (t *Table) change() {
	if t.inUse.Load() {
		panic(fmt.Sprintf("exosql: table %s is in use: declare all its columns and their properties before the first query", t.Name))
	}
}

// Add declares a column. It panics where that is an error in the declaration.
func (t *Table) Add(c *Column) {
	t.change()
	if t.col(c.Name) != nil {
		panic(fmt.Sprintf("exosql: column %s.%s is declared twice", t.Name, c.Name))
	}
	c.Index = len(t.Cols)
	t.Cols = append(t.Cols, c)
	if c.Key {
		if t.Keyless {
			panic(fmt.Sprintf("exosql: table %s is declared Keyless: it has no key %s", t.Name, c.Name))
		}
		t.Keys = append(t.Keys, c)
	}
}

// KeyOf reports whether the columns at one end of pairs are the key of the table.
func (t *Table) KeyOf(pairs []Pair, end func(Pair) *Column) bool {
	return len(t.Keys) > 0 && !slices.ContainsFunc(t.Keys, func(k *Column) bool {
		return !slices.ContainsFunc(pairs, func(p Pair) bool { return end(p) == k })
	})
}
