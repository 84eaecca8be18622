// Package zone has time zones as data, so that a process without files, like a worker, can get one by value.
//
// The host chooses a zone by its IANA name. A Zone converts an instant to the time on clocks there, and back. A Zone that was sent to another
// process gives the same results.
package zone

import (
	"fmt"
	"math"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/exoagent/exoagent/internal/wire"
)

// Zone is a time zone. It never changes. nil is UTC.
type Zone struct {
	name   string
	starts []int64 // the start of each period, in seconds since 1970; the first has none
	kinds  []uint8 // the clock of each period, as an index in clocks
	clocks []*time.Location
	shifts []int64 // the seconds east of UTC, for each of clocks
}

// noNames are names of files that systems have next to the zones, and names for the machine's own zone.
var noNames = []string{"Local", "localtime", "posixrules", "Factory"}

// abbreviations are zone names that PostgreSQL reads as one fixed shift for all years.
var abbreviations = []string{"CET", "EET", "EST", "HST", "MET", "MST", "WET"}

var loaded sync.Map // the zones loaded so far, each *Zone by its name

// Load finds a zone by its IANA name, like "Europe/Berlin", in the system, or else in the binary. "" and "UTC" are UTC.
func Load(name string) (*Zone, error) {
	if name == "" || name == "UTC" {
		return nil, nil
	}
	if z, ok := loaded.Load(name); ok {
		return z.(*Zone), nil
	}
	if path.Clean(name) != name { // PostgreSQL knows no path like Europe//Berlin
		return nil, unknown(name)
	}
	if slices.Contains(noNames, name) || strings.HasPrefix(name, "right/") || strings.HasPrefix(name, "posix/") {
		return nil, unknown(name)
	}
	if slices.ContainsFunc(abbreviations, func(a string) bool { return strings.EqualFold(a, name) }) {
		return nil, fmt.Errorf("databases read %s as an abbreviation with another meaning: name a place, like \"Europe/Berlin\"", name)
	}
	loc, err := time.LoadLocation(name)
	if err != nil { // the host's system may have no zones
		loc, err = embedded(name)
	}
	if err != nil {
		return nil, unknown(name)
	}
	kept, _ := loaded.LoadOrStore(name, laid(name, loc))
	return kept.(*Zone), nil
}

func unknown(name string) error {
	return fmt.Errorf("there is no time zone %.40q; want an IANA name like \"Europe/Berlin\", or \"UTC\"", name)
}

// laid makes a Zone from Go's location.
func laid(name string, loc *time.Location) *Zone {
	z := &Zone{name: name}
	for t := time.Date(1800, 1, 1, 0, 0, 0, 0, time.UTC); t.Unix() < far; {
		abbreviation, shift := t.In(loc).Zone()
		if k := z.clock(abbreviation, int64(shift)); len(z.kinds) == 0 {
			z.starts, z.kinds = append(z.starts, math.MinInt64), append(z.kinds, k)
		} else if k != z.kinds[len(z.kinds)-1] { // a rule without an end is cut into periods of one year
			z.starts, z.kinds = append(z.starts, t.Unix()), append(z.kinds, k)
		}
		_, end := t.In(loc).ZoneBounds()
		if end.IsZero() {
			break
		}
		if !end.After(t) { // the last day of a leap year
			end = t.AddDate(0, 0, 1)
		}
		t = end
	}
	return z
}

// clock returns the index in clocks for an abbreviation and its seconds east of UTC.
func (z *Zone) clock(abbreviation string, shift int64) uint8 {
	for i, c := range z.clocks {
		if c.String() == abbreviation && z.shifts[i] == shift {
			return uint8(i)
		}
	}
	z.clocks, z.shifts = append(z.clocks, time.FixedZone(abbreviation, int(shift))), append(z.shifts, shift)
	return uint8(len(z.clocks) - 1)
}

// From far on all rules repeat in cycles. 400 years are a whole number of weeks, and no zone has announced other rules after 2087.
var far = time.Date(2500, 1, 1, 0, 0, 0, 0, time.UTC).Unix()

const cycle = 146097 * 86400

// Name returns the IANA name.
func (z *Zone) Name() string {
	if z == nil {
		return "UTC"
	}
	return z.name
}

func (z *Zone) at(seconds int64) uint8 {
	if seconds >= far {
		seconds = far - cycle + (seconds-far)%cycle
	}
	return z.kinds[sort.Search(len(z.starts), func(i int) bool { return z.starts[i] > seconds })-1]
}

// In returns an instant as clocks in the zone show it. The result's location has the abbreviation and the shift of only that instant.
func (z *Zone) In(t time.Time) time.Time {
	if z == nil {
		return t.UTC()
	}
	return t.In(z.clocks[z.at(t.Unix())])
}

// Shift returns how far clocks in the zone are ahead of UTC at t.
func (z *Zone) Shift(t time.Time) time.Duration {
	if z == nil {
		return 0
	}
	return time.Duration(z.shifts[z.at(t.Unix())]) * time.Second
}

// Instant returns when clocks in the zone show the time that shown has in UTC. It returns the first of two such instants. If clocks skip
// that time, Instant counts as if they did not, as JavaScript does.
func (z *Zone) Instant(shown time.Time) time.Time {
	if z == nil {
		return shown
	}
	before, after := z.Shift(shown.AddDate(0, 0, -1)), z.Shift(shown.AddDate(0, 0, 1))
	first := shown.Add(-before)
	if second := shown.Add(-after); z.Shift(first) != before && z.Shift(second) == after {
		return second
	}
	return first
}

// Append appends z to b in the form that Read reads in another process.
func (z *Zone) Append(b []byte) []byte {
	if z == nil {
		return wire.AppendText(b, "")
	}
	b = wire.AppendCount(wire.AppendText(b, z.name), len(z.clocks))
	for i, c := range z.clocks {
		b = wire.AppendInt(wire.AppendText(b, c.String()), z.shifts[i])
	}
	b = wire.AppendCount(b, len(z.kinds))
	last := int64(0)
	for i, k := range z.kinds {
		if b = append(b, k); i > 0 {
			b = wire.AppendInt(b, z.starts[i]-last)
			last = z.starts[i]
		}
	}
	return b
}

// Read reads a Zone that Append wrote. It returns nil for UTC, and after an error, which r then has.
func Read(r *wire.Reader) *Zone {
	name := r.Text()
	if name == "" {
		return nil
	}
	z := &Zone{name: name}
	for range r.Count(2) {
		name, shift := r.Text(), r.Int()
		z.clocks, z.shifts = append(z.clocks, time.FixedZone(name, int(shift))), append(z.shifts, shift)
	}
	last := int64(0)
	for i := range r.Count(1) {
		k := r.Byte()
		if int(k) >= len(z.clocks) {
			r.Fail("a period of the time zone names a clock that the time zone does not have")
			return nil
		}
		if z.kinds = append(z.kinds, k); i == 0 {
			z.starts = append(z.starts, math.MinInt64)
			continue
		}
		last += r.Int()
		z.starts = append(z.starts, last)
	}
	if len(z.kinds) == 0 {
		r.Fail("the time zone has no period")
		return nil
	}
	return z
}
