package check

import (
	"testing"

	"github.com/exoagent/exoagent/schema"
)

// TestKin: partitions and heirs, at any depth, have rows in common with a table; the parts of a table are its partitions alone. A table of
// neither kind has none.
func TestKin(t *testing.T) {
	name := func(n string) schema.Name { return schema.Name{Name: n} }
	of := func(n string) *schema.Name { x := name(n); return &x }
	whole, part, deep := &schema.Table{Name: name("whole")}, &schema.Table{Name: name("part"), PartitionOf: of("whole")}, &schema.Table{Name: name("deep"), PartitionOf: of("part")}
	heir, other := &schema.Table{Name: name("heir"), Inherits: []schema.Name{name("whole")}}, &schema.Table{Name: name("other")}
	c := NewChecker()
	c.Live = &schema.Database{Engine: schema.Postgres, Tables: []*schema.Table{other, heir, deep, part, whole}}
	for _, x := range []*schema.Table{whole, part, deep} {
		if kin, parts := c.Kin(x), c.Parts(x); len(kin) != 4 || kin[0] != x || len(parts) != 3 || parts[0] != x {
			t.Errorf("%s has %d kin and %d parts", x.Name.Name, len(kin), len(parts))
		}
	}
	if kin, parts := c.Kin(heir), c.Parts(heir); len(kin) != 4 || len(parts) != 1 {
		t.Errorf("an heir has %d kin and %d parts", len(kin), len(parts))
	}
	if kin, parts := c.Kin(other), c.Parts(other); len(kin) != 1 || len(parts) != 1 {
		t.Errorf("another table has %d kin and %d parts", len(kin), len(parts))
	}
}
