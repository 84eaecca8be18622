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

// This file has Writing, a planned write, and the writer that plans it. reach.go adds the checks, law.go the refusals, insert.go and plan.go
// the statements; run.go runs them.

// Writing is the plan of a write for all messages of one shape, whatever their values are. Keep returns a copy for the cache.
type Writing struct {
	Kind  Kind
	Table *decl.Table
	Facet *decl.Facet
	Grant *scope.Grant
	// Parent finds the one row through which rows are inserted; nil if no link leads to them. The first Keys cells of that row become
	// arguments of the insert. Each further cell must be true: it compares a value with the one that the scope fixes.
	Parent  *plan.Plan
	Keys    int
	Through string     // Through is the name of the parent's facet, or of its table for Go code
	Link    *decl.Link // Link leads from the parent to the new rows; nil without a parent
	Checks  []Check
	Change  *plan.Plan // Change is the plan of an update or a delete
	Misfits *plan.Plan // Misfits counts the rows of Change with a misfit (see misfit.go in package expr) in a column of its conditions; nil if none can exist
	Found   bool       // Found: Change must find a row (see language.IfUnchanged)
	Inserts []Insert   // Inserts has one insert for each set of columns that rows give
	Filled  []Filled   // Filled are the columns that the scope fills in for an insert
	// Back reads an inserted row as programs see it; nil if no row must be read back. Its last arguments are the key that the insert
	// returned. If Back finds no row, the new row is out of scope.
	Back *plan.Plan
}

// Kind is the kind of a write: it inserts, updates or deletes rows.
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

// Insert inserts rows that give the same columns: the plan One adds one row, and Many adds Batch rows. The rows' values follow
// the arguments of the message.
type Insert struct {
	One, Many *plan.Plan
	Batch     int
}

// Check is a query that finds out whether the rows that written keys point to are in scope. It counts them: each different key must have one row.
// One takes one key, Many takes CheckBatch keys. The keys' values follow the arguments of the message.
type Check struct {
	One, Many *plan.Plan
	Keys      [][]KeyPart  // Keys has the parts of the key for each set of columns; nil if the set has no key
	Columns   []string     // Columns are the key's columns, as programs name them
	Needed    bool         // Needed: the key can't be null
	Grant     *scope.Grant // Grant has the scope in which the rows must be; nil if Closed
	Closed    bool         // Closed: only a null key may be written, since a key might lead to rows out of scope

	Hidden []bool         // Hidden reports for each of Columns whether programs do not see it, so that no error names it
	Shut   []bool         // Shut reports for each of Columns whether programs can't set it
	Hooks  []*decl.Column // Hooks has each of Columns that a hook fills in some row, or nil
}

// KeyPart is the source of the value for one column of a key. Absent means that the row gives no value.
type KeyPart struct {
	Source plan.Source
	Absent bool
}

// CheckBatch bounds the keys that one query checks.
const CheckBatch = 100

// writer plans one message that writes.
type writer struct {
	d      expr.Engine
	m      *exo.Message
	grants []*scope.Grant
	beside []*scope.Grant // beside are other grants of the same programs, which the message does not use
	sets   [][]string
	w      *Writing
	images bool        // images: an insert returns the keys of the new rows, and an update on PostgreSQL the changed rows
	entry  scope.Entry // entry is the scope of the rows that are changed

	pointed map[*decl.Link]bool // pointed are the links for which points has added a check that their end is in scope

	chain *decl.Relation // chain is the chain of the typed API that chooses the rows; nil if the message chooses them
}

// IsWrite reports whether a message writes.
func IsWrite(m *exo.Message) bool {
	switch m.Root.Name {
	case language.Insert, language.InsertMany, language.Update, language.Delete:
		return true
	}
	return false
}

// writeKind returns the kind of write that a method does.
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

// written is a column of a written row, with its value.
type written = compile.Assigned

// given returns the column col, which is number i of the set. Its value comes from row number n of the statement.
func (w *writer) given(col *decl.Column, set []string, n, i int) written {
	return written{Col: col, Src: plan.Source{Origin: plan.FromMessage, Index: len(w.m.Args) + n*len(set) + i, Item: -1}, Filled: filled(set[i])}
}

// noted adds to the plan of a write what the engine must know of the table: permitted triggers and cascades, and labels.
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

// Keep returns a copy of w for the cache, and the copy's size in bytes: see plan.Plan.Keep.
func (w *Writing) Keep() (*Writing, int) {
	k, n := *w, 1<<10 // about the size of the struct and its lists
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
