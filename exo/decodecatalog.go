package exo

import "github.com/exoagent/exoagent/internal/wire"

// Grants reads what AppendGrants writes. It is for a guest, which believes its host: of
// two members with one name it keeps the last.
func (d *Decoder) Grants() (granted []GrantedName, c Catalog) {
	n := d.Count(3)
	granted = make([]GrantedName, 0, min(n, wire.Ahead))
	for range n {
		granted = append(granted, GrantedName{Name: d.Text(), ID: uint32(d.UpTo(1<<32 - 1)), Type: d.Type()})
		if d.Err() != nil {
			return nil, nil
		}
	}
	return granted, d.catalog()
}

func (d *Decoder) catalog() Catalog {
	types := make([]*Type, d.Count(1))
	for i := range types {
		types[i] = d.Type()
	}
	terms := make([]*Term, d.Count(1))
	for i := range terms {
		terms[i] = d.term(0)
	}
	methods := make([]*Method, d.Count(8))
	for i := range methods {
		methods[i] = d.method(terms)
	}
	words := make([]Words, d.Count(1))
	for i := range words {
		words[i] = Words{d.Text()}
	}
	n := d.Count(7)
	c := make(Catalog, n)
	for range n {
		i := &Interface{Name: d.Text(), Doc: d.Text(), Is: d.Texts(), Words: pickAll(d, words)}
		kind := d.UpTo(kindAll)
		if i.Expr = kind&kindExpr != 0; kind&kindKeys != 0 {
			i.Keys = d.Text()
		}
		if kind&kindLabel != 0 {
			i.Label = NewLabel(d.Texts()...)
		}
		i.Await, i.Call, i.Order = d.Text(), d.Text(), d.Texts()
		k := d.Count(3)
		i.Fields = make(map[string]*Property, k)
		for range k {
			name := d.Text()
			i.Fields[name] = &Property{Type: pick(d, types), Label: NewLabel(d.Texts()...)}
		}
		k = d.Count(2)
		i.Methods = make(map[string]*Method, k)
		for range k {
			name := d.Text()
			i.Methods[name] = pick(d, methods)
		}
		c[i.Name] = i
	}
	return c
}

func pickAll[T any](d *Decoder, table []T) (all []T) {
	if n := d.Count(1); n > 0 {
		all = make([]T, n)
	}
	for i := range all {
		all[i] = pick(d, table)
	}
	return all
}

// pick is the one of the table that comes next by its number.
func pick[T any](d *Decoder, table []T) (v T) {
	n := d.UpTo(uint64(len(table)))
	if d.Err() != nil || n == len(table) {
		d.Fail("no such number")
		return v
	}
	return table[n]
}

func (d *Decoder) method(terms []*Term) *Method {
	m := &Method{Name: d.Text(), Truth: d.Text(), Sends: d.Bool(), Row: d.Bool(), Sink: d.Bool()}
	effect := EffectMode(d.UpTo(16*uint64(effectModes) - 1))
	m.Effect, m.Total, m.Trusted = effect%effectModes, effect/effectModes&4 != 0, effect/effectModes&8 != 0
	m.Label, m.Admits, m.Reply, m.Result = NewLabel(d.Texts()...), NewLabel(d.Texts()...), NewLabel(d.Texts()...), pick(d, terms)
	if effect/effectModes&1 != 0 {
		m.Nested = pick(d, terms)
	}
	if effect/effectModes&2 != 0 {
		m.Declassifies = d.tags()
	}
	if n := d.Count(5); n > 0 {
		m.Params = make([]Param, n)
	}
	for k := range m.Params {
		p := &m.Params[k]
		p.Name, p.Bind = d.Text(), d.Text()
		flags := d.UpTo(1<<9 - 1)
		for bit, v := range paramFlags(p) {
			*v = flags>>bit&1 == 1
		}
		p.Want, p.Lambda = pick(d, terms), pick(d, terms)
	}
	return m
}
