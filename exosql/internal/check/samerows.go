package check

import (
	"slices"

	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/schema"
)

// Shows reports whether o may show rows of t under another name. o may be a view that reads t, a
// table that contains t as a partition or an heir, or a partition or an heir of t.
func (c *Checker) Shows(o *decl.Table, t *schema.Table) bool {
	n := schema.Name{Name: o.Name}
	if x := c.TableOf(n); x != nil {
		return c.partOf(x.Name, t) || c.partOf(t.Name, x)
	}
	v := c.Live.View(n)
	return v != nil && (v.Calls || slices.ContainsFunc(v.Reads, func(r schema.Name) bool { // a function that the view calls may read any table
		x := c.TableOf(r)
		return r == t.Name || c.partOf(r, t) || x != nil && c.partOf(t.Name, x)
	}))
}

// partOf reports whether rows of t are also rows of the table whole: t is a partition or an heir of it, at any depth.
func (c *Checker) partOf(whole schema.Name, t *schema.Table) bool {
	up := slices.Clone(t.Inherits)
	if t.PartitionOf != nil {
		up = append(up, *t.PartitionOf)
	}
	return slices.ContainsFunc(up, func(n schema.Name) bool {
		x := c.TableOf(n)
		return n == whole || x != nil && c.partOf(whole, x) // no table is its own ancestor
	})
}
