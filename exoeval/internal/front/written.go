package front

// This file finds the numbers in a program's text of which JavaScript loses digits. The run looks up those that arrive at the host.

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// WrittenNumbers are the numbers in a program's text that don't have the digits there, and those beyond 2^53, by the number
// that JavaScript has for them, without its sign. A program can carry one to a column by any way: through a variable, a list, a
// function. So the number itself is looked up where it arrives.
type WrittenNumbers map[float64]writtenNumber

type writtenNumber struct {
	Text  string // its digits, as a decimal
	shown bool   // JavaScript shows its number with these digits
	whole bool   // its number has these digits and no others
}

// note remembers a literal.
func (l *WrittenNumbers) note(e *ast.NumberLiteral) {
	var f float64
	switch v := e.Value.(type) {
	case int64:
		f = float64(v)
	case float64:
		f = v
	}
	if f == 0 || math.IsInf(f, 0) { // 1e-400 and 1e400: nothing distinguishes them from those that were calculated
		return
	}
	n := writtenNumber{Text: digitsOf(e.Literal)}
	n.shown = n.Text != "" && n.Text == shownDigits(f)
	n.whole = n.Text != "" && isBeyond(f) && n.Text == wholeDigits(f)
	if n.shown && !isBeyond(f) {
		return
	}
	if was, ok := (*l)[f]; ok {
		n.shown, n.whole = n.shown && was.shown, n.whole && was.whole
	}
	n.Text = cmp.Or(n.Text, e.Literal)
	if *l == nil {
		*l = WrittenNumbers{}
	}
	(*l)[f] = n
}

// digitsOf is a literal as the one text of a decimal, or "" if it is too long for one.
func digitsOf(literal string) string {
	s := strings.ReplaceAll(literal, "_", "")
	if len(s) > 1 && s[0] == '0' && strings.ContainsAny(s[1:2], "xXoObB") {
		if n, ok := new(big.Int).SetString(s[:min(len(s), 2*scalar.MaxDigits)], 0); ok {
			s = n.String()
		}
	}
	s = strings.Replace(s, ".e", "e", 1)
	s = strings.Replace(s, ".E", "e", 1)
	s, _ = scalar.Canonical(value.TypeDecimal, strings.TrimSuffix(s, "."))
	return s
}

// shownDigits are the digits of a number as JavaScript shows it.
func shownDigits(f float64) string {
	s, _ := scalar.Canonical(value.TypeDecimal, strconv.FormatFloat(f, 'e', -1, 64))
	return s
}

// wholeDigits are all digits of a whole number.
func wholeDigits(f float64) string { return strconv.FormatFloat(f, 'f', 0, 64) }

// isBeyond reports whether f is beyond the whole numbers that JavaScript tells apart.
func isBeyond(f float64) bool { return math.Abs(f) > scalar.SafeInteger }
