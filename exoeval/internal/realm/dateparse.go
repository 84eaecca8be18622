package realm

// This file reads a text as Date does, token by token, like the engine of Node.js: a text means the same time in both. The work is linear in
// the length of the text.

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/exoagent/exoagent/internal/zone"
)

// dateToken is a token of a date's text. Its kind is 'n' for a number, ' ' for a space, '?' for ignored text, and 0 at the end. A word has
// the kind of its dateWord. Any other character is its own kind.
type dateToken struct {
	kind       byte
	n          int // the number, or the value of a word: see dateWord
	characters int
}

type dateWord struct {
	kind byte // 'm' for a month, 'h' for a half of the day, 'z' for a zone, 't' for the letter before a time, 'w' for other words
	n    int  // the number of a month; the hours of a half or a zone
}

// dateWords has the words by their first three letters. The name of a month may be longer.
var dateWords = map[string]dateWord{
	"jan": {'m', 1}, "feb": {'m', 2}, "mar": {'m', 3}, "apr": {'m', 4}, "may": {'m', 5}, "jun": {'m', 6}, "jul": {'m', 7}, "aug": {'m', 8}, "sep": {'m', 9}, "oct": {'m', 10}, "nov": {'m', 11}, "dec": {'m', 12},
	"am": {'h', 0}, "pm": {'h', 12}, "t": {'t', 0}, "z": {'z', 0}, "ut": {'z', 0}, "utc": {'z', 0}, "gmt": {'z', 0},
	"cdt": {'z', -5}, "cst": {'z', -6}, "edt": {'z', -4}, "est": {'z', -5}, "mdt": {'z', -6}, "mst": {'z', -7}, "pdt": {'z', -7}, "pst": {'z', -8},
}

// dateReader reads a text as tokens. It has the next token, and the text after it.
type dateReader struct {
	s    string
	next dateToken
}

// take returns the next token and reads the one after it.
func (d *dateReader) take() dateToken {
	t := d.next
	d.next = d.scan()
	return t
}

// skip takes the next token if it is of the kind, and reports whether it was.
func (d *dateReader) skip(kind byte) bool {
	if d.next.kind != kind {
		return false
	}
	d.take()
	return true
}

// pair adds the next token to list, if that is a number of two digits within the bounds. It reports whether it was.
func (d *dateReader) pair(list *[]int, least, most int) bool {
	if d.next.kind != 'n' || d.next.characters != 2 || d.next.n < least || d.next.n > most {
		return false
	}
	*list = append(*list, d.take().n)
	return true
}

func (d *dateReader) scan() dateToken {
	if d.s == "" || d.s[0] == 0 { // the engine's texts end at a NUL
		return dateToken{}
	}
	c, size := utf8.DecodeRuneInString(d.s)
	switch {
	case c >= '0' && c <= '9':
		digits := d.cut(func(c rune) bool { return c < '0' || c > '9' })
		significant := strings.TrimLeft(digits, "0")
		n, _ := strconv.Atoi(significant[:min(len(significant), 9)])
		return dateToken{'n', n, len(digits)}
	case dateSpace(c):
		d.s = d.s[size:]
		return dateToken{kind: ' '}
	case c >= 'A':
		text := d.cut(func(c rune) bool { return c < 'A' || dateSpace(c) })
		word, characters := dateWords[strings.ToLower(text[:min(len(text), 3)])], utf8.RuneCountInString(text)
		if word.kind != 'm' && (word.kind == 0 || characters > 3) {
			word = dateWord{kind: 'w'}
		}
		return dateToken{word.kind, word.n, characters}
	case c == '(':
		for depth := 0; d.s != "" && d.s[0] != 0; {
			switch d.s[0] {
			case '(':
				depth++
			case ')':
				depth--
			}
			if d.s = d.s[1:]; depth == 0 {
				break
			}
		}
		return dateToken{kind: '?'}
	}
	d.s = d.s[size:]
	if c == ':' || c == '-' || c == '+' || c == '.' || c == ')' {
		return dateToken{kind: byte(c)}
	}
	return dateToken{kind: '?'}
}

// cut removes and returns the text before the first character for which ends is true.
func (d *dateReader) cut(ends func(rune) bool) string {
	end := strings.IndexFunc(d.s, ends)
	if end < 0 {
		end = len(d.s)
	}
	s := d.s[:end]
	d.s = d.s[end:]
	return s
}

func dateSpace(c rune) bool { return c == '\uFEFF' || unicode.IsSpace(c) && c != '\u0085' }

// dateParts collects the parts of a date.
type dateParts struct {
	day          []int // at most 3 numbers
	month        int   // 0 unless a name gave it
	iso          bool
	clock        []int // at most 4 numbers: hours to milliseconds
	half         int   // hours to add in a half of the day; -1 for none
	sign         int   // sign of the zone; 0 for local time
	hour, minute int   // hour and minute of the zone; -1 for none
}

// add appends n to a list. It returns false if the list already has as many items as most.
func add(list *[]int, most, n int) bool {
	if len(*list) == most {
		return false
	}
	*list = append(*list, n)
	return true
}

// expectsClock reports whether n can be the next part of a time that has begun.
func (p *dateParts) expectsClock(n int) bool {
	return len(p.clock) > 0 && len(p.clock) < 4 && n < []int{0, 60, 60, 1000}[len(p.clock)]
}

func (p *dateParts) endClock(n int) {
	for add(&p.clock, 4, n) {
		n = 0
	}
}

// milliseconds returns the first three digits of a fraction.
func milliseconds(t dateToken) int { return t.n * 1000 / int(math.Pow10(min(t.characters, 9))) }

// parseDate returns the time that a text names, in milliseconds, or NaN. A text without a zone is local time.
func parseDate(s string, z *zone.Zone) float64 {
	d, p := dateReader{s: s}, dateParts{half: -1, hour: -1, minute: -1}
	d.take()
	first, ok := d.iso(&p)
	if !ok || !d.rest(first, &p) {
		return math.NaN()
	}
	return p.instant(z)
}

// iso reads the longest start of the text that is ISO 8601. rest is the first token in another form. ok is false if such a token comes in or
// after the time.
func (d *dateReader) iso(p *dateParts) (rest dateToken, ok bool) {
	switch {
	case d.next.kind == '+' || d.next.kind == '-':
		sign := d.take()
		if d.next.kind != 'n' || d.next.characters != 6 {
			return sign, true
		}
		year := d.take().n
		if sign.kind == '-' {
			if year == 0 {
				return sign, true
			}
			year = -year
		}
		p.day = []int{year}
	case d.next.kind == 'n' && d.next.characters == 4:
		p.day = []int{d.take().n}
	default:
		return d.take(), true
	}
	for _, most := range []int{12, 31} {
		if !d.skip('-') {
			break
		}
		if !d.pair(&p.day, 1, most) {
			return d.take(), true
		}
	}
	switch {
	case d.next.kind == 't':
		if !d.isoClock(p) || d.next.kind != 0 {
			return rest, false
		}
	case d.next.kind != 0:
		return d.take(), true
	default:
		p.sign, p.hour, p.minute = 1, 0, 0 // ISO 8601 has a date without a time in UTC
	}
	p.iso = true
	return rest, true
}

// isoClock reads a time and its zone. It returns false if the text there is no such time.
func (d *dateReader) isoClock(p *dateParts) bool {
	d.take()
	if !d.pair(&p.clock, 0, 24) {
		return false
	}
	most := 59
	if p.clock[0] == 24 {
		most = 0
	}
	if !d.skip(':') || !d.pair(&p.clock, 0, most) || d.skip(':') && !d.pair(&p.clock, 0, most) {
		return false
	}
	if len(p.clock) == 3 && d.skip('.') {
		if d.next.kind != 'n' || most == 0 && d.next.n > 0 {
			return false
		}
		p.clock = append(p.clock, milliseconds(d.take()))
	}
	switch sign := d.next; {
	case sign.kind == 'z' && sign.characters == 1:
		d.take()
		p.sign, p.hour, p.minute = 1, 0, 0
	case sign.kind == '+' || sign.kind == '-':
		d.take()
		p.sign = int(',') - int(sign.kind)
		if n := d.next; n.kind == 'n' && n.characters == 4 && n.n < 2400 && n.n%100 < 60 {
			d.take()
			p.hour, p.minute = n.n/100, n.n%100
			break
		}
		var shift []int
		if !d.pair(&shift, 0, 23) || !d.skip(':') || !d.pair(&shift, 0, 59) {
			return false
		}
		p.hour, p.minute = shift[0], shift[1]
	}
	return true
}

// rest reads the other forms of dates, from the token t on. It returns false if the text is no date.
func (d *dateReader) rest(t dateToken, p *dateParts) bool {
	read := len(p.day) > 0 // reports that a number was read
	if t.kind == 0 {
		t = d.take()
	}
	for ; t.kind != 0; t = d.take() {
		signed := t.kind == '+' || t.kind == '-'
		switch {
		case t.kind == 'n':
			read = true
			if !d.number(t.n, p) {
				return false
			}
		case t.kind == 'h' && len(p.clock) > 0:
			p.half = t.n
		case t.kind == 'm':
			p.month = t.n
			d.skip('-')
		case t.kind == 'z' && read:
			if p.sign, p.hour, p.minute = 1, t.n, 0; t.n < 0 {
				p.sign, p.hour = -1, -t.n
			}
		case t.kind >= 'a':
			if read || d.next.kind == 'n' {
				return false
			}
		case signed && (p.hour == 0 && p.minute == 0 || len(p.clock) > 0):
			n := dateToken{}
			if d.next.kind == 'n' {
				n = d.take()
			}
			read, p.sign, p.hour, p.minute = true, int(',')-int(t.kind), n.n, 0
			switch {
			case d.next.kind == ':':
				p.minute = -1
			case n.characters == 3 || n.characters == 4:
				p.hour, p.minute = n.n/100, n.n%100
			case n.characters == 0 || n.characters > 4:
				return false
			}
		case (signed || t.kind == ')') && read:
			return false
		}
	}
	return true
}

// number handles the number n. The tokens around n decide whether it belongs to a time, a zone or a day. It returns false if n fits nowhere.
func (d *dateReader) number(n int, p *dateParts) bool {
	switch {
	case d.skip(':'):
		if d.skip(':') {
			p.clock = append(p.clock, n, 0)
			return len(p.clock) == 2
		}
		d.skip('.')
		return add(&p.clock, 4, n)
	case d.skip('.') && p.expectsClock(n):
		add(&p.clock, 4, n)
		if d.next.kind != 'n' {
			return false
		}
		p.endClock(milliseconds(d.take()))
	case p.hour >= 0 && p.minute < 0 && n < 60:
		p.minute = n
	case p.expectsClock(n):
		p.endClock(n)
		return d.next.kind == 0 || d.next.kind == ' ' || d.next.kind == '+' || d.next.kind == '-' || d.next.kind == 'z' && d.next.characters == 1
	default:
		if !add(&p.day, 3, n) {
			return false
		}
		d.skip('-')
	}
	return true
}

// instant returns the time of the parts.
func (p *dateParts) instant(z *zone.Zone) float64 {
	if len(p.day) == 0 {
		return math.NaN()
	}
	for add(&p.day, 3, 1) {
	}
	isDay := func(n int) bool { return n >= 1 && n <= 31 }
	a, b, c := p.day[0], p.day[1], p.day[2]
	var year, month, day int
	switch {
	case p.month == 0 && (p.iso || !isDay(a)):
		year, month, day = a, b, c
	case p.month == 0:
		month, day, year = a, b, c
	case !isDay(a):
		year, month, day = a, p.month, b
	default:
		day, month, year = a, p.month, b
	}
	if !p.iso && year >= 0 && year < 100 {
		if year += 1900; year < 1950 {
			year += 100
		}
	}
	p.endClock(0)
	hour, minute, second, ms := p.clock[0], p.clock[1], p.clock[2], p.clock[3]
	if p.half >= 0 {
		if hour > 12 {
			return math.NaN()
		}
		hour = hour%12 + p.half
	}
	clock := hour < 24 && minute < 60 && second < 60 && ms < 1000 || hour == 24 && minute == 0 && second == 0 && ms == 0
	shift := uint32(max(p.hour, 0))*3600 + uint32(max(p.minute, 0))*60
	if month < 1 || month > 12 || !isDay(day) || !clock || shift > math.MaxInt32 || year < -300000 || year > 300000 {
		return math.NaN()
	}
	shown := time.Date(year, time.Month(month), day, hour, minute, second, ms*1e6, time.UTC)
	if p.sign == 0 {
		return float64(z.Instant(shown).UnixMilli())
	}
	return float64(shown.UnixMilli() - int64(p.sign)*int64(shift)*1000)
}
