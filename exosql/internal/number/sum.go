package number

import "math/big"

// Sum is an exact sum. The zero Sum is that of no numbers.
type Sum struct {
	whole int64 // as long as it fits
	part  short // of numbers of few digits, as long as it fits
	rest  Decimal
	n     int
}

// Add takes one more number in the form in which SQLite holds it. What is no number is left out, as NULL is.
func (s *Sum) Add(x any) {
	if i, ok := x.(int64); ok {
		s.n++
		if t := s.whole + i; (t > s.whole) == (i > 0) {
			s.whole = t
			return
		}
		s.add(Decimal{big.NewInt(i), 0})
		return
	}
	if p, ok := shortOf(x); ok {
		s.n++
		if t, ok := s.part.plus(p); ok {
			s.part = t
			return
		}
		s.add(p.decimal())
		return
	}
	if d, ok := Read(x); ok {
		s.n++
		s.add(d)
	}
}

// Remove gives up a number that was added.
func (s *Sum) Remove(x any) {
	d, ok := Read(x)
	if !ok {
		return
	}
	if s.n--; s.n == 0 {
		*s = Sum{} // and not parts that cancel each other out
		return
	}
	if p, ok := shortOf(x); ok {
		if t, ok := s.part.plus(short{-p.coef, p.exp}); ok {
			s.part = t
			return
		}
	}
	if i, ok := x.(int64); ok {
		if t := s.whole - i; (t < s.whole) == (i > 0) {
			s.whole = t
			return
		}
	}
	s.add(Decimal{new(big.Int).Neg(d.Coef), d.Exp})
}

func (s *Sum) add(d Decimal) {
	if s.rest.Coef == nil {
		s.rest = Decimal{new(big.Int).Set(d.Coef), d.Exp}
		return
	}
	if s.rest.Exp == d.Exp {
		s.rest.Coef.Add(s.rest.Coef, d.Coef)
		return
	}
	x, y, exp := align(s.rest, d)
	s.rest = Decimal{new(big.Int).Add(x, y), exp}
}

// Value is the sum, or nil of no numbers.
func (s *Sum) Value() any {
	if s.n == 0 {
		return nil
	}
	d := Decimal{big.NewInt(s.whole), 0}
	if s.part.coef != 0 {
		s.add(s.part.decimal())
		s.part = short{}
	}
	if s.rest.Coef == nil {
		return result(d)
	}
	return Add(d, s.rest)
}

// Mean is the mean of the numbers, cut after MaxPlaces, or nil of no numbers.
func (s *Sum) Mean() any {
	sum, ok := Read(s.Value())
	if !ok {
		return nil
	}
	return Div(sum, Decimal{big.NewInt(int64(s.n)), 0})
}

// Whole is the whole number of 128 bits that has these halves.
func Whole(upper int64, lower uint64) any {
	d := big.NewInt(upper)
	d.Lsh(d, 64)
	return result(Decimal{d.Add(d, new(big.Int).SetUint64(lower)), 0})
}

// Extreme is the least or the greatest of numbers.
type Extreme struct {
	Greatest bool
	d        Decimal
}

// Add takes one more number.
func (e *Extreme) Add(x any) {
	d, ok := Read(x)
	if !ok {
		return
	}
	if e.d.Coef == nil || (d.Cmp(e.d) > 0) == e.Greatest {
		e.d = d
	}
}

// Value is the number, or nil of no numbers.
func (e *Extreme) Value() any {
	if e.d.Coef == nil {
		return nil
	}
	return result(e.d)
}

// Moving is the least or the greatest of numbers of which the oldest leave. It holds those that may yet be it.
type Moving struct {
	Greatest       bool
	in             []place
	added, removed int
}

// place is a number and when it came.
type place struct {
	d Decimal
	n int
}

// Add takes one more number.
func (m *Moving) Add(x any) {
	d, ok := Read(x)
	if !ok {
		return
	}
	m.added++
	last := len(m.in)
	for last > 0 && (d.Cmp(m.in[last-1].d) >= 0) == m.Greatest {
		last-- // it leaves before d, and is no better
	}
	m.in = append(m.in[:last], place{d, m.added})
}

// Remove gives up the oldest number, which is x.
func (m *Moving) Remove(x any) {
	if _, ok := Read(x); !ok {
		return
	}
	m.removed++
	if len(m.in) > 0 && m.in[0].n <= m.removed {
		m.in = m.in[1:]
	}
}

// Value is the number, or nil of no numbers.
func (m *Moving) Value() any {
	if len(m.in) == 0 {
		return nil
	}
	return result(m.in[0].d)
}
