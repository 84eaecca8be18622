package number

import (
	"cmp"
	"math/big"
	"math/bits"
	"slices"
)

// Median calculates exactly the number in the middle, or the mean of the two in the middle. It stores
// all numbers in at most maxMedian bytes; with more it is Full. The zero Median has no numbers.
type Median struct {
	whole []int64
	short []short
	long  []Decimal
	size  int
}

const maxMedian = 32 << 20 // enough for 4 million whole numbers, or 2 million others

// Add adds a number in the form in which SQLite stores it. It ignores NULL and everything that is not a number.
func (m *Median) Add(x any) {
	if m.Full() {
		return
	}
	if i, ok := x.(int64); ok {
		m.whole, m.size = append(m.whole, i), m.size+8
		return
	}
	if s, ok := shortOf(x); ok {
		m.short, m.size = append(m.short, s), m.size+16
		return
	}
	d, ok := Read(x)
	switch {
	case !ok:
	case d.Coef.IsInt64():
		m.short, m.size = append(m.short, short{d.Coef.Int64(), int32(d.Exp)}), m.size+16
	default:
		m.long, m.size = append(m.long, d), m.size+64+d.Coef.BitLen()/8
	}
}

// Full reports whether there were too many numbers, so that there is no result.
func (m *Median) Full() bool { return m.size > maxMedian }

// Value returns the median, or nil if there are no numbers.
func (m *Median) Value() any {
	n := len(m.whole) + len(m.short) + len(m.long)
	if n == 0 || m.Full() {
		return nil
	}
	a, b := (n-1)/2, n/2
	switch {
	case len(m.long) > 0:
		for _, s := range m.shorts() {
			m.long = append(m.long, s.decimal())
		}
		slices.SortFunc(m.long, Decimal.Cmp)
		return middle(m.long[a], m.long[b])
	case len(m.short) > 0:
		all := m.shorts()
		slices.SortFunc(all, short.cmp)
		return middle(all[a].decimal(), all[b].decimal())
	}
	slices.Sort(m.whole)
	return middle(short{m.whole[a], 0}.decimal(), short{m.whole[b], 0}.decimal())
}

// middle returns the mean of two numbers.
func middle(a, b Decimal) any {
	x, y, exp := align(a, b)
	sum := new(big.Int).Add(x, y)
	return result(Decimal{sum.Mul(sum, big.NewInt(5)), exp - 1})
}

func (m *Median) shorts() []short {
	for _, i := range m.whole {
		m.short = append(m.short, short{i, 0})
	}
	m.whole = nil
	return m.short
}

// cmp compares two numbers in 128 bits if that is enough, and otherwise as Decimals.
func (s short) cmp(b short) int {
	far := int(s.exp) - int(b.exp)
	switch {
	case far == 0 || (s.coef > 0) != (b.coef > 0) || s.coef == 0 || b.coef == 0:
		return cmp.Compare(s.coef, b.coef)
	case far < 0:
		return -b.cmp(s)
	case far > 18:
		return s.decimal().Cmp(b.decimal())
	}
	high, low := bits.Mul64(magnitude(s.coef), power(far).Uint64())
	c := cmp.Compare(high, 0)
	if c == 0 {
		c = cmp.Compare(low, magnitude(b.coef))
	}
	if s.coef < 0 {
		return -c
	}
	return c
}

func magnitude(i int64) uint64 {
	if i < 0 {
		return -uint64(i)
	}
	return uint64(i)
}
