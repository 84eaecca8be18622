package number

import "math/big"

// Sum is an exact sum. The zero Sum has no numbers.
type Sum struct {
	whole int64   // whole is the sum of the whole numbers, as long as it fits
	part  short   // part is the sum of the numbers that fit a short, as long as the sum fits one too
	rest  Decimal // rest is the sum of the other numbers
	n     int
}

// Add adds a number in the form in which SQLite stores it. It ignores NULL and everything that is not a number.
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

// Remove subtracts a number that Add has added.
func (s *Sum) Remove(x any) {
	d, ok := Read(x)
	if !ok {
		return
	}
	if s.n--; s.n == 0 {
		*s = Sum{} // otherwise parts that cancel each other out would remain
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

// Value returns the sum, or nil if there are no numbers.
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

// Mean returns the mean, cut after MaxPlaces, or nil if there are no numbers.
func (s *Sum) Mean() any {
	sum, ok := Read(s.Value())
	if !ok {
		return nil
	}
	return Div(sum, Decimal{big.NewInt(int64(s.n)), 0})
}

// Whole returns the whole number of 128 bits with these two halves.
func Whole(upper int64, lower uint64) any {
	d := big.NewInt(upper)
	d.Lsh(d, 64)
	return result(Decimal{d.Add(d, new(big.Int).SetUint64(lower)), 0})
}

// Extreme finds the least or the greatest of numbers.
type Extreme struct {
	Greatest bool
	d        Decimal
}

// Add adds a number, in the form in which SQLite stores it.
func (e *Extreme) Add(x any) {
	d, ok := Read(x)
	if !ok {
		return
	}
	if e.d.Coef == nil || (d.Cmp(e.d) > 0) == e.Greatest {
		e.d = d
	}
}

// Value returns the extreme, or nil if there are no numbers.
func (e *Extreme) Value() any {
	if e.d.Coef == nil {
		return nil
	}
	return result(e.d)
}

// Moving finds the least or the greatest number of a moving window. It stores only numbers that may still become the result.
type Moving struct {
	Greatest       bool
	in             []place
	added, removed int
}

// place is a number with its position in the order of Add.
type place struct {
	d Decimal
	n int
}

// Add adds the next number of the window.
func (m *Moving) Add(x any) {
	d, ok := Read(x)
	if !ok {
		return
	}
	m.added++
	last := len(m.in)
	for last > 0 && (d.Cmp(m.in[last-1].d) >= 0) == m.Greatest {
		last-- // this number leaves the window before d, and d is as good or better
	}
	m.in = append(m.in[:last], place{d, m.added})
}

// Remove removes the oldest number, x.
func (m *Moving) Remove(x any) {
	if _, ok := Read(x); !ok {
		return
	}
	m.removed++
	if len(m.in) > 0 && m.in[0].n <= m.removed {
		m.in = m.in[1:]
	}
}

// Value returns the result, or nil if there are no numbers.
func (m *Moving) Value() any {
	if len(m.in) == 0 {
		return nil
	}
	return result(m.in[0].d)
}
