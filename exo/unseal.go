package exo

import "slices"

// recognize looks each sealed value in v up and joins their labels. A guest that was taken over names cells that it
// was never given, and calls them text, public or what it likes.
func (s *Session) recognize(v Value, into *Label) error {
	for x := range v.All() {
		l, sealed := x.Sealed()
		if !sealed {
			continue
		}
		s.mu.Lock()
		known := int(x.Number()) < len(s.sealed) && s.sealed[x.Number()].SealedType() == x.SealedType() && s.sealed[x.Number()].Label().Equal(l)
		s.mu.Unlock()
		if !known {
			return Errorf(Denied, "", "no such sealed value")
		}
		*into = into.Join(l)
	}
	return nil
}

// contentsOf is v with the content of each sealed value whose label flows to admits. recognize was asked.
func (s *Session) contentsOf(v Value, admits func(Label) bool) Value {
	return v.Replace(func(x Value) (Value, bool) {
		l, sealed := x.Sealed()
		if !sealed || !admits(l) {
			return x, false
		}
		s.mu.Lock()
		c := s.contents[x.Number()]
		s.mu.Unlock()
		return s.made(c, l), true
	})
}

// open is a message with the contents of all sealed values in it.
func (s *Session) open(x Expr) Expr {
	nodes := slices.Clone(x.Nodes)
	for i := range nodes {
		nodes[i].Lit = s.contentsOf(nodes[i].Lit, func(Label) bool { return true })
	}
	return Expr{nodes}
}

// Unseal is the result of the run as it may leave: of the sealed values in it those are opened whose labels
// Config.Admits admits, and l is what they carry. It fails where the program names one that it was not given.
func (s *Session) Unseal(result Value) (v Value, l Label, err error) {
	if err := s.begun(); err != nil {
		return Value{}, Label{}, err
	}
	if !result.HoldsSealed() {
		return result, Label{}, nil
	}
	if err := s.recognize(result, &l); err != nil {
		return Value{}, Label{}, err
	}
	opened := l.Integrity()
	v = s.contentsOf(result, func(of Label) bool {
		if !of.Secrecy().FlowsTo(s.gate.admits) {
			return false
		}
		opened = opened.Join(of)
		return true
	})
	return v, opened, nil
}
