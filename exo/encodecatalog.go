package exo

import (
	"maps"
	"slices"

	"github.com/exoagent/exoagent/internal/wire"
)

// Grants writes what could be asked of a run: the names that it was granted and the
// catalogue of what can be done with them, in one order. The documentation of members, which
// only readers of declarations need, is left out.
func (e *Encoder) Grants(granted []GrantedName, c Catalog) {
	b := wire.AppendCount(e.B, len(granted))
	for _, g := range granted {
		b = appendType(wire.AppendUint(wire.AppendText(b, g.Name), uint64(g.ID)), g.Type)
	}
	e.B = appendCatalog(b, c)
}

// catalogWriter writes a catalogue with each method, term and type once:
// interfaces of the columns of a database have most of theirs in common, and what
// is read once is made once.
type catalogWriter struct{ types, terms, methods, words table }

// table numbers distinct byte strings from 0 and keeps them in that order.
type table struct {
	index map[string]int
	all   []byte
}

func (t *table) add(b []byte) int {
	n, ok := t.index[string(b)]
	if !ok {
		if t.index == nil {
			t.index = map[string]int{}
		}
		n = len(t.index)
		t.index[string(b)] = n
		t.all = append(t.all, b...)
	}
	return n
}

func (t *table) append(b []byte) []byte { return append(wire.AppendCount(b, len(t.index)), t.all...) }

func appendCatalog(b []byte, c Catalog) []byte {
	w := &catalogWriter{}
	var body []byte
	names := slices.Sorted(maps.Keys(c))
	for _, name := range names {
		body = w.iface(body, c[name])
	}
	b = w.words.append(w.methods.append(w.terms.append(w.types.append(b))))
	return append(wire.AppendCount(b, len(names)), body...)
}

func (w *catalogWriter) iface(b []byte, i *Interface) []byte {
	b = wire.AppendTexts(wire.AppendText(wire.AppendText(b, i.Name), i.Doc), i.Is) // what an interface is stands in messages
	b = wire.AppendCount(b, len(i.Words))
	for _, x := range i.Words {
		b = wire.AppendCount(b, w.words.add(wire.AppendText(nil, x.lines)))
	}
	b = wire.AppendTexts(wire.AppendText(wire.AppendText(appendKind(b, i), i.Await), i.Call), i.Order)
	b = wire.AppendCount(b, len(i.Fields))
	for _, n := range slices.Sorted(maps.Keys(i.Fields)) {
		f := i.Fields[n]
		b = wire.AppendTexts(wire.AppendCount(wire.AppendText(b, n), w.types.add(appendType(nil, f.Type))), f.Label.Tags())
	}
	b = wire.AppendCount(b, len(i.Methods))
	for _, n := range slices.Sorted(maps.Keys(i.Methods)) {
		b = wire.AppendCount(wire.AppendText(b, n), w.method(i.Methods[n]))
	}
	return b
}

// appendKind is whether it is an expression, has keys, and by which method, and has a label, and which.
func appendKind(b []byte, i *Interface) []byte {
	kind := 0
	if i.Expr {
		kind |= kindExpr
	}
	if i.Keys != "" {
		kind |= kindKeys
	}
	if !i.Label.Public() {
		kind |= kindLabel
	}
	if b = wire.AppendCount(b, kind); i.Keys != "" {
		b = wire.AppendText(b, i.Keys)
	}
	if !i.Label.Public() {
		b = wire.AppendTexts(b, i.Label.Tags())
	}
	return b
}

// The bits of the kind of an interface.
const (
	kindExpr = 1 << iota
	kindKeys
	kindLabel
	kindAll = kindExpr | kindKeys | kindLabel
)

func (w *catalogWriter) method(m *Method) int {
	b := wire.AppendText(wire.AppendText(nil, m.Name), m.Truth)
	effect := byte(m.Effect)
	if m.Nested != nil {
		effect += byte(effectModes)
	}
	if !m.Declassifies.Public() {
		effect += 2 * byte(effectModes)
	}
	if m.Total {
		effect += 4 * byte(effectModes)
	}
	if m.Trusted {
		effect += 8 * byte(effectModes)
	}
	b = append(wire.AppendBool(wire.AppendBool(wire.AppendBool(b, m.Sends), m.Row), m.Sink), effect)
	b = wire.AppendTexts(wire.AppendTexts(wire.AppendTexts(b, m.Label.Tags()), m.Admits.Tags()), m.Reply.Tags())
	if b = w.term(b, m.Result); m.Nested != nil {
		b = w.term(b, m.Nested)
	}
	if !m.Declassifies.Public() {
		b = wire.AppendTexts(b, m.Declassifies.Tags())
	}
	b = wire.AppendCount(b, len(m.Params))
	for k := range m.Params {
		p := &m.Params[k]
		b = wire.AppendText(wire.AppendText(b, p.Name), p.Bind)
		var flags uint64
		for bit, v := range paramFlags(p) {
			if *v {
				flags |= 1 << bit
			}
		}
		b = wire.AppendUint(b, flags)
		b = w.term(w.term(b, p.Want), p.Lambda)
	}
	return w.methods.add(b)
}

func (w *catalogWriter) term(b []byte, t *Term) []byte {
	return wire.AppendCount(b, w.terms.add(appendTerm(nil, t)))
}

func paramFlags(p *Param) [9]*bool {
	return [...]*bool{&p.Plain, &p.Filter, &p.Many, &p.Null, &p.Opt, &p.Count, &p.Fixed, &p.Static, &p.Ident}
}
