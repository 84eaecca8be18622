package realm

// How numbers are written in en-US, from options that are read.

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// numberFormat is how a number is written in en-US, with the options of
// Intl.NumberFormat. A negative count of digits is one that was not given.
type numberFormat struct {
	style, currency, currencyDisplay string // decimal, percent, currency
	accounting                       bool   // negative money in parentheses
	compact, long                    bool   // 1.2K, 1.2 thousand
	sign                             string // auto, always, exceptZero, negative, never
	ungrouped                        bool
	minInt                           int
	minFraction, maxFraction         int
	minSignificant, maxSignificant   int
}

// decimal is a number that is not negative: 0.digits × 10^point. A number stands
// for its shortest digits, so 1.005 rounds to 1.01.
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

// round cuts d to n digits behind the point, half away from zero.
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

// text writes d with at least so many digits before and behind the point.
func (d *decimal) text(minInt, minFraction int, ungrouped bool) string {
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
	whole = strings.Repeat("0", max(minInt-len(whole), 0)) + whole
	fraction += strings.Repeat("0", max(minFraction-len(fraction), 0))
	if !ungrouped {
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + "," + whole[i:]
		}
	}
	if fraction != "" {
		return whole + "." + fraction
	}
	return whole
}

var (
	shortUnits = []string{"", "K", "M", "B", "T"}
	longUnits  = []string{"", " thousand", " million", " billion", " trillion"}
)

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

// formatExact formats a Decimal, every digit of it.
func (n *numberFormat) formatExact(a exact) string {
	digits := a.abs().coef.String()
	d := decimal{[]byte(strings.TrimRight(digits, "0")), len(digits) - a.places}
	if len(d.digits) == 0 {
		d.point = 0
	}
	body, zero := n.body(d)
	return n.dress(a.coef.Sign() < 0, body, zero, true)
}

// dress puts the unit and the sign to the digits of a number. zero is whether they show
// zero, finite whether it has any.
func (n *numberFormat) dress(negative bool, body string, zero, finite bool) string {
	if n.style == "percent" {
		body += "%"
	}
	if n.style == "currency" {
		symbol := n.symbol()
		if !finite {
			symbol = strings.TrimSuffix(symbol, "\u00a0")
		}
		body = symbol + body
	}
	switch {
	case n.sign == "never" || n.sign == "exceptZero" && zero || n.sign == "negative" && zero:
	case negative && n.accounting:
		return "(" + body + ")"
	case negative:
		return "-" + body
	case n.sign == "always" || n.sign == "exceptZero":
		return "+" + body
	}
	return body
}

// body is the number without its sign and its unit, and whether that shows zero.
func (n *numberFormat) body(d decimal) (string, bool) {
	if n.style == "percent" && len(d.digits) > 0 {
		d.point += 2
	}
	unit := ""
	if n.compact {
		power := func() int { return min(max((d.point-1)/3, 0), len(shortUnits)-1) }
		p := power()
		shifted := decimal{bytes.Clone(d.digits), d.point - 3*p}
		n.cut(&shifted)
		// What was rounded up to a thousand has the next unit.
		if shifted.point > 3 && p < len(shortUnits)-1 {
			p++
			shifted = decimal{bytes.Clone(d.digits), d.point - 3*p}
			n.cut(&shifted)
		}
		d = shifted
		unit = shortUnits[p]
		if n.long {
			unit = longUnits[p]
		}
		ungrouped := n.ungrouped || d.point < 5 // 1234T has four digits without a comma
		return d.text(n.minInt, n.fraction(&d), ungrouped) + unit, len(d.digits) == 0
	}
	n.cut(&d)
	return d.text(n.minInt, n.fraction(&d), n.ungrouped), len(d.digits) == 0
}

// cut rounds d as the options say. A compact number without any has two digits,
// or as many as stand before the point.
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

// fraction is how many digits must stand behind the point.
func (n *numberFormat) fraction(d *decimal) int {
	if n.maxSignificant > 0 {
		if len(d.digits) == 0 {
			return n.minSignificant - 1
		}
		return n.minSignificant - d.point
	}
	return n.minFraction
}

var currencySymbols = map[string]string{
	"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "INR": "₹", "CNY": "CN¥", "KRW": "₩", "BRL": "R$", "CAD": "CA$", "AUD": "A$",
	"MXN": "MX$", "NZD": "NZ$", "HKD": "HK$", "ILS": "₪", "TWD": "NT$", "VND": "₫", "XAF": "FCFA", "PHP": "₱",
}

// currencyDigits are those behind the point, where they are not two.
var currencyDigits = map[string]int{"JPY": 0, "KRW": 0, "VND": 0, "CLP": 0, "ISK": 0, "XAF": 0, "XOF": 0, "UGX": 0, "PYG": 0, "KWD": 3, "BHD": 3, "OMR": 3, "TND": 3, "JOD": 3}

func (n *numberFormat) symbol() string {
	s, known := currencySymbols[n.currency]
	switch {
	case n.currencyDisplay == "code" || !known:
		return n.currency + "\u00a0"
	case n.currencyDisplay == "narrowSymbol":
		if i := strings.IndexAny(s, "$¥"); i > 0 {
			return s[i:]
		}
	}
	if n.currency == "XAF" {
		return s + "\u00a0"
	}
	return s
}
