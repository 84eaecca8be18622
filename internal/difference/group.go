package difference

// This file chooses the rows to show of a large group: those that are unlike the others.

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/value"
)

// mostShown is the most rows of a group that are shown.
const mostShown = 40

// notable returns the rows to show first, and facts about all rows. A fact is how many rows have an equal change, or the least and the greatest
// value, increase or ratio of a changed column. First come the rows with such an extreme, then those with a change that no other row has.
func notable(rows []changeset.Row, admits value.Label) (shown []changeset.Row, facts []string) {
	chosen := map[int]bool{}
	choose := func(i int) {
		if i >= 0 && len(shown) < mostShown && !chosen[i] {
			chosen[i], shown = true, append(shown, rows[i])
		}
	}
	other := 0
	for i, r := range rows {
		if r.Other {
			if other++; other == 1 {
				choose(i)
			}
		}
	}
	if other > 0 {
		facts = append(facts, fmt.Sprintf("another column changes in %d of %d rows", other, len(rows)))
	}
	for c, cell := range rows[0].Cells {
		if !cell.Changed() && rows[0].Kind == changeset.Changed || sealed(cell.Label, admits) != "" {
			continue
		}
		for m, name := range measures {
			least, greatest, whole := extremes(rows, c, m, admits)
			if !whole {
				continue
			}
			choose(least.at)
			choose(greatest.at)
			facts = append(facts, fmt.Sprintf("%s%s: from %s to %s", Quote(cell.Name), name, number(least.n), number(greatest.n)))
		}
	}
	equal := map[string][]int{}
	var order []string
	for i, r := range rows {
		key := change(r, admits)
		if equal[key] == nil {
			order = append(order, key)
		}
		equal[key] = append(equal[key], i)
	}
	slices.SortStableFunc(order, func(a, b string) int { return len(equal[a]) - len(equal[b]) })
	if len(order) < len(rows) {
		for i, key := range order {
			if len(equal[key]) > 1 && i < mostShown {
				facts = append(facts, fmt.Sprintf("%d rows alike: %s", len(equal[key]), key))
			}
		}
		facts = append(facts, fmt.Sprintf("%d different changes", len(order)))
	}
	for _, key := range order {
		choose(equal[key][0])
	}
	return shown, facts
}

// change writes the changes of a row, without its key.
func change(r changeset.Row, admits value.Label) string {
	var parts []string
	for _, c := range row(r, admits).Cells {
		switch {
		case !c.Changed && r.Kind == changeset.Changed:
		case r.Kind == changeset.Changed:
			parts = append(parts, c.Name+" "+c.Before+" → "+c.After)
		default:
			parts = append(parts, c.Name+" "+c.Before+c.After)
		}
	}
	return strings.Join(parts, ", ")
}

// measures are what is compared about a cell: its value, increase and ratio.
var measures = []string{"", " increases by", " is multiplied by"}

// measured returns a measure of a cell, or nil if the cell has none.
func measured(m int, before, after *big.Rat) *big.Rat {
	switch {
	case m == 0 && after == nil:
		return before
	case m == 0:
		return after
	case before == nil || after == nil || m == 2 && before.Sign() == 0:
		return nil
	case m == 1:
		return new(big.Rat).Sub(after, before)
	}
	return new(big.Rat).Quo(after, before)
}

type extreme struct {
	n  *big.Rat
	at int
}

// extremes finds the least and the greatest value of a measure. The result whole is false if a row has no value.
func extremes(rows []changeset.Row, c, m int, admits value.Label) (least, greatest extreme, whole bool) {
	for i, r := range rows {
		if c >= len(r.Cells) || r.Cells[c].New || sealed(r.Cells[c].Label, admits) != "" {
			return least, greatest, false
		}
		n := measured(m, parsed(r.Cells[c].Before), parsed(r.Cells[c].After))
		if n == nil {
			return least, greatest, false
		}
		if least.n == nil || n.Cmp(least.n) < 0 {
			least = extreme{n, i}
		}
		if greatest.n == nil || n.Cmp(greatest.n) > 0 {
			greatest = extreme{n, i}
		}
	}
	return least, greatest, len(rows) > 0
}

// maxDigits bounds the texts that are read as numbers, because 1e999999999 would take all memory.
const maxDigits = 40

func parsed(text *string) *big.Rat {
	if text == nil || len(*text) > maxDigits || strings.Trim(*text, "-.0123456789") != "" {
		return nil
	}
	n, ok := new(big.Rat).SetString(*text)
	if !ok {
		return nil
	}
	return n
}

// number writes a number exactly, or marks that it is rounded: a person must not read 1.0000004 as 1.
func number(n *big.Rat) string {
	if digits, exact := n.FloatPrec(); exact && digits <= maxDigits {
		return n.FloatString(digits)
	}
	return "about " + new(big.Float).SetRat(n).Text('g', 10)
}
