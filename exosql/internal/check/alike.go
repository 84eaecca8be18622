package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/schema"
)

// alike finds labels that one declaration of a table has, and that another declaration of the table or of its parts lacks. Through the second,
// programs could read what the first seals.
func (c *Checker) alike() {
	near := c.near()
	for i, t := range c.tables {
		for k, col := range t.Cols {
			if other := c.Same(t, col.Name); other != col {
				c.Add(Finding{Kind: LabelMismatch, Table: t.Name, Column: t.Cols[k].Name,
					Problem: fmt.Sprintf("the column is declared twice, also as %s: labels and rights of one declaration do not apply to the other", other.Name),
					Fix:     "one declaration of the column"})
			}
		}
		for _, j := range near[i] {
			o := c.tables[j]
			where := "the table is declared twice"
			if !c.Live.Engine.Is(t.Name, o.Name) {
				if !c.ShareRows(t, o) {
					continue
				}
				where = fmt.Sprintf("the tables %s and %s have rows in common", t.Name, o.Name)
			}
			if !t.Label.Equal(o.Label) {
				c.Add(Finding{Kind: LabelMismatch, Table: t.Name,
					Problem: fmt.Sprintf("%s: the rows are %s in one declaration, and %s in the other", where, labelled(t.Label), labelled(o.Label)),
					Fix:     "the same label in both declarations, or one declaration for both"})
			}
			for _, col := range t.Cols {
				if other := c.Same(o, col.Name); other != nil && (!col.Label.Equal(other.Label) || col.Trust != other.Trust || col.Readers.String() != other.Readers.String()) {
					c.Add(Finding{Kind: LabelMismatch, Table: t.Name, Column: col.Name,
						Problem: fmt.Sprintf("%s: the column is %s in one declaration, and %s in the other", where, said(col), said(other)),
						Fix:     "the same label, readers and trust in both declarations, or one declaration for both"})
				}
			}
		}
	}
}

// near returns, for each table, the later tables that may declare the same table or have rows in common with it. Only these need to be compared.
func (c *Checker) near() [][]int {
	alike := map[string][]int{}
	kin := map[*schema.Table][]int{}
	out := make([][]int, len(c.tables))
	for i, t := range slices.Backward(c.tables) {
		name := strings.ToLower(t.Name) // names that some engine treats as one are equal in lower case
		out[i] = slices.Clone(alike[name])
		alike[name] = append(alike[name], i)
		if live := c.TableOf(schema.Name{Name: t.Name}); live != nil {
			family := c.family(live)
			out[i] = append(out[i], kin[family]...)
			kin[family] = append(kin[family], i)
		}
		slices.Sort(out[i])
		out[i] = slices.Compact(out[i])
	}
	return out
}

// ShareRows reports whether two declared tables have rows in common, as parts of one table.
func (c *Checker) ShareRows(t, o *decl.Table) bool {
	a, b := c.TableOf(schema.Name{Name: t.Name}), c.TableOf(schema.Name{Name: o.Name})
	return a != nil && b != nil && c.family(a) == c.family(b)
}

// Same returns the column that a declaration has under a name, or nil if it has none of that name.
func (c *Checker) Same(t *decl.Table, name string) *decl.Column {
	for _, x := range t.Cols {
		if c.Live.Engine.Is(x.Name, name) {
			return x
		}
	}
	return nil
}

func labelled(l value.Label) string {
	if l.Empty() {
		return "public"
	}
	return "labelled " + l.String()
}

func said(c *decl.Column) string {
	s := labelled(c.Label)
	if c.Readers != nil {
		s += ", read by " + c.Readers.String()
	}
	if c.Trust {
		s += ", and demands trust"
	}
	return s
}
