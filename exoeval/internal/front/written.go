package front

// This file finds numbers in a program's text that lose digits in JavaScript. The run looks a number up when it arrives at the host.

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

// WrittenNumbers are the numbers in a program's text with digits that JavaScript changes, and those beyond 2^53. The key is JavaScript's number,
// without its sign. A program can pass a number to a column through a variable, a list or a function. So the number is looked up when it arrives.
type WrittenNumbers map[float64]writtenNumber

type writtenNumber struct {
	Text  string // the digits in the text, as a decimal
	shown bool   // JavaScript shows these digits for its number
	whole bool   // JavaScript's number is exactly the number in the text
}

// note adds the number of a literal, if JavaScript changes its digits, or if it is beyond 2^53.
func (l *WrittenNumbers) note(e *ast.NumberLiteral) {
	var f float64
	switch v := e.Value.(type) {
	case int64:
		f = float64(v)
	case float64:
		f = v
	}
	if f == 0 || math.IsInf(f, 0) { // 1e-400 is 0 and 1e400 is Infinity, as calculated results may be
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

// digitsOf returns a literal in the canonical form of a decimal, or "" if it is too long.
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

// shownDigits returns the digits that JavaScript shows for a number.
func shownDigits(f float64) string {
	s, _ := scalar.Canonical(value.TypeDecimal, strconv.FormatFloat(f, 'e', -1, 64))
	return s
}

// wholeDigits returns all digits of a whole number.
func wholeDigits(f float64) string { return strconv.FormatFloat(f, 'f', 0, 64) }

// isBeyond reports whether f is beyond the whole numbers that JavaScript holds exactly.
func isBeyond(f float64) bool { return math.Abs(f) > scalar.SafeInteger }
