package realm

// How dates are written in en-US, from options that are read.

import (
	"strconv"
	"time"

	"github.com/exoagent/exoagent/internal/zone"
)

// dateFormat is how an instant is written in en-US, with the options
// of Intl.DateTimeFormat. An empty field is not shown.
type dateFormat struct {
	dateStyle, timeStyle      string // full, long, medium, short
	weekday, month            string // long, short, narrow; a month also numeric, 2-digit
	year, day                 string // numeric, 2-digit
	hour, minute, second      string
	cycle                     string // h12, h23, h24
	zone                      string // short, long
	in                        *zone.Zone
	hasDate, hasTime, spelled bool // spelled: the month is a word
}

// settle turns styles into fields. What is usual is added unless something of
// its kind was asked for, or, with either, anything at all.
func (f *dateFormat) settle(date, clock, either bool) {
	if f.dateStyle == "" && f.timeStyle == "" {
		dated := f.weekday+f.month+f.year+f.day != ""
		timed := f.hour+f.minute+f.second != ""
		if either {
			dated, timed = dated || timed, dated || timed
		}
		if date && !dated {
			f.year, f.month, f.day = "numeric", "numeric", "numeric"
		}
		if clock && !timed {
			f.hour, f.minute, f.second = "numeric", "2-digit", "2-digit"
		}
	}
	switch f.dateStyle {
	case "full", "long":
		f.year, f.month, f.day = "numeric", "long", "numeric"
		if f.dateStyle == "full" {
			f.weekday = "long"
		}
	case "medium":
		f.year, f.month, f.day = "numeric", "short", "numeric"
	case "short":
		f.year, f.month, f.day = "2-digit", "numeric", "numeric"
	}
	if f.timeStyle != "" {
		f.hour, f.minute = "numeric", "2-digit"
		if f.timeStyle != "short" {
			f.second = "2-digit"
		}
		switch f.timeStyle {
		case "full":
			f.zone = "long"
		case "long":
			f.zone = "short"
		}
	}
	f.hasDate = f.weekday+f.month+f.year+f.day != ""
	f.hasTime = f.hour+f.minute+f.second != ""
	f.spelled = f.month != "" && f.month != "numeric" && f.month != "2-digit"
}

func (f *dateFormat) format(t time.Time) string {
	t = f.in.In(t)
	s := f.date(t)
	if f.hasTime {
		if f.hasDate {
			s += f.joint()
		}
		s += f.clock(t)
	}
	if f.zone != "" && !f.hasTime {
		s += ","
	}
	switch f.zone {
	case "short":
		s += " " + shiftName(f.in, t)
	case "long":
		s += " Coordinated Universal Time"
	}
	return s
}

// shiftName is a zone as its shift, which tells all of them apart: CST is one of America and one of Asia.
func shiftName(z *zone.Zone, t time.Time) string {
	if z == nil {
		return "UTC"
	}
	minutes, sign := int(z.Shift(t).Minutes()), "+"
	if minutes < 0 {
		minutes, sign = -minutes, "-"
	}
	s := "GMT"
	if minutes != 0 {
		s += sign + strconv.Itoa(minutes/60)
	}
	if minutes%60 != 0 {
		s += ":" + two(minutes%60)
	}
	return s
}

func (f *dateFormat) joint() string {
	switch {
	case f.month == "long":
		return " at "
	case f.month == "" && f.year == "" && f.day == "": // a weekday alone
		return " "
	}
	return ", "
}

func (f *dateFormat) date(t time.Time) string {
	year := t.Year()
	y, d := strconv.Itoa(year), number(f.day, t.Day())
	if year <= 0 { // there is no year 0 in a calendar
		y = strconv.Itoa(1-year) + " B"
	}
	if f.year == "2-digit" {
		y = two(((year % 100) + 100) % 100)
	}
	s := ""
	switch {
	case f.spelled:
		s = named(f.month, t.Month().String())
		if f.day != "" {
			s += " " + d
		}
		if f.year != "" && f.day != "" {
			s += ","
		}
		if f.year != "" {
			s += " " + y
		}
	default:
		for _, part := range []struct{ how, text string }{{f.month, number(f.month, int(t.Month()))}, {f.day, d}, {f.year, y}} {
			if part.how == "" {
				continue
			}
			if s != "" {
				s += "/"
			}
			s += part.text
		}
	}
	if f.weekday == "" {
		return s
	}
	w := named(f.weekday, t.Weekday().String())
	switch {
	case s == "":
		return w
	case f.month == "" && f.year == "": // 5 Monday
		return s + " " + w
	}
	return w + ", " + s
}

func (f *dateFormat) clock(t time.Time) string {
	if f.hour == "" {
		switch {
		case f.minute != "" && f.second != "":
			return two(t.Minute()) + ":" + two(t.Second())
		case f.minute != "":
			return strconv.Itoa(t.Minute())
		}
		return strconv.Itoa(t.Second())
	}
	h, half, digits := t.Hour(), "", f.hour
	switch f.cycle {
	case "h23":
		digits = "2-digit"
	case "h24":
		if digits = "2-digit"; h == 0 {
			h = 24
		}
	default:
		if half = " AM"; h >= 12 {
			half = " PM"
		}
		if h %= 12; h == 0 {
			h = 12
		}
	}
	s := number(digits, h)
	if f.minute != "" {
		s += ":" + two(t.Minute())
	}
	if f.second != "" {
		s += ":" + two(t.Second())
	}
	return s + half
}

func two(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

func number(how string, n int) string {
	if how == "2-digit" {
		return two(n)
	}
	return strconv.Itoa(n)
}

func named(how, name string) string {
	switch how {
	case "short":
		return name[:3]
	case "narrow":
		return name[:1]
	}
	return name
}
