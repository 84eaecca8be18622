package exo

import "strconv"

// began refuses to begin a call where those before it have read too much already.
func (s *Session) began(e *pending) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gate.overspent(s.known(e))
}

// spend counts what one call reads. The budget of the run is settled in call
// order, when replies are delivered (Next): which of two concurrent calls finds it
// empty must not depend on which was faster.
func (s *Session) spend(e *pending, rows, bytes int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.spent.rows += rows
	e.spent.bytes += bytes
	known := s.known(e)
	known.add(e.spent)
	if err := s.gate.overspent(known); err != nil {
		return err
	}
	return nil
}

// known is what calls before e are known by now to have read. It never counts more
// than the sum in call order, by which Next decides: so how fast calls are can
// spare work, and never changes an answer. It is found anew at each use, since calls
// that act at one time would otherwise each read what the run may. s.mu is held.
func (s *Session) known(e *pending) spent {
	k := s.spent
	for _, o := range s.queue {
		if o == e {
			break
		}
		k.add(o.spent)
	}
	return k
}

// spent is what was read, of the budgets for reading.
type spent struct{ rows, bytes int }

func (x *spent) add(y spent) { x.rows, x.bytes = x.rows+y.rows, x.bytes+y.bytes }

func (g *Gate) overspent(x spent) error {
	if l := g.limits.Rows; x.rows > l {
		return Errorf(Limit, "", "%s", g.catalog.Say(nil, "limit.read", "more than {most} records were read; ask for fewer", "most", strconv.Itoa(l)))
	}
	if l := g.limits.Bytes; x.bytes > l {
		return Errorf(Limit, "", "%s", g.catalog.Say(nil, "limit.bytes", "more than {most} bytes were read; ask for less", "most", strconv.Itoa(l)))
	}
	return nil
}
