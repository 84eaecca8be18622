package exosql

import (
	"fmt"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/search"
)

// Search is columns of text that are searched together. As a member of a facet, which has to show all of
// them, it lets programs search: `tasks().search("payment failed").limit(10)`.
type Search[T any] struct{ s *decl.Search }

// Searched is a column of text of T.
type Searched[T any] interface {
	searched(*T) *decl.Column
}

func (c *Column[T, V]) searched(*T) *decl.Column { return c.core() }

// NewSearch makes a Search of 1 to 8 columns. A word in one of them counts for the rank of a row
// four times as much as in the next.
//
// A text matches where it has all words of a query, in any of the columns, whole and whatever their case: letters, marks and
// numbers make words, and all else separates them. `"a phrase"` is words that stand together in one
// column, `pay*` a word that begins so, `-word` is in none, and of `refund OR chargeback` one is enough. The rank
// of a row counts the matches in each column, ten at most, and depends on no other row.
func NewSearch[T any](t *Table[T], columns ...Searched[T]) Search[T] {
	core := t.must("NewSearch")
	var cols []*decl.Column
	for _, c := range columns {
		if c == nil || c.searched(nil) == nil {
			panic(fmt.Sprintf("exosql: a search of table %s has a zero column; declare columns before it", core.Name))
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

// Search keeps the rows that match a text, see NewSearch, best first: what OrderBy says, before it or
// after it, comes before the rank. Such a relation can't be given to a facet.
func (r Relation[T]) Search(s Search[T], text string) Relation[T] {
	step := decl.Relation{Kind: decl.StepSearch, Search: s.s, Text: text}
	_, err := search.Parse(text)
	switch {
	case s.s == nil:
		step.Err = fail.Errorf(fail.Invalid, "exosql: Search", "a zero Search was given: NewSearch makes one")
	case r.r != nil && s.s.Table != r.r.Table:
		step.Err = fail.Errorf(fail.Invalid, "exosql: Search", "a search of table %s was given for table %s", s.s.Table.Name, r.r.Table.Name)
	case err != nil:
		step.Err = fail.Errorf(fail.Invalid, "exosql: Search", "%s", err)
	case value.Text(text).IsZero():
		step.Err = fail.Errorf(fail.Invalid, "exosql: Search", "the text has a NUL or is not valid UTF-8, which no database takes")
	case r.r != nil && len(r.r.Table.Keys) == 0:
		step.Err = fail.Errorf(fail.Denied, "exosql: Search", "table %s has no key to break ties of the rank: declare it with NewKey", r.r.Table.Name)
	}
	return r.step(step)
}
