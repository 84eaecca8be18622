package shape

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/scope"
)

// shaper makes, in one walk, the input of the compiler and the key of its plans. The compiler gets
// a copy of a grant. Each field of the copy is the result of a shaper's method, which also writes
// the field into the key. A field that the walk forgets is zero in the copy, so the compiler fails.
// If only the key lacked it, one grant would get another's plan, with its rows (TestShapeKey).
//
// Neither the key nor the copy has values. For each value they have the kind, and the place among
// the arguments.
//
// The key is a sequence of numbers and of texts. Each text and each list begins with its length, so
// no two grants have one key.
type shaper struct {
	key  []byte
	vals []value.Value
	from []valueAt // from has the place of each value
}

// valueAt is the place of a value: value number i of a condition, or the number in a step.
type valueAt struct {
	in any
	i  int
}

func (s *shaper) uint(n uint64) uint64 {
	s.key = binary.AppendUvarint(s.key, n)
	return n
}

func (s *shaper) len(n int) int { return int(s.uint(uint64(n))) }

func (s *shaper) flag(b bool) bool {
	n := uint64(0)
	if b {
		n = 1
	}
	return s.uint(n) == 1
}

func (s *shaper) text(t string) string {
	s.len(len(t))
	s.key = append(s.key, t...)
	return t
}

func (s *shaper) label(l value.Label) value.Label {
	tags := l.Tags()
	s.len(len(tags))
	for _, tag := range tags {
		s.text(tag)
	}
	return l
}

// table writes the ID of a declaration, which represents all of it in the key, and so freezes the declaration.
func (s *shaper) table(t *decl.Table) *decl.Table {
	if t == nil {
		s.uint(0)
		return nil
	}
	t.Freeze()
	s.uint(t.ID)
	return t
}

func (s *shaper) column(c *decl.Column) *decl.Column {
	if c == nil {
		s.uint(0)
		return nil
	}
	s.table(c.Table)
	s.len(c.Index)
	return c
}

func (s *shaper) link(l *decl.Link) *decl.Link {
	if l == nil {
		s.uint(0)
		return nil
	}
	s.uint(l.ID)
	l.From.Freeze()
	l.To.Freeze()
	return l
}

func (s *shaper) value(v value.Value, from valueAt) decl.Held {
	s.vals, s.from = append(s.vals, v), append(s.from, from)
	return decl.Held{Kind: s.text(v.Type()), Slot: len(s.vals) - 1}
}

func (s *shaper) pred(p *decl.Pred) *decl.Pred {
	if !s.flag(p != nil) {
		return nil
	}
	q := &decl.Pred{Op: s.text(p.Op), Col: s.column(p.Col)}
	for range s.len(len(p.Vals)) {
		q.Args = append(q.Args, s.value(p.Vals[len(q.Args)], valueAt{p, len(q.Args)}))
	}
	for range s.len(len(p.Subs)) {
		q.Subs = append(q.Subs, s.pred(p.Subs[len(q.Subs)]))
	}
	return q
}

func (s *shaper) search(x *decl.Search) *decl.Search {
	if !s.flag(x != nil) {
		return nil
	}
	y := &decl.Search{Table: s.table(x.Table)}
	for range s.len(len(x.Cols)) {
		y.Cols = append(y.Cols, s.column(x.Cols[len(y.Cols)]))
	}
	return y
}

func (s *shaper) measure(m *decl.Measure) *decl.Measure {
	if !s.flag(m != nil) {
		return nil
	}
	return &decl.Measure{Name: s.text(m.Name), Func: s.text(m.Func), Col: s.column(m.Col), Where: s.pred(m.Where), Num: s.measure(m.Num), Den: s.measure(m.Den)}
}

// relation copies a chain, from its end to its grant.
func (s *shaper) relation(r *decl.Relation) *decl.Relation {
	if !s.flag(r != nil) {
		return nil
	}
	q := &decl.Relation{Kind: decl.StepKind(s.uint(uint64(r.Kind))), Table: s.table(r.Table), Pred: s.pred(r.Pred), Link: s.link(r.Link)}
	for range s.len(len(r.Order)) {
		o := r.Order[len(q.Order)]
		q.Order = append(q.Order, decl.Ordering{Col: s.column(o.Col), Desc: s.flag(o.Desc)})
	}
	q.Search = s.search(r.Search)
	if r.Kind == decl.StepSearch {
		q.Slot = s.value(value.Text(r.Text), valueAt{r, 0}).Slot
	}
	if r.Kind == decl.StepLimit || r.Kind == decl.StepOffset {
		q.Slot = s.value(value.Int(r.N), valueAt{r, 0}).Slot
	}
	q.Prev = s.relation(r.Prev)
	return q
}

// scopes copies a set in the order in which the tables were declared, so that equal grants have
// equal keys.
func (s *shaper) scopes(ss scope.Scopes) scope.Scopes {
	out := scope.Scopes{}
	s.len(len(ss))
	for _, t := range slices.SortedFunc(maps.Keys(ss), func(a, b *decl.Table) int { return cmp.Compare(a.ID, b.ID) }) {
		d := ss[t]
		out[s.table(t)] = &decl.Scope{Kind: decl.ScopeKind(s.uint(uint64(d.Kind))), Table: s.table(d.Table), Pred: s.pred(d.Pred), Link: s.link(d.Link)}
	}
	return out
}

// copied has the copies of a group's facets, and the values of their measures. All grants of these
// facets share it, so the compiler must not change it.
type copied struct {
	shape  uint64 // shape is the ID of the facets' key
	place  map[*decl.Facet]int
	copies []*decl.Facet
	vals   []value.Value
	from   []valueAt
}

// facet returns the copy of a facet, which links to copies of the facets that it reaches. With copies for each grant, N grants
// of N facets would cost N². facet is called before the rest of a grant is written, so the values of measures come first.
func (s *shaper) facet(f *decl.Facet) (*decl.Facet, error) {
	made, err := f.Shared(func(reach []*decl.Facet) any {
		var own shaper
		c := &copied{place: map[*decl.Facet]int{}, copies: own.facets(reach)}
		for i, x := range reach {
			c.place[x] = i
		}
		c.shape, c.vals, c.from = shapeID("facets "+string(own.key)), own.vals, own.from
		return c
	})
	if err != nil {
		return nil, err
	}
	c := made.(*copied)
	s.uint(c.shape)
	s.vals, s.from = append(s.vals, c.vals...), append(s.from, c.from...)
	return c.copies[s.len(c.place[f])], nil
}

// facets copies a group of facets that link only to each other.
func (s *shaper) facets(reach []*decl.Facet) []*decl.Facet {
	place := make(map[*decl.Facet]int, len(reach))
	copies := make([]*decl.Facet, s.len(len(reach)))
	for i, f := range reach {
		place[f], copies[i] = i, &decl.Facet{}
	}
	for i, f := range reach {
		c := copies[i]
		c.Alias, c.Table = s.text(f.Alias), s.table(f.Table)
		for range s.len(len(f.Cols)) {
			c.Cols = append(c.Cols, s.column(f.Cols[len(c.Cols)]))
		}
		for range s.len(len(f.Links)) {
			m := f.Links[len(c.Links)]
			c.Links = append(c.Links, decl.LinkMember{L: s.link(m.L), To: copies[s.len(place[m.To])]})
		}
		c.Rights = s.rights(f.Rights)
		c.Search = s.search(f.Search)
		for range s.len(len(f.Measures)) {
			c.Measures = append(c.Measures, s.measure(f.Measures[len(c.Measures)]))
		}
	}
	return copies
}

func (s *shaper) rights(r decl.Rights) decl.Rights {
	var c decl.Rights
	for range s.len(len(r.Insert)) {
		c.Insert = append(c.Insert, s.column(r.Insert[len(c.Insert)]))
	}
	for range s.len(len(r.Update)) {
		c.Update = append(c.Update, s.column(r.Update[len(c.Update)]))
	}
	c.Delete, c.Wary, c.Admits = s.flag(r.Delete), s.flag(r.Wary), s.label(r.Admits)
	for range s.len(len(r.Permits)) {
		p := r.Permits[len(c.Permits)]
		c.Permits = append(c.Permits, decl.Permission{Kind: decl.PermissionKind(s.uint(uint64(p.Kind))), On: s.text(p.On), Of: s.text(p.Of)})
	}
	for range s.len(len(r.Approvals)) { // otherwise a facet with approvals would share plans with one that has none
		a := r.Approvals[len(c.Approvals)]
		to := decl.Approval{Always: s.flag(a.Always), Counted: s.flag(a.Counted), Over: int64(s.uint(uint64(a.Over))), Delete: s.flag(a.Delete)}
		to.Who = changeset.Who{By: changeset.By(s.text(string(a.Who.By))), Least: changeset.Least(s.text(string(a.Who.Least)))}
		for range s.len(len(a.Columns)) {
			to.Columns = append(to.Columns, s.column(a.Columns[len(to.Columns)]))
		}
		c.Approvals = append(c.Approvals, to)
	}
	return c
}

// grant returns everything that the compiler gets of an object: the facet, the relation, the scopes
// of all tables, and those of the relation's chain.
func (s *shaper) grant(f *decl.Facet, rel *decl.Relation, every, chain scope.Scopes) (scope.Grant, error) {
	copied, err := s.facet(f)
	if err != nil {
		return scope.Grant{}, err
	}
	return scope.Grant{Facet: copied, Rel: s.relation(rel), Scopes: s.scopes(every), Chain: s.scopes(chain)}, nil
}

// Chain returns a chain of typed calls in the form in which its plan is cached: a copy without values, the scopes of
// its tables, and the values. key begins with start. links are those that a write checks for the keys that it writes.
func Chain(start []byte, r *decl.Relation, ss scope.Scopes, links []decl.LinkMember) (key []byte, chain *decl.Relation, scopes scope.Scopes, vals []value.Value) {
	s := shaper{key: start}
	chain = s.relation(r)
	scopes = s.scopes(ss)
	s.len(len(links))
	for _, m := range links { // a link that is declared later needs another plan
		s.link(m.L)
	}
	return s.key, chain, scopes, s.vals
}

// shapeIDs numbers the shapes of grants, so that plan keys stay short. A shape has no values, so facets that are built again
// for each request have one shape. A host that declares tables again for each request makes more and more shapes: above
// maxShapes all are forgotten. Numbers are never reused, so a forgotten shape gets a new one, and its plans are made again.
var (
	shapeMu   sync.Mutex
	shapeIDs  = map[string]uint64{}
	shapeNext atomic.Uint64
)

const maxShapes = 1 << 14

func shapeID(s string) uint64 {
	shapeMu.Lock()
	defer shapeMu.Unlock()
	id, ok := shapeIDs[s]
	if !ok {
		if len(shapeIDs) >= maxShapes {
			clear(shapeIDs)
		}
		id = shapeNext.Add(1)
		shapeIDs[s] = id
	}
	return id
}
