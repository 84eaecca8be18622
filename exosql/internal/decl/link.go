package decl

import (
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Link is a declared link. Two rows are linked if they are equal in each pair of columns.
type Link struct {
	ID       uint64
	Name     string // Name is the link's name in programs: a method of the rows and queries at its start
	From, To *Table
	Pairs    []Pair
	One      bool
	Doc      string
	turned   bool // turned: the link reverses another one, and leads to at most one row if its end is To's key
}

// NewLink declares a link over pairs of columns of two tables.
func NewLink(name string, one bool, pairs []Pair) (*Link, error) {
	if scalar.ReservedName(name) || language.ReservedMember(name) {
		return nil, fmt.Errorf("exosql: %q can't be the name of a link: programs use that word for something else, so choose another", name)
	}
	for _, p := range pairs {
		if language.OperatorOn()[language.ColumnInterfaces[p.From.Kind]]["eq"] == nil {
			return nil, fmt.Errorf("exosql: link %q can't use %s.%s: JSON and arrays can't be compared, so link by columns of other types", name, p.From.Table.Name, p.From.Name)
		}
	}
	l := &Link{ID: TableIDs.Add(1), Name: name, From: pairs[0].From.Table, To: pairs[0].To.Table, Pairs: pairs, One: one}
	l.refer()
	return l, nil
}

// Pair is a pair of columns that are equal in linked rows.
type Pair struct{ From, To *Column }

// Inverse reports whether m leads back over the columns of l.
func (l *Link) Inverse(m *Link) bool {
	if l.From != m.To || l.To != m.From || len(l.Pairs) != len(m.Pairs) {
		return false
	}
	for _, p := range l.Pairs {
		found := false
		for _, q := range m.Pairs {
			found = found || q.From == p.To && q.To == p.From
		}
		if !found {
			return false
		}
	}
	return true
}

// Starts returns the columns at the start of the link.
func (l *Link) Starts() []*Column {
	return scalar.Each(l.Pairs, func(p Pair) *Column { return p.From })
}

// Ends returns the columns at the end of the link.
func (l *Link) Ends() []*Column {
	return scalar.Each(l.Pairs, func(p Pair) *Column { return p.To })
}

// ToKey reports whether the link leads to one row at most, since its end columns include the key of the table.
func (l *Link) ToKey() bool {
	ends := l.Ends()
	return len(l.To.Keys) > 0 && !slices.ContainsFunc(l.To.Keys, func(k *Column) bool { return !slices.Contains(ends, k) })
}
