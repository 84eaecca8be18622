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

// This file has what a planned write is, and the writer that plans it. The files after it fill in its parts: reach.go what is asked first,
// law.go what is refused, insert.go and plan.go the statements; run.go runs it.

// Writing is how messages of one shape that write are answered, for whatever values. It is kept, see Keep.
type Writing struct {
	Kind  Kind
	Table *decl.Table
	Facet *decl.Facet
	Grant *scope.Grant
	// Parent finds the row whose link a row is inserted through, or is nil. There has to be one; the first Keys of its
	// cells are arguments of their own, and the others have to be true: that the scope fixes the same values.
	Parent  *plan.Plan
	Keys    int
	Through string     // what the program calls it
	Link    *decl.Link // that link, or nil
	Checks  []Check
	Change  *plan.Plan // of an update or a delete
	Misfits *plan.Plan // counts those of its rows that hold what a column that it asks of can't; nil: none can
	Found   bool       // which has to find a row: see language.IfUnchanged
	Inserts []Insert   // of an insert, for each of the sets of columns that rows give
	Filled  []Filled   // of an insert: what the scope fills in
	// Back reads an inserted row as programs see it, or is nil. The key that the insert gave is the last of its
	// arguments. There has to be one, or the row was inserted out of scope.
	Back *plan.Plan
}

// Kind is what a message does with rows.
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

// Insert adds rows that give values for the same columns: One adds one, and Many adds Batch of them. The values of the rows
// are the arguments after those of the message.
type Insert struct {
	One, Many *plan.Plan
	Batch     int
}

// Check is a query that finds out whether rows are in scope that written keys point to. It
// counts them: there has to be one for each of the different keys. One asks of one key, and Many of CheckBatch of them, whose
// values are the arguments after those of the message.
type Check struct {
	One, Many *plan.Plan
	Keys      [][]KeyPart  // for each set of columns: the parts of the key, as if one row were written; nil: it has none
	Columns   []string     // that are the key, as programs call them
	Needed    bool         // it can't be null
	Grant     *scope.Grant // in whose scope the rows have to be; nil of a Closed one
	Closed    bool         // no key may be written: it leads to rows that may be out of scope, and is no key of theirs

	Hidden []bool         // those of Columns that programs do not see, which no error names
	Shut   []bool         // those that they can't set
	Hooks  []*decl.Column // those of Columns that a hook fills in some row; the others are nil
}

// KeyPart is where the value of one column of a key is. Absent says that the row gives none.
type KeyPart struct {
	Source plan.Source
	Absent bool
}

// CheckBatch is how many keys are asked for at once.
const CheckBatch = 100

// writer compiles one message that writes.
type writer struct {
	d      expr.Engine
	m      *exo.Message
	grants []*scope.Grant
	beside []*scope.Grant // of the same programs, which the message doesn't speak of
	sets   [][]string
	w      *Writing
	keys   bool        // what is inserted is known by its keys afterwards
	entry  scope.Entry // of rows that are changed

	pointed map[*decl.Link]bool // links of which points has what they lead to looked for in the scope of the grant that writes

	chain *decl.Relation // of the typed API: the rows that are written; nil: the message says them
}

// IsWrite reports whether a message writes.
func IsWrite(m *exo.Message) bool {
	switch m.Root.Name {
	case language.Insert, language.InsertMany, language.Update, language.Delete:
		return true
	}
	return false
}

// writeKind is what a method does with rows.
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

// written is a column of a row that is written, with its value.
type written = compile.Assigned

// given is the value of column number i that a row gives, row number n of those that are written together.
func (w *writer) given(col *decl.Column, set []string, n, i int) written {
	return written{Col: col, Src: plan.Source{Origin: plan.FromMessage, Index: len(w.m.Args) + n*len(set) + i, Item: -1}, Filled: filled(set[i])}
}

// noted adds to the plan of a write what the engine has to know of its table.
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

// Keep copies what is kept of a writing; see plan.Plan.Keep.
func (w *Writing) Keep() (*Writing, int) {
	k, n := *w, 1<<10 // of the struct and its lists, about
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
