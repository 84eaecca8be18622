package check

import (
	"fmt"

	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// alike finds columns that one declaration of a table labels and another one does not: programs would read by the one what the
// other seals.
func (c *Checker) alike() {
	for i, t := range c.tables {
		for _, o := range c.tables[i+1:] {
			if !c.live.Engine.Is(t.Name, o.Name) {
				continue
			}
			for _, col := range t.Cols {
				if other := c.same(o, col.Name); other != nil && (!col.Label.Equal(other.Label) || col.Trust != other.Trust) {
					c.add(Finding{Kind: LabelMismatch, Table: t.Name, Column: col.Name,
						Problem: fmt.Sprintf("the table is declared twice: here the column is %s, there it is %s", said(col), said(other)),
						Fix:     "the same of both declarations, or one declaration"})
				}
			}
		}
	}
}

// same is the column that a declaration has under a name.
func (c *Checker) same(t *decl.Table, name string) *decl.Column {
	for _, x := range t.Cols {
		if c.live.Engine.Is(x.Name, name) {
			return x
		}
	}
	return nil
}

func said(c *decl.Column) string {
	s := "public"
	if !c.Label.Public() {
		s = "labelled " + c.Label.String()
	}
	if c.Trust {
		s += ", and demands trust"
	}
	return s
}
