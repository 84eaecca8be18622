package realm

// This file writes dates in a locale, by options that were read before.

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/exoagent/exoagent/internal/zone"
)

// dateFormat has the options of Intl.DateTimeFormat. An empty field is not shown.
type dateFormat struct {
	r                    *Realm
	locale               locale
	dateStyle, timeStyle string // full, long, medium or short
	weekday, month       string // long, short or narrow; for a month also numeric or 2-digit
	year, day            string // numeric or 2-digit
	hour, minute, second string
	cycle                string // h11, h12, h23, h24, true or false
	zone                 string // short or long
	in                   *zone.Zone
	pattern              string
}

// settle finds the pattern in the tables of the locale. If date is set and the options name no part of a date, settle adds the usual date. If clock
// is set and they name no part of a time, it adds the usual time. If either is set, one named part of any kind is enough to add nothing.
func (f *dateFormat) settle(date, clock, either bool) {
	styled := f.dateStyle+f.timeStyle != ""
	dated, timed := f.weekday+f.month+f.year+f.day != "", f.hour+f.minute+f.second != ""
	if !styled {
		any := either && (dated || timed)
		if date && !dated && !any {
			f.year, f.month, f.day, dated = "numeric", "numeric", "numeric", true
		}
		if clock && !timed && !any {
			f.hour, f.minute, f.second, timed = "numeric", "numeric", "numeric", true
		}
	}
	day, cycle := "d"+initials(f.weekday, f.year, f.month, f.day), initials(f.cycle)
	if len(f.cycle) == 3 {
		cycle = map[string]string{"h11": "1", "h12": "2", "h23": "3", "h24": "4"}[f.cycle]
	}
	if f.hour == "" && !styled {
		cycle = "-"
	}
	time := "t" + initials(f.hour, f.minute, f.second) + cycle
	if styled {
		dated, timed = f.dateStyle != "", f.timeStyle != ""
		day, time = "D"+initials(f.dateStyle), "T"+initials(f.timeStyle)+cycle
	}
	if timed && !styled && f.weekday != "" && f.year+f.month+f.day == "" && (f.locale.name != "en-US" || f.hour == "" || f.zone != "") { // for a weekday with a time and no day, the locale has patterns that the tables lack
		panic(f.r.RangeError("a weekday with a time and no day is not available; format the weekday and the time each on its own, and join them"))
	}
	zone := slices.Index([]string{"", "short", "long"}, f.zone)
	if dated {
		row := f.locale.row(day)
		f.pattern = row[0]
		if timed {
			f.pattern += row[1]
		} else if zone > 0 {
			f.pattern += row[1+zone]
		}
	}
	if timed {
		row := f.locale.row(time)
		f.pattern += row[min(zone, len(row)-1)] // the pattern of a style includes the zone
	}
}

// initials returns the key in the tables for a combination of options.
func initials(options ...string) string {
	s := ""
	for _, o := range options {
		switch o {
		case "":
			s += "-"
		case "narrow":
			s += "w"
		default:
			s += o[:1]
		}
	}
	return s
}

func (f *dateFormat) format(t time.Time) string {
	t = f.in.In(t)
	if f.in != nil && f.in != f.r.Zone && t.Unix() < 0 { // the time zone data share one older history among several places
		panic(f.r.RangeError("a time before 1970 can be formatted only in UTC and the tool's own time zone; use timeZone: 'UTC'"))
	}
	if t.Year() < 1 {
		panic(f.r.RangeError("a year before 1 can't be formatted; use toISOString"))
	}
	fields, h := []string{"{Y}", two(t.Year() % 100)}, t.Hour()
	for _, x := range []struct {
		letter string
		n      int
	}{{"y", t.Year()}, {"m", int(t.Month())}, {"d", t.Day()}, {"i", t.Minute()}, {"s", t.Second()}, {"x", h % 12}, {"h", (h+11)%12 + 1}, {"k", h}, {"q", (h+23)%24 + 1}} {
		fields = append(fields, "{"+x.letter+"}", strconv.Itoa(x.n), "{"+strings.ToUpper(x.letter)+"}", two(x.n))
	}
	for i := range 10 {
		key := "{" + strconv.Itoa(i) + "}"
		if !strings.Contains(f.pattern, key) {
			continue
		}
		switch names := f.locale.row(key); len(names) {
		case 12:
			fields = append(fields, key, names[t.Month()-1])
		case 7:
			fields = append(fields, key, names[t.Weekday()])
		}
	}
	fields = append(fields, "{p}", f.locale.row("p")[h/12])
	for i, key := range []string{"{z}", "{Z}"} {
		if strings.Contains(f.pattern, key) {
			fields = append(fields, key, f.zoneName(t, i == 1))
		}
	}
	return strings.NewReplacer(fields...).Replace(f.pattern)
}

// clocks returns the short and the long name of the zone's clocks at a time, or none if the locale shows their shift instead. As in Node.js,
// names depend on zone, time and locale: CST names different clocks in America and Asia. The tables have the names since 1990, or since the
// place last changed a name.
func (f *dateFormat) clocks(t time.Time) []string {
	_, seconds := t.Zone()
	for _, known := range (locale{tables: locales}).row(f.in.Name()) {
		shift, kind, _ := strings.Cut(known, "=")
		kind, since, _ := strings.Cut(kind, "@")
		if year, err := strconv.Atoi(since); err == nil && shift == strconv.Itoa(seconds/60) && t.Year() >= year {
			return append(f.locale.row("z"+kind), "")
		}
	}
	panic(f.r.RangeError("there is no name for the time zone " + f.in.Name() + " at that time; leave out timeZoneName, and the timeStyle 'long' or 'full'"))
}

// zoneName returns the short or the long name of the zone.
func (f *dateFormat) zoneName(t time.Time, long bool) string {
	row := f.locale.row("zone")
	switch {
	case f.in == nil && long:
		return row[0]
	case f.in == nil:
		return "UTC"
	}
	name := f.clocks(t)[:2]
	if long && name[1] != "" {
		return name[1]
	}
	if !long && name[0] != "" {
		return name[0]
	}
	minutes := int(f.in.Shift(t).Minutes())
	s := row[1]
	if minutes < 0 {
		s, minutes = row[2], -minutes
	}
	if long {
		return s + two(minutes/60) + ":" + two(minutes%60)
	}
	s += strconv.Itoa(minutes / 60)
	if minutes%60 != 0 {
		s += ":" + two(minutes%60)
	}
	return s
}

func two(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}
