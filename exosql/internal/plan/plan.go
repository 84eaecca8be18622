package plan

import (
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/internal/cellform"
)

// Plan is a compiled statement without values, for the plan cache. It is immutable, and all runs
// and tenants share it, so it must never depend on a value. TestPlanHoldsNoValue looks for values.
type Plan struct {
	Text    string
	Args    []Source // Args are the sources of the arguments, in the order of the statement's parameters
	Cells   []Cell   // Cells are the cells of one row of the result
	Shape   *value.Shape
	Bare    bool                       // Bare: a row has one cell, which the result shows without a record around it
	Reads   map[string]map[string]bool // Reads has the only tables and columns that the engine lets the statement read, in lower case
	Kind    RunKind
	Write   *Write   // Write is the only change that the engine lets the statement make; nil for a statement that reads
	After   int      // After counts the cells at the end of each row that are for a page's cursor
	Owners  int      // Owners counts the cells before these that are ids of readers (see Owner)
	Tallies int      // Tallies counts the cells after the ids that count misfits (see Cell.Tally)
	Back    bool     // Back: the statement reads only a row that the unit has just inserted
	Upwards bool     // Upwards: the statement returns the first rows in an order of stored values, where misfits may come last
	Probe   bool     // Probe: the statement reads only the greatest row of such an order, to see whether it is a misfit (see expr.Engine.Probe)
	Notices []string // Notices are about the query, for the reader of the result
	Own     bool     // Own: PostgreSQL plans the statement with its values, and the text hides those of the program (see expr.State.Render)
	Typed   string   // Typed is, for an Own plan, the text in which no value is hidden, from which PostgreSQL infers the type of each value
	Joins   int      // Joins is the number of tables times the columns of all tables, each table counted at each use (see prepareBytes)
	Bytes   int      // Bytes is the plan's size in the cache; 0 before it is cached

	// Open is the same query without fences; nil if there is no such form. An engine runs it only if the
	// engine's own plan reads rows in scope and no others, in the tables of Tables.
	Open    *Plan
	Tables  []fence.Table // Tables has each place where an open plan, one without fences, reads a table
	Derived []string      // Derived has the aliases of an open plan's derived tables
}

// Cell is one value of a row.
type Cell struct {
	Kind string
	Of   string // Of is the kind of a list's items; for a tally, that of its column

	Collected bool // Collected: the cell has the texts of many rows, as toText makes them, or NULL if there are too many

	Rows *Rows // Rows are the rows within this cell; Kind is then value.TypeRows

	// Sealed is the size that limits count for each value of a sealed cell, and also the largest size
	// of a value. 0 means not sealed. Neither the size of a sealed value nor an error in it may show.
	Sealed int

	Owner *Owner // Owner identifies who may read a sealed value; nil: the column's label alone decides

	Exact bool // Exact: the cell is a calculated number (see expr.Type)
	Null  bool
	Form  cellform.Form // Form is the stored form of a column of SQLite
	Name  string        // Name is table.column, for errors that the host reads
	Shown string        // Shown is the program's name for the cell in notices; "" if it has none

	Rounded bool // Rounded: the cell is a float from JSON, in which a whole number beyond 2^53 may have lost digits
	Misfits bool // Misfits: a value that the column's type can't have becomes null (see Misfits)
	Tally   bool // Tally: the cell is not part of the answer. It counts the misfits that became null in this row of groups or sums, for a notice about Shown
	Again   bool // Again: rows were sorted by stored values, so if this cell is a misfit, its row is misplaced and the query runs again

	// These describe a cell that is not part of the answer, and that rows are sorted by.
	Raw  bool // Raw: the cursor gets the stored value that the database sorts by (see Held)
	Desc bool // Desc: the order is descending
}

// RunKind is the kind of answer that a query gives.
type RunKind uint8

const (
	RunAll   RunKind = iota
	RunFirst         // RunFirst: the answer is at most one row
	RunCount         // RunCount: the answer is the number of rows
	RunValue         // RunValue: the answer is one value of all rows, or null
	RunPage          // RunPage: the answer is some rows, and the values of the last row, at which the next page begins
)

// maxBound bounds the bytes of all bound texts, since one value may be used many times.
const maxBound = 32 << 20

// Bind returns the values of the statement's parameters. The host chooses zone. after are the values
// of a cursor, which the program does not know, or those of the row at the start of a write's link.
func (p *Plan) Bind(msg []value.Value, grants [][]value.Value, after []value.Value, zone string) ([]value.Value, error) {
	out, size := make([]value.Value, len(p.Args)), 0
	for i, a := range p.Args {
		if a.Origin == FromZone {
			out[i] = value.Text(zone)
			continue
		}
		if a.Origin == FromDepth {
			out[i] = value.Int(DefaultDepth)
			continue
		}
		if a.Origin == FromConst {
			out[i] = value.Int(int64(a.Index))
			continue
		}
		from := msg
		if a.Origin == FromCursor || a.Origin == FromParent {
			from = after
		} else if a.Origin != FromMessage {
			from = grants[a.Origin]
		}
		v := from[a.Index]
		if a.Origin == FromCursor && v.Type() == value.TypeList { // Held wrote the cell as a list
			v = v.At(0)
		}
		if a.Item >= 0 {
			v = v.At(min(a.Item, v.Len()-1)) // beyond the end of the list its last value is repeated, so that lists of similar length share a plan
		}
		if a.Count && v.Int() < 0 {
			// SQLite reads a negative limit as no limit.
			return nil, fail.Errorf(fail.Invalid, "", "the number of rows must not be negative; got %d", v.Int())
		}
		if a.OneMore {
			v = value.Int(min(v.Int(), MaxPage) + 1)
		}
		v, err := a.convert(v, from)
		if err != nil {
			return nil, err
		}
		if size += len(v.Text()); size > maxBound {
			return nil, fail.Errorf(fail.Limit, "", "the values of the query are longer than %d MiB together (a value counts each time it is used); use fewer or shorter ones", maxBound>>20)
		}
		out[i] = v
	}
	return out, nil
}
