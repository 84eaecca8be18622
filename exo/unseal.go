package exo

import "slices"

// recognize looks each sealed value in v up and joins their labels. A guest that was taken over names cells that it
// was never given, and calls them text, public or what it likes.
func (s *Session) recognize(v Value, into *Label) error {
	switch r := v.ref.(type) {
	case []Value:
		for _, x := range r {
			if err := s.recognize(x, into); err != nil {
				return err
			}
		}
	case []Field:
		for _, f := range r {
			if err := s.recognize(f.Value, into); err != nil {
				return err
			}
		}
	case *Rows:
		if r != nil {
			for _, x := range r.Cells {
				if err := s.recognize(x, into); err != nil {
					return err
				}
			}
		}
	}
	if v.kind != kindSealed {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if v.bits >= uint64(len(s.sealed)) || s.sealed[v.bits].str != v.str || !s.sealed[v.bits].label.Equal(v.label) {
		return Errorf(Denied, "", "no such sealed value")
	}
	*into = into.Join(v.label)
	return nil
}

// contentsOf is v with the content of each sealed value whose label flows to admits. recognize was asked.
func (s *Session) contentsOf(v Value, admits func(Label) bool) Value {
	switch r := v.ref.(type) {
	case []Value:
		if v.holdsSealed() {
			l := slices.Clone(r)
			for i := range l {
				l[i] = s.contentsOf(l[i], admits)
			}
			v.ref = l
		}
	case []Field:
		if v.holdsSealed() {
			fs := slices.Clone(r)
			for i := range fs {
				fs[i].Value = s.contentsOf(fs[i].Value, admits)
			}
			v.ref = fs
		}
	case *Rows:
		if v.holdsSealed() {
			c := *r
			c.Cells = slices.Clone(r.Cells)
			for i := range c.Cells {
				c.Cells[i] = s.contentsOf(c.Cells[i], admits)
			}
			v.ref = &c
		}
	}
	if v.kind != kindSealed || !admits(v.label) {
		return v
	}
	s.mu.Lock()
	content := s.contents[v.bits]
	s.mu.Unlock()
	return s.made(content)
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
	if !result.holdsSealed() {
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
