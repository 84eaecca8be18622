package exo

import (
	"maps"
	"slices"

	"github.com/exoagent/exoagent/internal/wire"
)

// Parts of a type: which of them follow.
const (
	typeThere = 1 << iota
	typeNull
	typeArgs
	typeFields
	typeEnum
	typeRange
	typeAll = 1<<iota - 1
)

// part is whether the part of a type or term that the bit stands for follows.
type part struct {
	bit   int
	there bool
}

func appendParts(b []byte, parts ...part) []byte {
	has := 0
	for _, p := range parts {
		if p.there {
			has |= p.bit
		}
	}
	return wire.AppendCount(b, has)
}

// Type writes a type, nil included. Documentation is not written.
func (e *Encoder) Type(t *Type) { e.B = appendType(e.B, t) }

func appendType(b []byte, t *Type) []byte {
	if t == nil {
		return append(b, 0)
	}
	b = appendParts(b, part{typeThere, true}, part{typeNull, t.Null}, part{typeArgs, t.Args != nil}, part{typeFields, t.Fields != nil}, part{typeEnum, t.Enum != nil}, part{typeRange, t.Min != 0 || t.Max != 0})
	b = wire.AppendText(b, t.Name)
	if t.Args != nil {
		b = wire.AppendCount(b, len(t.Args))
		for _, n := range slices.Sorted(maps.Keys(t.Args)) {
			b = appendType(wire.AppendText(b, n), t.Args[n])
		}
	}
	if t.Fields != nil {
		b = wire.AppendCount(b, len(t.Fields))
		for i := range t.Fields {
			f := &t.Fields[i]
			b = appendType(appendParts(wire.AppendText(b, f.Name), part{fieldOpt, f.Opt}, part{fieldTrusted, f.Trusted}, part{fieldLabel, !f.Label.Public()}, part{fieldAdmits, !f.Admits.Public()}), f.Type)
			for _, l := range []Label{f.Label, f.Admits} {
				if !l.Public() {
					b = wire.AppendTexts(b, l.Tags())
				}
			}
		}
	}
	if t.Enum != nil {
		b = wire.AppendTexts(b, t.Enum)
	}
	if t.Min != 0 || t.Max != 0 {
		b = wire.AppendInt(wire.AppendInt(b, t.Min), t.Max)
	}
	return b
}

// Parts of a field of a type.
const (
	fieldOpt = 1 << iota
	fieldTrusted
	fieldLabel
	fieldAdmits
	fieldAll = 1<<iota - 1
)

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
	termName
	termOwn
	termAll = 1<<iota - 1
)

func appendTerm(b []byte, t *Term) []byte {
	if t == nil {
		return append(b, 0)
	}
	b = appendParts(b, part{termThere, true}, part{termNull, t.Null}, part{termBare, t.Bare}, part{termVar, t.Var != ""}, part{termCon, t.Con != nil}, part{termExt, t.Ext != nil},
		part{termApp, t.App != ""}, part{termArgs, t.Args != nil}, part{termKey, t.Key != ""}, part{termOf, t.Of != nil}, part{termWide, t.Wide != nil}, part{termTo, t.To != nil},
		part{termName, t.Name != ""}, part{termOwn, t.Own != nil})
	if t.Var != "" {
		b = wire.AppendText(b, t.Var)
	}
	if t.Con != nil {
		b = appendType(b, t.Con)
	}
	if t.Ext != nil {
		b = appendTerms(b, t.Ext)
	}
	if t.App != "" {
		b = wire.AppendText(b, t.App)
	}
	if t.Args != nil {
		b = wire.AppendCount(b, len(t.Args))
		for _, n := range slices.Sorted(maps.Keys(t.Args)) {
			b = appendTerm(wire.AppendText(b, n), t.Args[n])
		}
	}
	if t.Key != "" {
		b = wire.AppendText(b, t.Key)
	}
	if t.Of != nil {
		b = appendTerm(b, t.Of)
	}
	if t.Wide != nil {
		b = appendTerms(b, t.Wide)
	}
	if t.To != nil {
		b = wire.AppendCount(b, len(t.To))
		for _, n := range slices.Sorted(maps.Keys(t.To)) {
			b = wire.AppendText(wire.AppendText(b, n), t.To[n])
		}
	}
	if t.Name != "" {
		b = wire.AppendText(b, t.Name)
	}
	if t.Own != nil {
		b = appendTerm(b, t.Own)
	}
	return b
}

func appendTerms(b []byte, ts []*Term) []byte {
	b = wire.AppendCount(b, len(ts))
	for _, t := range ts {
		b = appendTerm(b, t)
	}
	return b
}
