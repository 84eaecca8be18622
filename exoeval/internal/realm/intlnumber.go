package realm

// This file writes numbers in a locale, by options that were read before.

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// numberFormat has the options of Intl.NumberFormat. A negative number of digits is an option that was not given.
type numberFormat struct {
	locale                                                           locale
	row                                                              []string // the row number of the locale's tables
	style, currency, currencyDisplay                                 string   // the style is decimal, percent or currency
	accounting                                                       bool     // negative money is in parentheses
	compact, long                                                    bool     // compact writes 1.2K, with long 1.2 thousand
	sign                                                             string   // auto, always, exceptZero, negative or never
	grouping                                                         string   // always, min2 or never; auto and other words mean the usual way
	minInt, minFraction, maxFraction, minSignificant, maxSignificant int
}

// decimal is a number that is not negative: 0.digits × 10^point. It has the shortest digits that mean the number, so 1.005 rounds to 1.01.
type decimal struct {
	digits []byte
	point  int
}

func decimalOf(f float64) decimal {
	s := strconv.FormatFloat(f, 'e', -1, 64)
	mantissa, exponent, _ := strings.Cut(s, "e")
	e, _ := strconv.Atoi(exponent)
	d := decimal{[]byte(strings.Replace(mantissa, ".", "", 1)), e + 1}
	if f == 0 {
		d.digits, d.point = nil, 0
	}
	return d
}

// round keeps n digits after the point, and rounds halves away from zero.
func (d *decimal) round(n int) {
	keep := d.point + n
	if keep >= len(d.digits) {
		return
	}
	up := keep >= 0 && d.digits[keep] >= '5'
	d.digits = d.digits[:max(keep, 0)]
	if up {
		i := len(d.digits) - 1
		for ; i >= 0 && d.digits[i] == '9'; i-- {
			d.digits[i] = '0'
		}
		if i >= 0 {
			d.digits[i]++
		} else {
			d.digits = append([]byte{'1'}, d.digits...)
			d.point++
		}
	}
	d.digits = bytes.TrimRight(d.digits, "0")
	if len(d.digits) == 0 {
		d.point = 0
	}
}

// text writes d with at least the required digits before and after the point.
func (n *numberFormat) text(d *decimal) string {
	whole, fraction := "", ""
	for i := range max(d.point, 0) {
		if i < len(d.digits) {
			whole += string(d.digits[i])
		} else {
			whole += "0"
		}
	}
	if d.point < 0 {
		fraction = strings.Repeat("0", -d.point)
	}
	if rest := max(d.point, 0); rest < len(d.digits) {
		fraction += string(d.digits[rest:])
	}
	whole = strings.Repeat("0", max(n.minInt-len(whole), 0)) + whole
	fraction += strings.Repeat("0", max(n.fraction(d)-len(fraction), 0))
	row := n.row
	least, _ := strconv.Atoi(row[2]) // the fewest digits before the first separator; a shorter number gets no separator
	switch {
	case n.grouping == "always":
		least = 1
	case n.grouping == "min2" || n.compact && n.grouping != "auto":
		least = 2
	}
	if n.grouping != "never" && len(whole) >= 3+least {
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + row[0] + whole[i:]
		}
	}
	if fraction != "" {
		return whole + row[1] + fraction
	}
	return whole
}

func (n *numberFormat) format(f float64) string {
	switch {
	case math.IsNaN(f):
		return n.dress(false, "NaN", n.sign == "exceptZero", false)
	case math.IsInf(f, 0):
		return n.dress(f < 0, "∞", false, false)
	}
	body, zero := n.body(decimalOf(math.Abs(f)))
	return n.dress(math.Signbit(f), body, zero, true)
}

// formatExact formats a Decimal with all its digits.
func (n *numberFormat) formatExact(a exact) string {
	digits := a.abs().coef.String()
	d := decimal{[]byte(strings.TrimRight(digits, "0")), len(digits) - a.places}
	if len(d.digits) == 0 {
		d.point = 0
	}
	body, zero := n.body(d)
	return n.dress(a.coef.Sign() < 0, body, zero, true)
}

// dress adds the unit and the sign to the digits of a number. zero reports that the digits show zero, finite that the number is finite.
func (n *numberFormat) dress(negative bool, body string, zero, finite bool) string {
	row := n.row
	if n.style == "percent" {
		if body += row[4]; n.compact {
			body = strings.TrimSuffix(body, row[4]) + row[7]
		}
	}
	if n.style == "currency" {
		symbol := n.symbol()
		switch last, _ := utf8.DecodeLastRuneInString(symbol); {
		case row[5] == "behind":
			body += "\u00a0" + symbol
		case unicode.IsLetter(last) && finite:
			body = symbol + "\u00a0" + body
		default:
			body = symbol + body
		}
	}
	switch {
	case n.sign == "never" || n.sign == "exceptZero" && zero || n.sign == "negative" && zero:
	case negative && n.accounting && row[6] == "parentheses":
		return "(" + body + ")"
	case negative:
		return row[3] + body
	case n.sign == "always" || n.sign == "exceptZero":
		return "+" + body
	}
	return body
}

// body returns the number without sign and unit, and whether it shows zero.
func (n *numberFormat) body(d decimal) (string, bool) {
	if n.style == "percent" && len(d.digits) > 0 {
		d.point += 2
	}
	form := "#"
	if n.compact {
		// A number that is rounded up to a power of ten has the unit of that power.
		for power, whole := d.point-1, d; ; power++ {
			row := []string{"0", "#", "#", "#"}
			if power >= 3 {
				row = n.locale.row("k" + map[bool]string{true: "l", false: "s"}[n.long] + strconv.Itoa(min(power, 14)))
			}
			shift, _ := strconv.Atoi(row[0])
			d = decimal{bytes.Clone(whole.digits), whole.point - shift}
			n.cut(&d)
			form = row[3]
			if d.point == 1 && d.digits[0] == '1' { // the tables have words for 1, and for 1 with a fraction
				if form = row[2]; len(d.digits) == 1 && n.fraction(&d) == 0 {
					form = row[1]
				}
			}
			if d.point+shift <= power+1 {
				break
			}
		}
	} else {
		n.cut(&d)
	}
	return strings.Replace(form, "#", n.text(&d), 1), len(d.digits) == 0
}

// cut rounds d by the options. Without such options a compact number has two digits, or all digits before its point.
func (n *numberFormat) cut(d *decimal) {
	switch {
	case n.maxSignificant > 0:
		d.round(n.maxSignificant - d.point)
	case n.compact && n.maxFraction < 0:
		d.round(max(2-d.point, 0))
	default:
		d.round(n.maxFraction)
	}
}

// fraction returns the smallest number of digits after the point that the options allow for d.
func (n *numberFormat) fraction(d *decimal) int {
	if n.maxSignificant > 0 {
		if len(d.digits) == 0 {
			return n.minSignificant - 1
		}
		return n.minSignificant - d.point
	}
	return n.minFraction
}

// digits returns the number of digits that a currency has after the point.
func (n *numberFormat) digits() int {
	if row := n.locale.row("$" + n.currency); len(row) > 2 {
		digits, _ := strconv.Atoi(row[2])
		return digits
	}
	return 2
}

func (n *numberFormat) symbol() string {
	row := n.locale.row("$" + n.currency)
	switch {
	case n.currencyDisplay == "code" || len(row) < 3:
		return n.currency
	case n.currencyDisplay == "narrowSymbol":
		return row[1]
	}
	return row[0]
}
