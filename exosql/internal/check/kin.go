package check

import (
	"slices"

	"github.com/exoagent/exoagent/schema"
)

// This file finds the tables of the catalogue that have rows in common: partitions, and heirs by INHERITS.

// Parts returns table t, the tables that it is a part of, and its own parts: all these share rows with it.
func (c *Checker) Parts(t *schema.Table) []*schema.Table { return c.related(t, partOf) }

// family returns one table that represents a family: a table, its parts, the tables that it is a part
// of, and heirs by INHERITS, at any number of steps. A row of one of these may be a row of the others.
func (c *Checker) family(t *schema.Table) *schema.Table {
	if c.families == nil {
		c.families = map[*schema.Table]*schema.Table{}
		named := map[schema.Name]*schema.Table{}
		for _, x := range c.Live.Tables {
			named[x.Name] = x
		}
		for _, x := range c.Live.Tables {
			up := slices.Clone(x.Inherits)
			if x.PartitionOf != nil {
				up = append(up, *x.PartitionOf)
			}
			for _, n := range up {
				if whole := named[n]; whole != nil {
					if a, b := c.eldest(x), c.eldest(whole); a != b {
						c.families[a] = b
					}
				}
			}
		}
	}
	return c.eldest(t)
}

// Kin returns the family of a table: first the table, then all tables with rows in common.
func (c *Checker) Kin(t *schema.Table) []*schema.Table {
	out := []*schema.Table{t}
	for _, o := range c.Live.Tables {
		if o != t && c.family(o) == c.family(t) {
			out = append(out, o)
		}
	}
	return out
}

// eldest returns the table that represents the family of t, by the steps in the map families so far.
func (c *Checker) eldest(t *schema.Table) *schema.Table {
	for c.families[t] != nil {
		t = c.families[t]
	}
	return t
}

// related returns a table and all tables that the function is connects with it, in any number of steps, in both directions.
func (c *Checker) related(t *schema.Table, is func(part, whole *schema.Table) bool) []*schema.Table {
	seen := []*schema.Table{t}
	for i := 0; i < len(seen); i++ { // the loop appends to seen
		for _, o := range c.Live.Tables {
			if (is(seen[i], o) || is(o, seen[i])) && !slices.Contains(seen, o) {
				seen = append(seen, o)
			}
		}
	}
	return seen
}

func partOf(part, whole *schema.Table) bool {
	return part.PartitionOf != nil && *part.PartitionOf == whole.Name
}
