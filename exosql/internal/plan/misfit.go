package plan

// This file counts misfits: values in a database that the type of their column can't contain. SQLite stores any value in any column, and
// PostgreSQL stores NaN in a numeric. A program gets null instead, with a count of such cells. For a host's own read, a misfit is an error.

import (
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/value"
)

// Misfits counts the misfits in an answer.
type Misfits struct {
	cells []*Cell
	n     []int
	again bool
}

// null returns null for a cell that can't be read, or the zero Value if that must be an error.
func (m *Misfits) null(c *Cell) value.Value {
	if !c.Misfits {
		return value.Value{}
	}
	m.again = m.again || c.Again
	m.count(c)
	return value.Null()
}

// undeclared handles NULL in a cell that is declared not null. It counts a misfit, or returns an error if the cell may have no misfits.
func (m *Misfits) undeclared(c *Cell) error {
	switch {
	case c.Null || c.Kind == value.TypeNull:
	case !c.Misfits:
		return c.Contradicts("NULL")
	default:
		m.count(c)
	}
	return nil
}

func (m *Misfits) count(c *Cell) { m.add(c, 1) }

func (m *Misfits) add(c *Cell, n int) {
	if i := slices.Index(m.cells, c); i >= 0 {
		m.n[i] += n
	} else if c.Shown != "" && n > 0 {
		m.cells, m.n = append(m.cells, c), append(m.n, n)
	}
}

// notice adds the counts to the notices of the run's result. Each text has the program's name of the column, but no value.
func (m *Misfits) notice(to *exo.Message) {
	for i, c := range m.cells {
		if to != nil && !m.again {
			text, kind := "%s: `%s` has %d values in this answer that are not of the type %s in the database; they are null here", c.Kind
			if c.Tally {
				text, kind = "%s: `%s` in %d of the rows behind this answer is not of the type %s in the database; it counts as null", c.Of
			} else if c.Rounded {
				text = "%s: `%s` has %d numbers beyond 2^53 in this answer, and asNumber(), which is a %s, may have lost digits of them: String(…) of the key has all digits"
			}
			to.AddNotice(fmt.Sprintf(text, to.Op(), c.Shown, m.n[i], kind))
		}
	}
	m.cells, m.n = nil, nil
}
