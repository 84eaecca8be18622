package worker

import (
	"maps"
	"slices"

	"github.com/exoagent/exoagent/exo"
)

// Parts of a type: which of them follow.
const (
	typeThere = 1 << iota
	typeNull
	typeArgs
	typeFields
	typeEnum
	typeAll = 1<<iota - 1
)

func appendType(b []byte, t *exo.Type) []byte {
	if t == nil {
		return append(b, 0)
	}
	has := byte(typeThere)
	if t.Null {
		has |= typeNull
	}
	if t.Args != nil {
		has |= typeArgs
	}
	if t.Fields != nil {
		has |= typeFields
	}
	if t.Enum != nil {
		has |= typeEnum
	}
	b = appendText(append(b, has), t.Name)
	if t.Args != nil {
		b = appendCount(b, len(t.Args))
		for _, n := range slices.Sorted(maps.Keys(t.Args)) {
			b = appendType(appendText(b, n), t.Args[n])
		}
	}
	if t.Fields != nil {
		b = appendCount(b, len(t.Fields))
		for i := range t.Fields {
			f := &t.Fields[i]
			b = appendType(appendBool(appendText(b, f.Name), f.Opt), f.Type)
		}
	}
	if t.Enum != nil {
		b = appendTexts(b, t.Enum)
	}
	return b
}

func (d *decoder) typ() *exo.Type { return d.typeAt(0) }

func (d *decoder) typeAt(depth int) *exo.Type {
	has := d.byte()
	if has == 0 || d.err != nil {
		return nil
	}
	if has&^typeAll != 0 || has&typeThere == 0 || depth > maxDepth {
		d.fail("no such type")
		return nil
	}
	t := &exo.Type{Name: d.text(), Null: has&typeNull != 0}
	if has&typeArgs != 0 {
		n := d.count(2)
		t.Args = make(map[string]*exo.Type, n)
		for range n {
			name := d.text()
			t.Args[name] = d.typeAt(depth + 1)
		}
	}
	if has&typeFields != 0 {
		t.Fields = make([]exo.TypeField, d.count(3))
		for i := range t.Fields {
			t.Fields[i] = exo.TypeField{Name: d.text(), Opt: d.bool(), Type: d.typeAt(depth + 1)}
		}
	}
	if has&typeEnum != 0 {
		t.Enum = d.texts()
	}
	return t
}

// Parts of a term.
const (
	termThere = 1 << iota
	termNull
	termBare
	termVar
	termCon
	termExt
	termApp
	termArgs
	termKey
	termOf
	termWide
	termTo
	termAll = 1<<iota - 1
)

func appendTerm(b []byte, t *exo.Term) []byte {
	if t == nil {
		return append(b, 0)
	}
	has := uint64(termThere)
	for _, p := range [...]struct {
		bit   uint64
		there bool
	}{{termNull, t.Null}, {termBare, t.Bare}, {termVar, t.Var != ""}, {termCon, t.Con != nil}, {termExt, t.Ext != nil}, {termApp, t.App != ""},
		{termArgs, t.Args != nil}, {termKey, t.Key != ""}, {termOf, t.Of != nil}, {termWide, t.Wide != nil}, {termTo, t.To != nil}} {
		if p.there {
			has |= p.bit
		}
	}
	b = appendCount(b, int(has))
	if t.Var != "" {
		b = appendText(b, t.Var)
	}
	if t.Con != nil {
		b = appendType(b, t.Con)
	}
	if t.Ext != nil {
		b = appendTerms(b, t.Ext)
	}
	if t.App != "" {
		b = appendText(b, t.App)
	}
	if t.Args != nil {
		b = appendCount(b, len(t.Args))
		for _, n := range slices.Sorted(maps.Keys(t.Args)) {
			b = appendTerm(appendText(b, n), t.Args[n])
		}
	}
	if t.Key != "" {
		b = appendText(b, t.Key)
	}
	if t.Of != nil {
		b = appendTerm(b, t.Of)
	}
	if t.Wide != nil {
		b = appendTerms(b, t.Wide)
	}
	if t.To != nil {
		b = appendCount(b, len(t.To))
		for _, n := range slices.Sorted(maps.Keys(t.To)) {
			b = appendText(appendText(b, n), t.To[n])
		}
	}
	return b
}

func appendTerms(b []byte, ts []*exo.Term) []byte {
	b = appendCount(b, len(ts))
	for _, t := range ts {
		b = appendTerm(b, t)
	}
	return b
}

func (d *decoder) term(depth int) *exo.Term {
	has := d.upTo(termAll)
	if has == 0 || d.err != nil {
		return nil
	}
	if has&termThere == 0 || depth > maxDepth {
		d.fail("no such term")
		return nil
	}
	t := &exo.Term{Null: has&termNull != 0, Bare: has&termBare != 0}
	if has&termVar != 0 {
		t.Var = d.text()
	}
	if has&termCon != 0 {
		t.Con = d.typ()
	}
	if has&termExt != 0 {
		t.Ext = d.terms(depth)
	}
	if has&termApp != 0 {
		t.App = d.text()
	}
	if has&termArgs != 0 {
		n := d.count(2)
		t.Args = make(map[string]*exo.Term, n)
		for range n {
			name := d.text()
			t.Args[name] = d.term(depth + 1)
		}
	}
	if has&termKey != 0 {
		t.Key = d.text()
	}
	if has&termOf != 0 {
		t.Of = d.term(depth + 1)
	}
	if has&termWide != 0 {
		t.Wide = d.terms(depth)
	}
	if has&termTo != 0 {
		n := d.count(2)
		t.To = make(map[string]string, n)
		for range n {
			name := d.text()
			t.To[name] = d.text()
		}
	}
	return t
}

func (d *decoder) terms(depth int) []*exo.Term {
	ts := make([]*exo.Term, d.count(1))
	for i := range ts {
		ts[i] = d.term(depth + 1)
	}
	return ts
}
