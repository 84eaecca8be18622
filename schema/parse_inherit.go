package schema

import "slices"

// heirs are the tables whose columns follow those of t: its partitions, and what
// INHERITS from it, and theirs.
func (p *parser) heirs(t *Table) []*Table {
	if !p.related {
		return nil
	}
	children := map[Name][]*Table{}
	for _, c := range p.db.Tables {
		if c.PartitionOf != nil {
			children[*c.PartitionOf] = append(children[*c.PartitionOf], c)
		}
		for _, parent := range c.Inherits {
			children[parent] = append(children[parent], c)
		}
		p.work(1 + len(c.Inherits))
	}
	all, seen := []*Table{t}, map[*Table]bool{t: true}
	for i := 0; i < len(all); i++ {
		for _, c := range children[all[i].Name] {
			if !seen[c] {
				seen[c] = true
				all = append(all, c)
			}
		}
	}
	return all[1:]
}

func (p *parser) columnsByName(t *Table) map[string]Column {
	p.work(len(t.Columns))
	out := map[string]Column{}
	for _, c := range t.Columns {
		out[c.Name] = c
	}
	return out
}

// inherited changes the heirs of t as t was changed.
func (p *parser) inherited(t *Table, before map[string]Column) {
	for _, heir := range p.heirs(t) {
		own := map[string]int{}
		for i := range heir.Columns {
			own[heir.Columns[i].Name] = i
		}
		p.work(len(t.Columns) + len(heir.Columns))
		for _, c := range t.Columns {
			was, old := before[c.Name]
			i, has := own[c.Name]
			switch {
			case !has:
				p.columnRoom(heir)
				heir.Columns = append(heir.Columns, p.handedDown(t, c))
			case old:
				h := &heir.Columns[i]
				if c.Type != was.Type {
					h.Type, h.Kind, h.Elem, h.Enum, h.Domain, h.Collation, h.Loose = c.Type, c.Kind, c.Elem, c.Enum, c.Domain, c.Collation, c.Loose
				}
				if c.NotNull != was.NotNull {
					h.NotNull = c.NotNull
				}
				if c.Default != was.Default {
					h.Default = c.Default
				}
			}
		}
	}
}

// handedDown is a column as an heir has it: with its default, but neither numbered
// by itself nor with the comment.
func (p *parser) handedDown(t *Table, c Column) Column {
	p.made(columnBytes)
	if p.numbered[columnID{t.Name, c.Name}] {
		c.Identity = NotIdentity
	}
	c.Comment = ""
	return c
}

// columnID names a column of a table.
type columnID struct {
	table  Name
	column string
}

func (p *parser) dropColumns(t *Table, name string) {
	for _, h := range append(p.heirs(t), t) {
		p.dropColumn(h, name)
	}
}

// attach makes child a partition of parent: what they have in common is the parent's.
func (p *parser) attach(child, parent *Table) {
	name := parent.Name
	child.PartitionOf, p.related = &name, true
	p.work(len(parent.Uniques)*len(child.Uniques) + len(parent.Checks)*len(child.Checks) + len(parent.Indexes)*len(child.Indexes) + len(p.foreign))
	if parent.PrimaryKey != nil && child.PrimaryKey != nil && slices.Equal(parent.PrimaryKey.Columns, child.PrimaryKey.Columns) {
		child.PrimaryKey = nil
	}
	child.Uniques = slices.DeleteFunc(child.Uniques, func(k Key) bool {
		return slices.ContainsFunc(parent.Uniques, func(o Key) bool { return slices.Equal(o.Columns, k.Columns) })
	})
	child.Checks = slices.DeleteFunc(child.Checks, func(c Check) bool {
		return slices.ContainsFunc(parent.Checks, func(o Check) bool { return o.Name == c.Name })
	})
	child.Indexes = slices.DeleteFunc(child.Indexes, func(x Index) bool {
		return slices.ContainsFunc(parent.Indexes, func(o Index) bool {
			return slices.Equal(o.Parts, x.Parts) && slices.Equal(o.Include, x.Include) && o.Unique == x.Unique && o.Method == x.Method && o.Where == x.Where
		})
	})
	var all []foreignOf
	for _, f := range p.foreign {
		if f.table == parent {
			all = append(all, f)
		}
	}
	p.foreign = slices.DeleteFunc(p.foreign, func(f foreignOf) bool {
		if f.table == child {
			p.work(len(all))
		}
		return f.table == child && slices.ContainsFunc(all, func(o foreignOf) bool {
			return slices.Equal(o.Columns, f.Columns) && o.Table == f.Table
		})
	})
}
