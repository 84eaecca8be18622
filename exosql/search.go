package exosql

import (
	"fmt"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/search"
)

// Search is a set of text columns that are searched together. A facet that has it as a member, and shows all its columns, lets programs search:
// `tasks().search("payment failed").limit(10)`.
type Search[T any] struct{ s *decl.Search }

// Searched is a text column of T.
type Searched[T any] interface {
	searched(*T) *decl.Column
}

func (c *Column[T, V]) searched(*T) *decl.Column { return c.core() }

// NewSearch makes a Search of 1 to 8 text columns. In the rank of a row, a match in a column counts four times as much as one in the next column.
//
// A row matches if it has all words of the query, in any of the columns. Words are runs of letters, marks and numbers; they match whole, and case
// is ignored. `"a phrase"` needs the words next to each other in one column. `pay*` needs a word that begins with pay, `refund OR chargeback` one of
// the two words, and `-word` forbids the word. The rank counts up to ten matches in each column, and depends on no other row.
func NewSearch[T any](t *Table[T], columns ...Searched[T]) Search[T] {
	core := t.must("NewSearch")
	var cols []*decl.Column
	for _, c := range columns {
		if c == nil || c.searched(nil) == nil {
			panic(fmt.Sprintf("exosql: a search of table %s has a nil or zero column: declare columns before the search", core.Name))
		}
		cols = append(cols, c.searched(nil))
	}
	s, err := decl.NewSearch(core, cols)
	if err != nil {
		panic(err.Error())
	}
	return Search[T]{s}
}

func (s Search[T]) addTo(f *decl.Facet, _ *T) error { return f.AddSearch(s.s) }

// Search keeps the rows that match a text, best first: see NewSearch. An OrderBy, before or after Search, sorts before the rank. A relation with
// Search can't be given to a facet.
func (r Relation[T]) Search(s Search[T], text string) Relation[T] {
	step := decl.Relation{Kind: decl.StepSearch, Search: s.s, Text: text}
	_, err := search.Parse(text)
	switch {
	case s.s == nil:
		step.Err = fail.Errorf(fail.Invalid, "exosql: Search", "a zero Search was given: make one with NewSearch")
	case r.r != nil && s.s.Table != r.r.Table:
		step.Err = fail.Errorf(fail.Invalid, "exosql: Search", "the Search is of table %s, and the relation of table %s: pass a Search of that table", s.s.Table.Name, r.r.Table.Name)
	case err != nil:
		step.Err = fail.Errorf(fail.Invalid, "exosql: Search", "%s", err)
	case value.Text(text).IsZero():
		step.Err = fail.Errorf(fail.Invalid, "exosql: Search", "the text contains a NUL or is not valid UTF-8: remove such bytes")
	case r.r != nil && len(r.r.Table.Keys) == 0:
		step.Err = fail.Errorf(fail.Denied, "exosql: Search", "a search needs a key of table %s, which orders rows of equal rank: declare one with NewKey", r.r.Table.Name)
	}
	return r.step(step)
}
