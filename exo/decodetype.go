package exo

import (
	"slices"

	"github.com/exoagent/exoagent/internal/wire"
)

// Type reads what AppendType writes.
func (d *Decoder) Type() *Type { return d.typeAt(0) }

func (d *Decoder) typeAt(depth int) *Type {
	has := d.Byte()
	if has == 0 || d.Err() != nil {
		return nil
	}
	if has&^typeAll != 0 || has&typeThere == 0 || depth > maxDepth {
		d.Fail("no such type")
		return nil
	}
	t := &Type{Name: d.Text(), Null: has&typeNull != 0}
	if has&typeArgs != 0 {
		n := d.Count(2)
		t.Args = make(map[string]*Type, min(n, wire.Ahead))
		for range n {
			name := d.Text()
			if t.Args[name] = d.typeAt(depth + 1); d.Err() != nil {
				return nil
			}
		}
	}
	if has&typeFields != 0 {
		n := d.Count(3)
		t.Fields = make([]TypeField, 0, min(n, wire.Ahead))
		for range n {
			name, is := d.Text(), d.UpTo(fieldAll)
			t.Fields = append(t.Fields, TypeField{Name: name, Opt: is&fieldOpt != 0, Trusted: is&fieldTrusted != 0, Type: d.typeAt(depth + 1)})
			if is&fieldLabel != 0 {
				t.Fields[len(t.Fields)-1].Label = d.tags()
			}
			if is&fieldAdmits != 0 {
				t.Fields[len(t.Fields)-1].Admits = d.tags()
			}
			if d.Err() != nil {
				return nil
			}
		}
	}
	if has&typeEnum != 0 {
		t.Enum = d.Texts()
	}
	if has&typeRange != 0 {
		t.Min, t.Max = d.Int(), d.Int()
	}
	return t
}

// tags are those of a label in a declaration that is not empty.
func (d *Decoder) tags() Label {
	texts := d.Texts()
	if len(texts) == 0 || !slices.IsSorted(texts) || len(slices.Compact(slices.Clone(texts))) < len(texts) {
		d.Fail("tags of a label out of order")
	}
	return NewLabel(texts...)
}

func (d *Decoder) term(depth int) *Term {
	has := d.UpTo(termAll)
	if has == 0 || d.Err() != nil {
		return nil
	}
	if has&termThere == 0 || depth > maxDepth {
		d.Fail("no such term")
		return nil
	}
	t := &Term{Null: has&termNull != 0, Bare: has&termBare != 0}
	if has&termVar != 0 {
		t.Var = d.Text()
	}
	if has&termCon != 0 {
		t.Con = d.Type()
	}
	if has&termExt != 0 {
		t.Ext = d.terms(depth)
	}
	if has&termApp != 0 {
		t.App = d.Text()
	}
	if has&termArgs != 0 {
		n := d.Count(2)
		t.Args = make(map[string]*Term, min(n, wire.Ahead))
		for range n {
			name := d.Text()
			if t.Args[name] = d.term(depth + 1); d.Err() != nil {
				return nil
			}
		}
	}
	if has&termKey != 0 {
		t.Key = d.Text()
	}
	if has&termOf != 0 {
		t.Of = d.term(depth + 1)
	}
	if has&termWide != 0 {
		t.Wide = d.terms(depth)
	}
	if has&termTo != 0 {
		n := d.Count(2)
		t.To = make(map[string]string, min(n, wire.Ahead))
		for range n {
			name := d.Text()
			if t.To[name] = d.Text(); d.Err() != nil {
				return nil
			}
		}
	}
	if has&termName != 0 {
		t.Name = d.Text()
	}
	if has&termOwn != 0 {
		t.Own = d.term(depth + 1)
	}
	return t
}

func (d *Decoder) terms(depth int) []*Term {
	n := d.Count(1)
	ts := make([]*Term, 0, min(n, wire.Ahead))
	for range n {
		if ts = append(ts, d.term(depth+1)); d.Err() != nil {
			return nil
		}
	}
	return ts
}
