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
	Name    string // its name in errors and messages, unique in its database. It may begin with Schema and a dot
	Schema  string // the schema of PostgreSQL in statements; "": it is found along the search path
	Cols    []*Column
	Keys    []*Column
	Reader  terms.Reader // who wrote the declaration: errors use the words of that reader
	Label   value.Label  // of the existence of its rows: see exosql.Table.WithLabel
	Keyless bool         // nothing makes its rows unique, and it has no Keys: see exosql.Table.Keyless
	inUse   atomic.Bool  // it was granted: its declaration is frozen

	Permits []Permission // what a write by Go code may do beyond the rows that it names

	Hooks []Hook    // called before each write, in this order
	Fills []*Column // the columns that hooks may fill

	Afters []After // called after each commit

	mu     sync.Mutex
	refers []*Link   // see Refers
	ends   []*Column // the columns at the end of a link to many: a row that is inserted through the link gets them
}

// Bare returns the name of the table without its schema.
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

// Refers returns the links from the table to at most one row of another, in whichever direction they
// were declared, one for each list of columns. A value in these columns means that such a row exists.
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

// expects reports whether a program has to give the column of a new row a value, in every way in which it can insert the row.
func (t *Table) expects(c *Column) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return c.Needed.Load() && !c.Scoped.Load() && !slices.Contains(t.Fills, c) && !slices.Contains(t.ends, c)
}

// refer notes a declared link. A host may declare the same link for each request; only one is kept.
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
			if m.turned && !l.turned { // it is declared to lead to one row
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

// Freeze ends the declaration. Usually it has ended already: then nothing is written, so other
// processors keep their cached copies.
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

// SetKeyless declares that the rows have no unique key. It panics if a key is declared.
func (t *Table) SetKeyless() {
	t.change()
	if len(t.Keys) > 0 {
		panic(fmt.Sprintf("exosql: table %s has the key %s, so it can't be Keyless", t.Name, t.Keys[0].Name))
	}
	t.Keyless = true
}

// AddLabel adds a label to the one that says that a row exists.
func (t *Table) AddLabel(l value.Label) {
	t.change()
	t.Label = t.Label.Join(l)
}

// Labelled reports whether the rows or a column of the table have a label.
func (t *Table) Labelled() bool {
	return !t.Label.Empty() || slices.ContainsFunc(t.Cols, func(c *Column) bool { return !c.Label.Empty() })
}

// change panics if the table is in use: plans and catalogues made from the declaration would
// not have the change.
func (t *Table) change() {
	if t.inUse.Load() {
		panic(fmt.Sprintf("exosql: table %s is in use: declare all its columns and their properties before the first query", t.Name))
	}
}

// Add declares a column. It panics if the declaration has an error.
func (t *Table) Add(c *Column) {
	t.change()
	if t.col(c.Name) != nil {
		panic(fmt.Sprintf("exosql: column %s.%s is declared twice", t.Name, c.Name))
	}
	c.Index = len(t.Cols)
	t.Cols = append(t.Cols, c)
	if c.Key {
		if t.Keyless {
			panic(fmt.Sprintf("exosql: table %s is declared Keyless, so it can't have the key %s", t.Name, c.Name))
		}
		t.Keys = append(t.Keys, c)
	}
}

// KeyOf reports whether the columns at one end of pairs include the key of the table.
func (t *Table) KeyOf(pairs []Pair, end func(Pair) *Column) bool {
	return len(t.Keys) > 0 && !slices.ContainsFunc(t.Keys, func(k *Column) bool {
		return !slices.ContainsFunc(pairs, func(p Pair) bool { return end(p) == k })
	})
}
