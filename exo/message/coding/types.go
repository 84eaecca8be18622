package coding

// This file writes types and terms and reads them back, for a guest in another process; grants.go does it for a catalogue.

import (
	"maps"
	"slices"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/wire"
)

// crossing writes declarations or reads them back: types here, the catalogue in grants.go. One walk serves both
// directions, so they can't differ. The guest trusts what it reads from its host: of two members with one name it keeps
// the last. Documentation of members is not written.
type crossing struct {
	from *value.Decoder // the source of reading; nil when crossing writes
	b    []byte         // the bytes written so far
}

// WriteType writes a type, which may be nil, without its documentation.
func WriteType(e *value.Encoder, t *message.Type) {
	c := crossing{b: e.B}
	c.typ(&t, 0)
	e.B = c.b
}

// ReadType reads what WriteType writes.
func ReadType(d *value.Decoder) (t *message.Type) {
	c := crossing{from: d}
	if c.typ(&t, 0); d.Err() != nil {
		return nil
	}
	return t
}

func (c *crossing) text(s *string) {
	if c.from != nil {
		*s = c.from.Text()
	} else {
		c.b = wire.AppendText(c.b, *s)
	}
}

func (c *crossing) texts(ss *[]string) {
	if c.from != nil {
		*ss = c.from.Texts()
	} else {
		c.b = wire.AppendTexts(c.b, *ss)
	}
}

func (c *crossing) int(i *int64) {
	if c.from != nil {
		*i = c.from.Int()
	} else {
		c.b = wire.AppendInt(c.b, *i)
	}
}

// upTo writes n, or reads a number between 0 and most.
func (c *crossing) upTo(n int, most uint64) int {
	if c.from != nil {
		return c.from.UpTo(most)
	}
	c.b = wire.AppendCount(c.b, n)
	return n
}

// flags writes or reads a number less than base, and above it one bit for each boolean in the list are, in order. Writing changes none of them.
func (c *crossing) flags(low, base int, are ...*bool) int {
	n := low
	for i, is := range are {
		if *is {
			n += base << i
		}
	}
	if n = c.upTo(n, uint64(base)<<len(are)-1); c.from != nil {
		for i, is := range are {
			*is = n/base>>i&1 == 1
		}
	}
	return n % base
}

// label writes or reads a label that may have no tag.
func (c *crossing) label(l *value.Label) {
	tags := l.Tags()
	if c.texts(&tags); c.from != nil {
		*l = value.NewLabel(tags...)
	}
}

// tags writes or reads a label that has tags, if follow is set. It refuses a label without tags, or with tags in another order, since that would be a
// second encoding.
func (c *crossing) tags(follow bool, l *value.Label) {
	if !follow {
		return
	}
	tags := l.Tags()
	if c.texts(&tags); c.from == nil {
		return
	}
	if *l = value.NewLabel(tags...); !slices.Equal(tags, l.Tags()) || len(tags) == 0 {
		c.from.Fail("tags of a label out of order")
	}
}

// count writes or reads how many parts follow. least is the least size of one part in bytes.
func (c *crossing) count(n, least int) int {
	if c.from != nil {
		return c.from.Count(least)
	}
	c.b = wire.AppendCount(c.b, n)
	return n
}

func listed[T any](c *crossing, list *[]T, least int, item func(*T)) {
	n := c.count(len(*list), least)
	if c.from != nil {
		*list = make([]T, 0, min(n, wire.Ahead))
	}
	for i := range n {
		if c.from != nil {
			*list = append(*list, *new(T))
		}
		if item(&(*list)[i]); c.from != nil && c.from.Err() != nil {
			return
		}
	}
}

// named writes or reads a map, sorted by name.
func named[T any](c *crossing, m *map[string]T, least int, value func(*T)) {
	names := slices.Sorted(maps.Keys(*m))
	n := c.count(len(names), least)
	if c.from != nil {
		*m = make(map[string]T, min(n, wire.Ahead))
	}
	for i := range n {
		var name string
		if c.from == nil {
			name = names[i]
		}
		v := (*m)[name]
		c.text(&name)
		if value(&v); c.from == nil {
			continue
		}
		if (*m)[name] = v; c.from.Err() != nil {
			return
		}
	}
}

// opened returns *p for writing, or a new T for reading. If *p is nil, opened writes that and returns false for ok, and nothing more follows.
func opened[T any](c *crossing, p **T, depth int) (t *T, ok bool) {
	if c.from == nil {
		if *p == nil {
			c.b = append(c.b, 0)
		}
		return *p, *p != nil
	}
	if depth > value.MaxDepth {
		c.from.Fail("a declaration that is nested too deeply")
	}
	return new(T), c.from.Err() == nil
}

// follow writes or reads a bit that reports whether t exists, and above it a bit for each part of t that follows.
func follow[T any](c *crossing, p **T, t *T, are ...*bool) bool {
	there := c.flags(1, 2, are...) == 1
	for _, is := range are {
		if !there && *is {
			c.from.Fail("parts of nothing")
		}
	}
	if c.from != nil && there {
		*p = t
	}
	return there
}

func (c *crossing) typ(p **message.Type, depth int) {
	t, ok := opened(c, p, depth)
	if !ok {
		return
	}
	args, fields, enum, bounds := t.Args != nil, t.Fields != nil, t.Enum != nil, t.Min != 0 || t.Max != 0
	if !follow(c, p, t, &t.Null, &args, &fields, &enum, &bounds) {
		return
	}
	c.text(&t.Name)
	if args {
		named(c, &t.Args, 2, func(t **message.Type) { c.typ(t, depth+1) })
	}
	if fields {
		listed(c, &t.Fields, 3, func(f *message.TypeField) {
			c.text(&f.Name)
			sealed, admits := !f.Label.Empty(), !f.Admits.Empty()
			c.flags(0, 1, &f.Opt, &f.Trusted, &sealed, &admits)
			c.typ(&f.Type, depth+1)
			c.tags(sealed, &f.Label)
			c.tags(admits, &f.Admits)
		})
	}
	if enum {
		c.texts(&t.Enum)
	}
	if bounds {
		c.int(&t.Min)
		c.int(&t.Max)
	}
}

func (c *crossing) term(p **message.Term, depth int) {
	t, ok := opened(c, p, depth)
	if !ok {
		return
	}
	isVar, con, ext, app, args := t.Var != "", t.Con != nil, t.Ext != nil, t.App != "", t.Args != nil
	key, of, wide, to, name, own := t.Key != "", t.Of != nil, t.Wide != nil, t.To != nil, t.Name != "", t.Own != nil
	if !follow(c, p, t, &t.Null, &t.Bare, &isVar, &con, &ext, &app, &args, &key, &of, &wide, &to, &name, &own) {
		return
	}
	inner := func(t **message.Term) { c.term(t, depth+1) }
	text := func(follows bool, s *string) {
		if follows {
			c.text(s)
		}
	}
	text(isVar, &t.Var)
	if con {
		c.typ(&t.Con, 0)
	}
	if ext {
		listed(c, &t.Ext, 1, inner)
	}
	text(app, &t.App)
	if args {
		named(c, &t.Args, 2, inner)
	}
	text(key, &t.Key)
	if of {
		inner(&t.Of)
	}
	if wide {
		listed(c, &t.Wide, 1, inner)
	}
	if to {
		named(c, &t.To, 2, c.text)
	}
	text(name, &t.Name)
	if own {
		inner(&t.Own)
	}
}
