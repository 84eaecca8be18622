package dynamic

import "github.com/exoagent/exoagent/exosql/internal/decl"

// LinkSpec describes a link between rows of two tables that have equal columns.
type LinkSpec struct {
	Name       string   // Name is the link's name in programs
	Columns    []string // Columns are columns of the table that the link leads from
	To         *Table   // To is the table at the link's end
	References []string // References are columns of To, as many as Columns
	One        bool     // One: the link reaches at most one row
	Doc        string   // Doc is a line for the model
}

// Link is a declared link.
type Link struct {
	l  *decl.Link
	to *Table
}

func (l *Link) zero() bool { return l == nil || l.l == nil }

// Link declares a link. Each pair of columns must have one type.
func (t *Table) Link(l LinkSpec) (*Link, error) {
	if t.zero() {
		return nil, undeclared("Table", "Declarations.Table")
	}
	at := t.t.Name + "." + l.Name
	if l.To.zero() || l.To.d != t.d {
		return nil, wrong(at, "the link's To is no Table of the same Declarations: pass one that their method Table returned")
	}
	if len(l.Columns) == 0 || len(l.Columns) != len(l.References) {
		return nil, wrong(at, "the link has %d columns and %d referenced columns; want the same number of both, at least one", len(l.Columns), len(l.References))
	}
	var pairs []decl.Pair
	for i := range l.Columns {
		from, err := t.col(l.Columns[i])
		if err != nil {
			return nil, err
		}
		to, err := l.To.col(l.References[i])
		if err != nil {
			return nil, err
		}
		if from.Kind != to.Kind {
			return nil, wrong(at, "the types of the keys differ: %s is %s and %s is %s; a link needs columns of one type", place(from), from.Kind, place(to), to.Kind)
		}
		pairs = append(pairs, decl.Pair{From: from, To: to})
	}
	made, err := decl.NewLink(l.Name, l.One, pairs)
	if err != nil {
		return nil, wrap(at, err)
	}
	made.Doc = l.Doc
	return &Link{made, l.To}, nil
}
