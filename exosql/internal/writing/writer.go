package writing

import (
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/compile"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
)

// This file has Writing, a planned write, and the writer that plans it. Other files make its parts: reach.go the checks, law.go the refusals,
// insert.go and plan.go the statements. run.go runs it.

// Writing is the plan for all messages of one shape that write, whatever their values are. It is kept, see Keep.
type Writing struct {
	Kind  Kind
	Table *decl.Table
	Facet *decl.Facet
	Grant *scope.Grant
	// Parent finds the row through whose link rows are inserted, or is nil. It must find one row. The first Keys cells of that row
	// become arguments of the insert. The other cells must be true: each compares a value with the one that the scope fixes.
	Parent  *plan.Plan
	Keys    int
	Through string     // the name of the parent's facet, or of its table for Go code
	Link    *decl.Link // the link from the parent, or nil
	Checks  []Check
	Change  *plan.Plan // for an update or a delete
	Misfits *plan.Plan // counts the rows of Change with a value, in a column of its conditions, that the column's type does not have; nil: none can
	Found   bool       // Change must find a row: see language.IfUnchanged
	Inserts []Insert   // for an insert: one for each set of columns that rows give
	Filled  []Filled   // for an insert: the columns that the scope fills in
	// Back reads an inserted row as programs see it, or is nil. Its last arguments are the key that the insert returned. If Back finds no
	// row, the row was inserted out of scope.
	Back *plan.Plan
}

// Kind says whether a message inserts, updates or deletes rows.
type Kind = decl.WriteKind

const (
	Inserts = decl.Inserts
	Updates = decl.Updates
	Deletes = decl.Deletes
)

// Filled is a column that the scope fills in.
type Filled struct {
	Col    *decl.Column
	Source plan.Source
}

// Insert adds rows with values for the same columns: the plan One adds one row, and Many adds Batch rows. The values of the rows
// are the arguments after those of the message.
type Insert struct {
	One, Many *plan.Plan
	Batch     int
}

// Check is a query that finds out whether the rows that written keys point to are in scope. It counts them: there must be one row for each different
// key. One takes one key, and Many takes CheckBatch keys. The values of the keys are the arguments after those of the message.
type Check struct {
	One, Many *plan.Plan
	Keys      [][]KeyPart  // for each set of columns: the parts of the key, as if one row were written; nil: the set has no key
	Columns   []string     // the columns of the key, by their names for programs
	Needed    bool         // the key can't be null
	Grant     *scope.Grant // the grant in whose scope the rows must be; nil if Closed
	Closed    bool         // no key but null may be written: the rows that it leads to have no such key, so some may be out of scope

	Hidden []bool         // for each of Columns: programs do not see it, so no error names it
	Shut   []bool         // for each of Columns: programs can't set it
	Hooks  []*decl.Column // for each of Columns: the column, if a hook fills it in some row, or nil
}

// KeyPart is the source of the value for one column of a key. Absent is set if the row gives no value.
type KeyPart struct {
	Source plan.Source
	Absent bool
}

// CheckBatch is the number of keys that one query checks at most.
const CheckBatch = 100

// writer compiles one message that writes.
type writer struct {
	d      expr.Engine
	m      *exo.Message
	grants []*scope.Grant
	beside []*scope.Grant // other grants of the same programs, which the message does not use
	sets   [][]string
	w      *Writing
	keys   bool        // the statements of an insert return the keys of the new rows
	entry  scope.Entry // the scope of the rows that are changed

	pointed map[*decl.Link]bool // links for which points has added a check that their end is in the scope of the grant that writes

	chain *decl.Relation // the chain of the typed API that chooses the rows; nil: the message chooses them
}

// IsWrite reports whether a message writes.
func IsWrite(m *exo.Message) bool {
	switch m.Root.Name {
	case language.Insert, language.InsertMany, language.Update, language.Delete:
		return true
	}
	return false
}

// writeKind returns whether a method inserts, updates or deletes rows.
func writeKind(method string) Kind {
	switch method {
	case language.Insert, language.InsertMany:
		return Inserts
	case language.Update:
		return Updates
	}
	return Deletes
}

func (w *writer) statement() *compile.Statement { return compile.NewStatement(w.d, w.m, w.grants) }

// written is a written column of a row, with its value.
type written = compile.Assigned

// given returns column col, number i of set, with its value in row number n of the rows that are written together.
func (w *writer) given(col *decl.Column, set []string, n, i int) written {
	return written{Col: col, Src: plan.Source{Origin: plan.FromMessage, Index: len(w.m.Args) + n*len(set) + i, Item: -1}, Filled: filled(set[i])}
}

// noted adds to the plan of a write what the engine needs to know of its table: permitted triggers and cascades, and labels.
func (w *writer) noted(p *plan.Plan) *plan.Plan {
	t := w.w.Table
	for _, x := range w.w.Facet.Rights.Permits {
		switch x.Kind {
		case decl.PermitTrigger, decl.PermitWaryTrigger:
			p.Write.Triggers = append(p.Write.Triggers, x.On)
		case decl.PermitCascade:
			p.Write.Cascades = append(p.Write.Cascades, plan.Cascade{Table: x.On, Columns: x.Of})
		}
	}
	p.Write.Labelled = !t.Label.Secrecy().Empty() || slices.ContainsFunc(t.Cols, func(col *decl.Column) bool { return !col.Label.Secrecy().Empty() })
	return p
}

// Keep returns a copy of w to keep, and its size in bytes; see plan.Plan.Keep.
func (w *Writing) Keep() (*Writing, int) {
	k, n := *w, 1<<10 // the size of the struct and its lists, about
	keep := func(p **plan.Plan) {
		if *p != nil {
			var size int
			*p, size = (*p).Keep()
			n += size
		}
	}
	keep(&k.Parent)
	keep(&k.Change)
	keep(&k.Misfits)
	keep(&k.Back)
	k.Through = strings.Clone(w.Through)
	k.Checks, k.Inserts = slices.Clone(w.Checks), slices.Clone(w.Inserts)
	for i := range k.Checks {
		keep(&k.Checks[i].One)
		keep(&k.Checks[i].Many)
		for _, s := range k.Checks[i].Keys {
			n += 64 + 128*len(s)
		}
	}
	for i := range k.Inserts {
		keep(&k.Inserts[i].One)
		keep(&k.Inserts[i].Many)
	}
	return &k, n
}
