package exo

import (
	"slices"
	"strings"
)

// distrust says why a run that has read what outsiders wrote may not ask for m: an instruction that was hidden there
// may have chosen the call, whatever the model made of it. What acts on the world is refused unless it admits
// the tag; a write is kept unless it sets a field that demands trust. Reads are never refused.
func (s *Session) distrust(m *Message, has, admits Label) error {
	if has.Public() {
		return nil
	}
	const why = "this program has read what outsiders wrote (%s), and %s: do it without reading that, or in a program of its own"
	meth := m.Root.method
	if (meth.Effect == Held || meth.Effect == Immediate) && !has.FlowsTo(admits) {
		return Errorf(Denied, s.opName(m.Root), why, s.taints(has.without(admits)), "what it asks for here could be asked for by them")
	}
	for i, a := range m.Root.Args {
		if name := demands(meth.Params[i].Want.Con, a); name != "" {
			return Errorf(Denied, s.opName(m.Root), why, s.taints(has), name+" could be chosen by them")
		}
	}
	return nil
}

// tainted notes by which message the run got tags of integrity: they hide nothing, so a program may be told.
func (s *Session) tainted(l Label, m *Message) {
	op := s.opName(m.Root)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taint == nil {
		s.taint = map[string]string{}
	}
	for _, t := range l.Tags() {
		s.taint[t] = op
	}
}

// taints lists tags, each with what the program got it by.
func (s *Session) taints(l Label) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	tags := l.Tags()
	for i, t := range tags {
		if op := s.taint[t]; op != "" {
			tags[i] = t + ", by " + op
		}
	}
	return strings.Join(tags, "; ")
}

// demands names a field that demands trust and that the argument gives, "" if there is none.
func demands(t *Type, n *Node) string {
	if name := t.trusting(); name == "" || n.Op == OpLit {
		if name != "" {
			name = gives(t, n.Lit)
		}
		return name
	}
	switch {
	case n.Op == OpLambda:
		return demands(t, n.Args[0])
	case n.Op == OpRecord && t.Name == TypeRecord:
		for i, name := range n.Names {
			if k := slices.IndexFunc(t.Fields, func(f TypeField) bool { return f.Name == name }); k >= 0 {
				if t.Fields[k].Trusted {
					return name
				}
				if name := demands(t.Fields[k].Type, n.Args[i]); name != "" {
					return name
				}
			}
		}
		return ""
	case n.Op == OpList && t.Name == TypeList:
		for _, a := range n.Args {
			if name := demands(t.Args["of"], a); name != "" {
				return name
			}
		}
		return ""
	}
	return t.trusting() // it may give all of them
}

// gives is demands for a literal.
func gives(t *Type, v Value) string {
	if v.kind == kindNull || t.trusting() == "" {
		return ""
	}
	switch {
	case t.Name == TypeRecord && v.kind == kindRecord:
		for _, f := range t.Fields {
			x, given := v.Get(f.Name)
			if given && f.Trusted {
				return f.Name
			}
			if given {
				if name := gives(f.Type, x); name != "" {
					return name
				}
			}
		}
		return ""
	case t.Name == TypeList && v.kind == kindList:
		for i := range v.Len() {
			if name := gives(t.Args["of"], v.At(i)); name != "" {
				return name
			}
		}
		return ""
	}
	return t.trusting()
}

// trusting names a field of the type that demands trust, "" if there is none.
func (t *Type) trusting() string {
	if t == nil || len(t.Fields)+len(t.Args) == 0 {
		return ""
	}
	if names := t.Trusting(); len(names) > 0 {
		return names[0]
	}
	return ""
}
