package plan

import (
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/internal/cellform"
)

// Plan is a compiled statement without values: what a plan cache holds. It is
// immutable and shared by all runs and tenants, so it must never depend on a
// value; TestPlanHoldsNoValue looks for them.
type Plan struct {
	Text    string
	Args    []Source // in placeholder order
	Cells   []Cell   // of one row
	Shape   *value.Shape
	Bare    bool                       // a row has one cell, which is shown without a record around it
	Reads   map[string]map[string]bool // tables and columns, lower case: all that the engine's wall admits
	Kind    RunKind
	Write   *Write   // what it changes, all that the engine's wall admits; nil: it reads
	After   int      // how many cells each row has at its end that are not shown: of a page those of the cursor
	Owners  int      // how many cells each row has between those that are shown and the last After: see Owner
	Tallies int      // and how many behind those that count misfits: see Cell.Tally
	Back    bool     // it reads a row that the unit has just inserted, and no other
	Upwards bool     // it has the first rows in an order by what is stored, where misfits may come last
	Probe   bool     // it looks for these
	Notices []string // about what it asks, for whoever reads the result
	Joins   int      // tables times the columns of all of them, each place where a table is read: see prepareBytes
	Bytes   int      // of the plan in the cache; 0 before it was there

	// Open is the same query without fences, or nil. An engine runs it only where its own
	// plan reads rows in scope and no others; Tables are then what the engine has to find.
	Open    *Plan
	Tables  []fence.Table // of an open plan only; each place where the statement reads a table
	Derived []string      // of an open plan only; the aliases of its derived tables
}

// Cell is one value of a row.
type Cell struct {
	Kind string
	Of   string // kind of the items of a list; of a tally, of the column

	Collected bool // the texts of many rows, as toText makes them; too many are NULL

	Rows *Rows // that are shown within this one; Kind is then value.TypeRows

	// Sealed is what limits count for each value, of a cell that programs are shown sealed, and the most that it
	// takes; 0: it is not. Nothing of what it holds shows: neither its size nor that it contradicts the declaration.
	Sealed int

	Owner *Owner // whose a sealed value is; nil: nobody's in particular

	Exact bool // a number that was calculated: see exprType
	Null  bool
	Form  cellform.Form // SQLite: how a cell is read that is a column as it lies in the database
	Name  string        // for the host's errors: table.column
	Shown string        // what the program calls it, for notices; "": nothing

	Rounded bool // of JSON, as a float: of a whole number beyond 2^53 it may have lost digits
	Misfits bool // what the column can't hold is null, see Misfits
	Tally   bool // how many misfits were taken for null in this row of sums: no cell of the answer, but told as Shown's
	Again   bool // rows were sorted by what the database holds there: a misfit has another place, and the query is asked once more

	// Of a cell that is not shown, by which the rows are sorted:
	Raw  bool // a cursor has what the database sorts by, and not a value of the kind: see Held
	Desc bool // downwards
}

// RunKind says what is asked of a query.
type RunKind uint8

const (
	RunAll   RunKind = iota
	RunFirst         // at most one row
	RunCount         // one number
	RunValue         // one value of all rows, or null
	RunPage          // some rows, and the values of the last one by which the next page begins
)

// maxBound bounds the texts that are bound, in bytes: one value may be used many times.
const maxBound = 32 << 20

// Bind collects the values of a plan's placeholders. zone is the host's, and no value of a program; after are the values
// of a cursor, of which the program knows none, or of the row that a write goes through.
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
			v = v.At(min(a.Item, v.Len()-1)) // repeat the last up to the class of the length
		}
		if a.Count && v.Int() < 0 {
			// SQLite takes a negative limit for none.
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
			return nil, fail.Errorf(fail.Limit, "", "the values of the query are longer than %d MiB together, each counted as often as it is used", maxBound>>20)
		}
		out[i] = v
	}
	return out, nil
}
