package plan

import (
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/internal/cellform"
)

// Plan is a compiled statement without values, as a plan cache stores it. It is immutable, and
// all runs and tenants share it, so it must never depend on a value; TestPlanHoldsNoValue looks
// for values.
type Plan struct {
	Text    string
	Args    []Source // where each argument comes from, in the order of the placeholders
	Cells   []Cell   // the cells of one row of the result
	Shape   *value.Shape
	Bare    bool                       // a row has one cell, which is returned without a record around it
	Reads   map[string]map[string]bool // the only tables and columns that the engine lets the statement read, in lower case
	Kind    RunKind
	Write   *Write   // the only change that the engine lets the statement make; nil: it reads
	After   int      // how many cells at the end of each row are for the cursor of a page
	Owners  int      // how many cells before the last After are ids of readers: see Owner
	Tallies int      // how many cells after those count misfits: see Cell.Tally
	Back    bool     // the statement reads only a row that the unit has just inserted
	Upwards bool     // the statement returns the first rows in an order of stored values, where misfits may come last
	Probe   bool     // the statement reads only the greatest row of an order like that of Upwards, to see whether it is a misfit: see expr.Engine.Probe
	Notices []string // about the query, for the reader of the result
	Own     bool     // PostgreSQL plans the statement with its values, of which the text hides those of the program: see expr.State.Render
	Joins   int      // tables times the columns of all tables, each table counted where it is read: see prepareBytes
	Bytes   int      // of the plan in the cache; 0 before it is cached

	// Open is the same query without fences, or nil. An engine runs it only if its own plan reads
	// rows in scope and no others. Tables are what the engine has to find in that plan.
	Open    *Plan
	Tables  []fence.Table // of an open plan only; each place where the statement reads a table
	Derived []string      // of an open plan only; the aliases of its derived tables
}

// Cell is one value of a row.
type Cell struct {
	Kind string
	Of   string // kind of the items of a list; of a tally: of the column

	Collected bool // the texts of many rows, as toText makes them; NULL if there are too many

	Rows *Rows // the rows within this cell; Kind is then value.TypeRows

	// Sealed is the size that limits count for each value of a sealed cell, and the largest size of a
	// value; 0: the cell is not sealed. Neither the size of a sealed value nor an error in it may show.
	Sealed int

	Owner *Owner // who may read a sealed value; nil: the column's label alone decides

	Exact bool // a number that was calculated: see exprType
	Null  bool
	Form  cellform.Form // SQLite: the stored form of a cell that is a column of the database
	Name  string        // for the host's errors: table.column
	Shown string        // the program's name for it, in notices; "": it has none

	Rounded bool // of JSON, as a float: a whole number beyond 2^53 may have lost digits
	Misfits bool // a value that the column's type does not have becomes null: see Misfits
	Tally   bool // not in the answer: the number of misfits that became null in this row of sums, for a notice that names Shown
	Again   bool // rows were sorted by the stored values: a misfit belongs elsewhere, and the query is run once more

	// These are for a cell that is not in the answer, and that the rows are sorted by.
	Raw  bool // the cursor gets the stored value by which the database sorts, and not a value of the kind: see Held
	Desc bool // downwards
}

// RunKind is the kind of answer that is asked of a query.
type RunKind uint8

const (
	RunAll   RunKind = iota
	RunFirst         // at most one row
	RunCount         // one number
	RunValue         // one value of all rows, or null
	RunPage          // some rows, and the values of the last one, at which the next page begins
)

// maxBound bounds the bytes of all texts that are bound: one value may be used many times.
const maxBound = 32 << 20

// Bind collects the values of a plan's placeholders. zone is the host's choice. after are the values
// of a cursor, which the program does not know, or of the row at the start of a write's link.
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
		if a.Origin == FromCursor && v.Type() == value.TypeList { // see Held
			v = v.At(0)
		}
		if a.Item >= 0 {
			v = v.At(min(a.Item, v.Len()-1)) // beyond the list's end its last value is repeated: lists of similar length share a plan
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
