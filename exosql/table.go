package exosql

import (
	"fmt"
	"sync/atomic"

	"github.com/exoagent/exoagent/exo"
)

// constant is unexported, so only untyped constants convert to it: a name that
// was computed at run time does not compile (after go-safeweb's safesql).
type constant string

// Table describes a table whose rows scan into T. It carries no authority.
type Table[T any] struct {
	t    *table
	sets []func(*T, exo.Value) bool // by column: puts a value into its field, if it fits
}

// table is the untyped core that the typed API and guests' messages share.
type table struct {
	id    uint64 // unique in this process; part of plan keys
	name  string
	cols  []*column
	keys  []*column
	inUse atomic.Bool // granted: its declaration is frozen
}

var tableIDs atomic.Uint64

// NewTable declares a table by its name in the database.
func NewTable[T any](name constant) *Table[T] {
	if name == "" {
		panic("exosql: NewTable: empty name")
	}
	return &Table[T]{t: &table{id: tableIDs.Add(1), name: string(name)}}
}

// Name is the table's name in the database.
func (t *Table[T]) Name() string { return t.t.name }

func (t *table) col(name string) *column {
	for _, c := range t.cols {
		if c.name == name {
			return c
		}
	}
	return nil
}

// freeze ends the declaration. Most calls find it ended: they write nothing that other
// processors would have to read again.
func (t *table) freeze() {
	if !t.inUse.Load() {
		t.inUse.Store(true)
	}
}

// change panics once the table is in use: plans and catalogues made from the
// declaration would not know of the change.
func (t *table) change() {
	if t.inUse.Load() {
		panic(fmt.Sprintf("exosql: table %s is in use: declare all its columns and their properties before the first query", t.name))
	}
}

func (t *table) add(c *column) {
	t.change()
	if t.col(c.name) != nil {
		panic(fmt.Sprintf("exosql: column %s.%s is declared twice", t.name, c.name))
	}
	c.index = len(t.cols)
	t.cols = append(t.cols, c)
	if c.key {
		t.keys = append(t.keys, c)
	}
}
