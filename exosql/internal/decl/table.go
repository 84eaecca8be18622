package decl

import (
	"fmt"
	"sync/atomic"
)

// Table is a declared table. The typed API, exosql/dynamic and the messages of programs share it.
type Table struct {
	ID    uint64 // unique in this process; part of plan keys
	Name  string
	Cols  []*Column
	Keys  []*Column
	inUse atomic.Bool // granted: its declaration is frozen
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
		t.Keys = append(t.Keys, c)
	}
}
