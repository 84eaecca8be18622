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
	ID         uint64 // ID is unique in this process, and part of plan keys
	Name       string // Name is the table's name in errors and messages, unique in its database; it may begin with Schema and a dot
	Schema     string // Schema is the PostgreSQL schema in statements; "" means that the search path finds the table
	Cols, Keys []*Column
	Reader     terms.Reader // Reader is who wrote the declaration: errors use that reader's words
	Label      value.Label  // Label is on the existence of rows: see exosql.Table.WithLabel
	Keyless    bool         // Keyless: nothing makes the rows unique, so there are no Keys (see exosql.Table.Keyless)
	inUse      atomic.Bool  // inUse: the table was granted, so its declaration is frozen

	Permits []Permission // Permits is what Go code's writes may do beyond the rows that they name

	Hooks []Hook    // Hooks are called before each write, in this order
	Fills []*Column // Fills are the columns that hooks may fill

	Afters []After // Afters are called after each commit

	mu     sync.Mutex
	refers []*Link   // refers are the links from which Refers chooses
	ends   []*Column // ends are the columns at the end of links to many: a row inserted through such a link gets their values
}

// Bare returns the table's name without its schema.
func (t *Table) Bare() string {
	if t.Schema == "" {
		return t.Name
	}
	return strings.TrimPrefix(t.Name, t.Schema+".")
}

// SetSchema declares the PostgreSQL schema that contains the table.
func (t *Table) SetSchema(schema string) {
	t.change()
	t.Schema, t.Name = schema, schema+"."+t.Name
}

// Column returns the column with this name in the database, or nil if none is declared.
func (t *Table) Column(name string) *Column { return t.col(name) }

// Refers returns the links from the table to at most one row of another table, one for each list of columns. It
// includes links that were declared in the other direction. A value in these columns means that such a row exists.
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

// expects reports whether a program must give a value for column c in every new row, by whatever way it inserts the row.
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
			if m.turned && !l.turned { // l itself is declared to lead to one row
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

// Freeze ends the declaration. If it has ended already, nothing is written, so that other
// processors keep their cached copies.
func (t *Table) Freeze() {
	if !t.inUse.Load() {
		t.inUse.Store(true)
	}
}

// Permit adds permissions for writes of Go code.
func (t *Table) Permit(known ...Permission) {
	t.change()
	t.Permits = append(t.Permits, known...)
}

// SetKeyless declares that rows have no unique key. It panics if the table has a key.
func (t *Table) SetKeyless() {
	t.change()
	if len(t.Keys) > 0 {
		panic(fmt.Sprintf("exosql: table %s has the key %s, so it can't be Keyless. Leave one of the two out", t.Name, t.Keys[0].Name))
	}
	t.Keyless = true
}

// AddLabel adds to the label on the existence of the table's rows.
func (t *Table) AddLabel(l value.Label) {
	t.change()
	t.Label = t.Label.Join(l)
}

// Labelled reports whether the rows or a column of the table have a label.
func (t *Table) Labelled() bool {
	return !t.Label.Empty() || slices.ContainsFunc(t.Cols, func(c *Column) bool { return !c.Label.Empty() })
}

// change panics if the table is in use, since plans and catalogues made from the declaration would
// lack the change.
func (t *Table) change() {
	if t.inUse.Load() {
		panic(fmt.Sprintf("exosql: table %s is in use: declare all its columns and their properties before the first query", t.Name))
	}
}

// Add declares a column. It panics if the declaration has an error.
func (t *Table) Add(c *Column) {
	t.change()
	if t.col(c.Name) != nil {
		panic(fmt.Sprintf("exosql: column %s.%s is declared twice: declare it once", t.Name, c.Name))
	}
	c.Index = len(t.Cols)
	t.Cols = append(t.Cols, c)
	if c.Key {
		if t.Keyless {
			panic(fmt.Sprintf("exosql: table %s is declared Keyless, so it can't have the key %s. Leave one of the two out", t.Name, c.Name))
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
