package coding

// This file writes the grants with their catalogue, and reads them back.

import (
	"bytes"
	"compress/flate"
	"io"
	"maps"
	"slices"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/wire"
)

// WriteGrants writes the names that a run was granted and the catalogue of what can be done with
// them, in a fixed order. It leaves out the documentation of members, which only readers of
// declarations need.
func WriteGrants(e *value.Encoder, granted []message.GrantedName, catalog message.Catalog) {
	c := crossing{b: e.B}
	c.grants(&granted, &catalog)
	e.B = c.b
}

// ReadGrants reads what WriteGrants writes.
func ReadGrants(d *value.Decoder) (granted []message.GrantedName, catalog message.Catalog) {
	c := crossing{from: d}
	c.grants(&granted, &catalog)
	return granted, catalog
}

func (c *crossing) grants(granted *[]message.GrantedName, catalog *message.Catalog) {
	listed(c, granted, 3, func(g *message.GrantedName) {
		c.text(&g.Name)
		if id := c.upTo(int(g.ID), 1<<32-1); c.from != nil {
			g.ID = uint32(id)
		}
		c.typ(&g.Type, 0)
	})
	c.catalog(catalog)
}

// once writes an item the first time, and later only its number, since the interfaces of columns
// share most methods. When reading, each item is made once.
type once[T any] struct {
	walk  func(*crossing, *T)
	index map[string]int // the number of each item, by the bytes that it is written as
	all   []byte         // the written items, in order
	made  []T            // the items that were read, when reading
}

func (o *once[T]) cross(c *crossing, v *T) {
	if c.from != nil {
		if n := c.upTo(0, uint64(len(o.made))); n < len(o.made) {
			*v = o.made[n]
		} else {
			c.from.Fail("no such number")
		}
		return
	}
	var in crossing
	o.walk(&in, v)
	n, ok := o.index[string(in.b)]
	if !ok {
		if o.index == nil {
			o.index = map[string]int{}
		}
		n = len(o.index)
		o.index[string(in.b)] = n
		o.all = append(o.all, in.b...)
	}
	c.b = wire.AppendCount(c.b, n)
}

// table writes or reads the list of all items.
func (o *once[T]) table(c *crossing, least int) {
	if c.from != nil {
		listed(c, &o.made, least, func(v *T) { o.walk(c, v) })
		return
	}
	c.b = append(wire.AppendCount(c.b, len(o.index)), o.all...)
}

func (c *crossing) catalog(catalog *message.Catalog) {
	types := &once[*message.Type]{walk: func(c *crossing, t **message.Type) { c.typ(t, 0) }}
	terms := &once[*message.Term]{walk: func(c *crossing, t **message.Term) { c.term(t, 0) }}
	methods := &once[*message.Method]{walk: func(c *crossing, m **message.Method) {
		if c.from != nil {
			*m = &message.Method{}
		}
		c.method(*m, terms)
	}}
	words := &once[message.Words]{walk: func(c *crossing, w *message.Words) { c.text(&w.Lines) }}
	all := slices.Sorted(maps.Keys(*catalog))
	var body crossing
	iface := func(c *crossing, i *message.Interface) {
		c.text(&i.Name)
		c.text(&i.Doc) // written, although it is documentation, since error messages contain it
		c.texts(&i.Is)
		listed(c, &i.Words, 1, func(w *message.Words) { words.cross(c, w) })
		keys, sealed, many := i.Keys != "", !i.Label.Empty(), i.Many != ""
		if c.flags(0, 1, &i.Expr, &keys, &sealed, &many); keys {
			c.text(&i.Keys)
		}
		if many {
			c.text(&i.Many)
		}
		if sealed {
			c.label(&i.Label)
		}
		c.text(&i.Await)
		c.text(&i.Call)
		c.texts(&i.Order)
		named(c, &i.Fields, 3, func(f **message.Property) {
			if c.from != nil {
				*f = &message.Property{}
			}
			types.cross(c, &(*f).Type)
			c.label(&(*f).Label)
		})
		named(c, &i.Methods, 2, func(m **message.Method) { methods.cross(c, m) })
	}
	for _, name := range all { // when reading, all is empty. The shared parts are written before the interfaces
		iface(&body, (*catalog)[name])
	}
	types.table(c, 1)
	terms.table(c, 1)
	methods.table(c, 8)
	words.table(c, 1)
	if c.from == nil {
		c.b = append(wire.AppendCount(c.b, len(all)), body.b...)
		return
	}
	n := c.from.Count(7)
	*catalog = make(message.Catalog, n)
	for range n {
		i := &message.Interface{}
		iface(c, i)
		(*catalog)[i.Name] = i
	}
}

func (c *crossing) method(m *message.Method, terms *once[*message.Term]) {
	c.text(&m.Name)
	c.text(&m.Truth)
	for _, is := range []*bool{&m.Sends, &m.Row, &m.Sink} {
		c.flags(0, 1, is)
	}
	nested, declassifies := m.Nested != nil, !m.Declassifies.Empty()
	mode := message.EffectMode(c.flags(int(m.Effect), int(message.EffectModes), &nested, &declassifies, &m.Total, &m.Trusted, &m.Fresh, &m.Measure, &m.Whole))
	if c.from != nil {
		m.Effect = mode
	}
	c.label(&m.Label)
	c.label(&m.Admits)
	c.label(&m.Reply)
	if terms.cross(c, &m.Result); nested {
		terms.cross(c, &m.Nested)
	}
	c.tags(declassifies, &m.Declassifies)
	listed(c, &m.Params, 5, func(p *message.Param) {
		c.text(&p.Name)
		c.text(&p.Bind)
		c.flags(0, 1, &p.Plain, &p.Filter, &p.Many, &p.Null, &p.Opt, &p.Count, &p.Fixed, &p.Static, &p.Ident)
		terms.cross(c, &p.Want)
		terms.cross(c, &p.Lambda)
	})
}

// PackGrants returns the granted names and the catalogue, compressed, for a record. UnpackGrants reads them back.
func PackGrants(c message.Catalog, granted []message.GrantedName) []byte {
	e := value.Encoder{B: []byte{wire.Encoding}}
	WriteGrants(&e, granted, c)
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestCompression) // no error: BestCompression is a valid level
	_, _ = w.Write(e.B)                                // a bytes.Buffer returns no error
	_ = w.Close()
	return b.Bytes()
}

// maxPacked bounds the bytes of unpacked grants. For 2,000 tables they are a few MiB.
const maxPacked = 64 << 20

// UnpackGrants reads what PackGrants wrote.
func UnpackGrants(b []byte) (granted []message.GrantedName, catalog message.Catalog, err error) {
	all, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b)), maxPacked))
	if err != nil {
		return nil, nil, value.Malformed("catalogue", err)
	}
	d := value.Decoder{Reader: wire.NewReader(string(all)), Values: maxPacked}
	d.Version()
	granted, catalog = ReadGrants(&d)
	return granted, catalog, value.Malformed("catalogue", d.Done())
}

// PackTypes returns the types of the objects of a reply, for a record. UnpackTypes reads them back.
func PackTypes(types []*message.Type) []byte {
	c := crossing{b: []byte{wire.Encoding}}
	listed(&c, &types, 1, func(t **message.Type) { c.typ(t, 0) })
	return c.b
}

// UnpackTypes reads what PackTypes wrote.
func UnpackTypes(b []byte) (types []*message.Type, err error) {
	d := value.Decoder{Reader: wire.NewReader(string(b)), Values: len(b)}
	d.Version()
	c := crossing{from: &d}
	listed(&c, &types, 1, func(t **message.Type) { c.typ(t, 0) })
	return types, value.Malformed("type", d.Done())
}

// DigestGrants returns the digest of the names that a run was granted and of what can be done with
// their objects. Which rows an object shows does not change the digest.
func DigestGrants(c message.Catalog, granted []message.GrantedName) value.Digest {
	d, _ := value.DigestOf('c', func(e *value.Encoder) { WriteGrants(e, granted, c) }) // no error: only a value can lack an encoding, and a catalogue has none
	return d
}
