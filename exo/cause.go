package exo

import (
	"cmp"
	"errors"
	"fmt"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"maps"
	"slices"
	"sort"
	"strings"
)

// Cause names the message that first brought the run a tag of its label, with the columns and the place in the program. It is for the host.
type Cause struct {
	Tag     string
	Call    uint64         // the number of the message; 0 if the run began with the tag
	Pos     fail.Pos       // the place of the call in the program, as the guest reports it; zero if it reports none, or one outside the program
	Op      string         // the operation as the program wrote it, shortened
	Read    []string       // the parts of the message that have the tag, like "Person.email"; empty if the method itself, or a sealed value, has it
	Origins []SealedOrigin // the messages that gave the run the sealed values with the tag
}

// SealedOrigin names the message that gave a program a sealed value in its reply.
type SealedOrigin struct {
	Call   uint64
	Pos    fail.Pos // the place of the message, as in Cause.Pos
	Op     string
	Column string // the column of the value, like "Person.email", if it is known
}

func (c Cause) String() string {
	if c.Call == 0 {
		return c.Tag + ": the run began with it"
	}
	s := c.Tag + ": by " + callAt(c.Call, c.Pos) + ", " + c.Op
	if len(c.Read) > 0 {
		s += ", which reads " + strings.Join(c.Read, ", ")
	}
	for i, g := range c.Origins {
		s += []string{", of a value", " and one"}[min(i, 1)] + " given by " + g.String()
	}
	return s
}

func (g SealedOrigin) String() string {
	s := callAt(g.Call, g.Pos) + ", " + g.Op
	if g.Column != "" {
		s += ", as " + g.Column
	}
	return s
}

// callAt names a call by its number and, if it has one, its place.
func callAt(call uint64, at fail.Pos) string {
	if at.Line == 0 {
		return fmt.Sprintf("call %d", call)
	}
	return fmt.Sprintf("call %d (line %d:%d)", call, at.Line, at.Column)
}

// place returns the place that a guest reports for its call, without the text; zero if the program can't have such a place. A guest that an
// attacker controls may report anything, so the place has a bounded size and decides nothing.
func (s *Session) place(p fail.Pos) fail.Pos {
	if most := s.length + 1; p.Line < 1 || p.Line > most || p.Column < 1 || p.Column > most {
		return fail.Pos{}
	}
	return fail.Pos{Line: p.Line, Column: p.Column}
}

// caused notes that message m brought the run the tags of l.
func (s *Session) caused(l value.Label, m *Message, e *pending) {
	op := s.opName(m.Root)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.causes == nil {
		s.causes = map[string]Cause{}
	}
	for _, t := range l.Tags() {
		c := Cause{Tag: t, Call: e.id, Pos: e.pos, Op: op, Read: m.reading(t)}
		from := tracer{s: s, tag: t}
		for _, v := range m.Args {
			from.visit(v)
		}
		c.Origins = from.list
		s.causes[t] = c
	}
}

// Causes explains each tag of the label that ReportableLabel gives, in the order of the run's messages. It also explains a tag that
// names one reader and has since merged into a tag that names several.
func (s *Session) Causes() []Cause {
	if s.begun() != nil {
		return nil
	}
	s.mu.Lock()
	l, last := s.decided()
	s.mu.Unlock()
	return s.causedUpTo(l, last)
}

// causedUpTo returns the causes of the tags of l, and of all other tags that the run has ever had. It leaves out causes after message last.
func (s *Session) causedUpTo(l value.Label, last uint64) (out []Cause) {
	s.mu.Lock()
	defer s.mu.Unlock()
	tags := slices.AppendSeq(l.Tags(), maps.Keys(s.causes))
	slices.Sort(tags)
	for _, t := range slices.Compact(tags) {
		c := s.causes[t]
		if c.Tag = t; c.Call <= last {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b Cause) int { return cmp.Compare(a.Call, b.Call) })
	return out
}

// because returns an error for the host that lists the causes of the tags of l, or nil if causes has none of them.
func because(l value.Label, causes []Cause) error {
	var why []string
	for _, c := range causes {
		if l.HasExactly(c.Tag) {
			why = append(why, c.String())
		}
	}
	if why == nil {
		return nil
	}
	return errors.New("exo: " + strings.Join(why, "; "))
}

// maxReading is the longest that a list of names in a Cause may be.
const maxReading = 8

// reading names the fields of a message that have a tag, like "Person.email", and the interfaces that have it.
func (m *Message) reading(tag string) (out []string) {
	seen := map[*message.Node]bool{}
	add := func(name string) {
		if len(out) < maxReading && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	var visit func(n *message.Node)
	visit = func(n *message.Node) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		if n.Op == message.OpField && n.Recv != nil && n.Recv.Type != nil {
			if i := m.Catalog[n.Recv.Type.Name]; i != nil && i.Fields[n.Name] != nil && i.Fields[n.Name].Label.HasExactly(tag) {
				add(i.Name + "." + n.Name)
			}
		}
		if n.Type != nil {
			if i := m.Catalog[n.Type.Name]; i != nil && i.Label.HasExactly(tag) {
				add(i.Name)
			}
		}
		visit(n.Recv)
		for _, a := range n.Args {
			visit(a)
		}
	}
	visit(m.Root)
	return out
}

// origins notes, for Cause, which message gave a run each of its sealed values. Only reports use these: no decision depends on them.
type origins struct {
	by     []origin
	fields []string // the field of each sealed value, by the number of the value
}

type origin struct {
	first   uint64 // the number of the reply's first sealed value
	given   SealedOrigin
	columns []message.LabelledColumn
}

// add notes that the sealed values in the reply of e came from e. The first of them has the number first. s.mu is held.
func (o *origins) add(s *Session, e *pending, first uint64) {
	if len(e.shows.cells) == 0 {
		return
	}
	o.by = append(o.by, origin{first, SealedOrigin{Call: e.id, Pos: e.pos, Op: s.opName(e.root)}, s.gate.catalog.LabelledIn(e.root)})
	o.fields = append(o.fields, e.shows.fields...)
}

// tracer finds the origins of sealed values that have a tag.
type tracer struct {
	s    *Session
	tag  string
	seen map[uint64]bool // the values already visited: without it, texts that each use the previous one twice would double the work with each call
	list []SealedOrigin
}

// visit adds the origins of the sealed values in v, and of the sealed values that a text in v was made of. s.mu is held.
func (t *tracer) visit(v value.Value) {
	for x := range v.All() {
		if l, sealed := x.Sealed(); !sealed || !l.HasExactly(t.tag) || len(t.list) == maxReading {
			continue
		}
		number := uint64(x.Number())
		if t.seen[number] || number >= uint64(len(t.s.contents)) {
			continue
		}
		if t.seen == nil {
			t.seen = map[uint64]bool{}
		}
		t.seen[number] = true
		os := &t.s.origins
		o := os.by[sort.Search(len(os.by), func(k int) bool { return os.by[k].first > number })-1]
		o.given.Column = o.column(os.fields[number], t.tag)
		if !slices.Contains(t.list, o.given) {
			t.list = append(t.list, o.given)
		}
		if r := t.s.contents[number].text; r != nil {
			for _, p := range r.parts {
				t.visit(p)
			}
		}
	}
}

// column names the columns that have the tag and that the reply shows in field. If it finds none, it names all columns of the message that have the tag.
func (o *origin) column(field, tag string) string {
	var own, all []string
	for _, c := range o.columns {
		if !c.Label.HasExactly(tag) {
			continue
		}
		if c.As == field && !slices.Contains(own, c.Name) {
			own = append(own, c.Name)
		}
		if !slices.Contains(all, c.Name) {
			all = append(all, c.Name)
		}
	}
	if own == nil {
		own = all
	}
	return strings.Join(own[:min(len(own), maxReading)], " and ")
}
