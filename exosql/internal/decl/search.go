package decl

import (
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/search"
)

// Search is a list of text columns of a table that are searched together. Matches in the first column weigh most.
type Search struct {
	Table *Table
	Cols  []*Column
}

// NewSearch makes a Search, or fails if the columns can't be searched together.
func NewSearch(t *Table, cols []*Column) (*Search, error) {
	if n := len(cols); n == 0 || n > search.MaxTexts {
		return nil, fmt.Errorf("exosql: a search of table %s can't have %d columns; want 1 to %d columns", t.Name, n, search.MaxTexts)
	}
	for i, c := range cols {
		switch {
		case c.Table != t:
			return nil, fmt.Errorf("exosql: a search of table %s can't have column %s of table %s: use columns of one table", t.Name, c.Name, c.Table.Name)
		case c.Kind != value.TypeText:
			return nil, fmt.Errorf("exosql: column %s.%s can't be searched, since it is not a text. Leave it out of the search", t.Name, c.Name)
		case slices.Contains(cols[:i], c):
			return nil, fmt.Errorf("exosql: a search of table %s can't have column %s twice: name the column once", t.Name, c.Name)
		}
	}
	return &Search{t, slices.Clone(cols)}, nil
}

// Label returns the label of a program that searches: whether a row matches depends on all columns.
func (s *Search) Label() (l value.Label) {
	for _, c := range s.Cols {
		l = l.Join(c.Label)
	}
	return l
}

// AddSearch lets programs search the facet's rows.
func (f *Facet) AddSearch(s *Search) error {
	switch {
	case s == nil:
		return fmt.Errorf("exosql: facet %s: the Search is zero: make one with NewSearch", f.Alias)
	case f.Search != nil:
		return fmt.Errorf("exosql: facet %s can't have two searches: put all columns into one search", f.Alias)
	case s.Table != f.Table:
		return fmt.Errorf("exosql: facet %s is of table %s, and its search of table %s: use a search of the facet's table", f.Alias, f.Table.Name, s.Table.Name)
	}
	f.Search = s
	return nil
}

// searchable refuses a search of columns that the facet does not show. A program that can ask which rows
// contain a word could read a hidden column word by word. It is called when all members are known.
func (f *Facet) searchable() error {
	if f.Search == nil {
		return nil
	}
	for _, c := range f.Search.Cols {
		if !slices.Contains(f.Cols, c) {
			return fmt.Errorf("exosql: facet %s can't search column %s, which the facet does not show: add the column to the facet", f.Alias, c.Name)
		}
	}
	if f.Link(language.Search) != nil {
		return fmt.Errorf("exosql: facet %s has a search, and can't have a link named %q too, since programs call the search by that name. Give the link another name", f.Alias, language.Search)
	}
	return nil
}

// searching adds the search methods to the interfaces of the facet's row and query. If a column or a link
// has the name of a method of the row, it takes precedence, and programs search the query instead.
func (f *Facet) searching(row, query *message.Interface) {
	if f.Search == nil {
		return
	}
	l := f.Search.Label()
	for _, m := range language.RowSearch(l) {
		if f.taken(m.Name) {
			continue
		}
		row.Methods[m.Name] = m
		row.Order = append(row.Order, m.Name)
	}
	m := language.QuerySearch(l)
	query.Methods[m.Name] = m
	query.Order = append(query.Order, m.Name)
}
