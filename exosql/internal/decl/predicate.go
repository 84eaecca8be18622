package decl

import (
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/language"
)

// Pred is a condition on the rows of a table. nil is the zero predicate, which matches no row.
type Pred struct {
	Op   string // Op is an operator of package language, or all, and, or, not
	Col  *Column
	Vals []value.Value
	Subs []*Pred
	Err  error
	Args []Held // Args replaces Vals in a copy that package shape makes
}

// Checked notes an error for values that no engine can store: queries that use the predicate then fail.
func (p *Pred) Checked() *Pred {
	for _, v := range p.Vals {
		if v.IsZero() {
			p.Err = fail.Errorf(fail.Invalid, p.Col.Table.Name+"."+p.Col.Name, "the value can't be compared: want %s, and not nil", p.Col.wants())
		}
	}
	if language.OperatorOn()[language.ColumnInterfaces[p.Col.Kind]]["eq"] == nil && len(p.Vals) > 0 && p.Op != "has" {
		p.Err = fail.Errorf(fail.Invalid, p.Col.Table.Name+"."+p.Col.Name, "JSON and arrays can't be compared: use a column of another type")
	}
	return p
}

// Columns returns the columns that the predicate names.
func (p *Pred) Columns() (out []*Column) {
	if p == nil {
		return nil
	}
	if p.Col != nil {
		out = append(out, p.Col)
	}
	for _, s := range p.Subs {
		out = append(out, s.Columns()...)
	}
	return out
}

// Held replaces a value that package shape moved to the arguments of a grant.
type Held struct {
	Kind string
	Slot int // Slot is the value's index among the grant's arguments
}

// Of returns an error unless every column of the predicate belongs to table t. Two tables may share a
// row type, so Go would accept a condition on the other table's tenant, which is a wrong scope.
func (p *Pred) Of(t *Table) error {
	if p == nil {
		return nil
	}
	if p.Col != nil && p.Col.Table != t {
		return fail.Errorf(fail.Invalid, t.Name, "a condition on %s of table %s was given for table %s: use a column of this table", p.Col.Name, p.Col.Table.Name, t.Name)
	}
	for _, s := range p.Subs {
		if err := s.Of(t); err != nil {
			return err
		}
	}
	return nil
}
