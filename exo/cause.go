package exo

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Cause says by which message a run first got a tag of its label. It is for the host: which of its tags a run has can be
// chosen by what it read.
type Cause struct {
	Tag  string
	Call uint64   // by its number; 0: the run began with it
	Op   string   // as the program wrote it, shortened
	Read []string // what in the message has the tag, like "Person.email"; none where the method itself, or a sealed value, has it
}

func (c Cause) String() string {
	switch {
	case c.Call == 0:
		return c.Tag + ": the run began with it"
	case len(c.Read) == 0:
		return fmt.Sprintf("%s: by call %d, %s", c.Tag, c.Call, c.Op)
	}
	return fmt.Sprintf("%s: by call %d, %s, which reads %s", c.Tag, c.Call, c.Op, strings.Join(c.Read, ", "))
}

// caused notes by which message the run got tags.
func (s *Session) caused(l Label, m *Message, call uint64) {
	op := s.opName(m.Root)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.causes == nil {
		s.causes = map[string]Cause{}
	}
	for _, t := range l.Tags() {
		s.causes[t] = Cause{t, call, op, m.reading(t)}
	}
}

// Causes says why the run has its label, in the order of its messages, and why it had tags that are part of others by now: of
// one reader, before it read of others.
func (s *Session) Causes() (out []Cause) {
	if s.begun() != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	tags := slices.AppendSeq(s.label.Tags(), maps.Keys(s.causes))
	slices.Sort(tags)
	for _, t := range slices.Compact(tags) {
		c := s.causes[t]
		c.Tag = t
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b Cause) int { return cmp.Compare(a.Call, b.Call) })
	return out
}

// because is why a run has tags, as an error for the host.
func (s *Session) because(l Label) error {
	var why []string
	for _, c := range s.Causes() {
		if l.Has(c.Tag) {
			why = append(why, c.String())
		}
	}
	if why == nil {
		return nil
	}
	return errors.New("exo: " + strings.Join(why, "; "))
}

// maxReading is how many of what a message reads a Cause names.
const maxReading = 8

// reading names what in a message has a tag: fields, as "Person.email", and interfaces.
func (m *Message) reading(tag string) (out []string) {
	seen := map[*Node]bool{}
	add := func(name string) {
		if len(out) < maxReading && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	var visit func(n *Node)
	visit = func(n *Node) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		if n.Op == OpField && n.Recv != nil && n.Recv.Type != nil {
			if i := m.catalog[n.Recv.Type.Name]; i != nil && i.Fields[n.Name] != nil && i.Fields[n.Name].Label.Has(tag) {
				add(i.Name + "." + n.Name)
			}
		}
		if n.Type != nil {
			if i := m.catalog[n.Type.Name]; i != nil && i.Label.Has(tag) {
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
