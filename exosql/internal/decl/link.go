package decl

// Link is the untyped core of a Link.
type Link struct {
	ID       uint64
	Name     string // in programs: a method of A's rows and queries
	From, To *Table
	Pairs    []Pair
	One      bool
	Doc      string
}

type Pair struct{ From, To *Column }

// Inverse reports whether m leads back over the same keys.
func (l *Link) Inverse(m *Link) bool {
	if l.From != m.To || l.To != m.From || len(l.Pairs) != len(m.Pairs) {
		return false
	}
	for _, p := range l.Pairs {
		found := false
		for _, q := range m.Pairs {
			found = found || q.From == p.To && q.To == p.From
		}
		if !found {
			return false
		}
	}
	return true
}
