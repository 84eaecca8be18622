package zone_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/exoagent/exoagent/internal/wire"
	"github.com/exoagent/exoagent/internal/zone"
)

// Zones with all that zones do: half hours, clocks changed at midnight, by half an hour, by two hours, by a day, twice a
// year for a month, never, and backwards.
var names = []string{"Antarctica/Troll", "Africa/Monrovia", "America/Nuuk", "Antarctica/Casey", "Europe/Moscow", "Pacific/Kwajalein", "Asia/Kathmandu", "EST5EDT", "America/New_York", "Europe/Berlin", "Europe/London", "Asia/Kolkata", "Australia/Lord_Howe", "America/Sao_Paulo", "America/Havana", "Africa/Casablanca", "Asia/Tehran", "Pacific/Apia", "Europe/Dublin", "Asia/Tokyo", "Etc/GMT+5", "Asia/Gaza"}

func TestZone(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range names {
		loc, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		z, err := zone.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		b := z.Append(nil)
		read := wire.NewOwner(string(b))
		crossed := zone.Read(&read)
		if err := read.Done(); err != nil || crossed.Name() != name {
			t.Fatal(name, crossed.Name(), err)
		}
		t.Logf("%s: %d bytes", name, len(b))
		for range 20_000 {
			at := time.Unix(-6e9+r.Int64N(2.5e11), r.Int64N(1e9)) // 1779 to 9700
			if r.IntN(2) == 0 {
				at = time.Unix(-2208988800+r.Int64N(6311433600), 0) // 1900 to 2100
			}
			if start, _ := at.In(loc).ZoneBounds(); r.IntN(4) == 0 && !start.IsZero() { // beside a change
				at = start.Add(time.Duration(r.IntN(3)-1) * time.Second)
			}
			want := at.In(loc)
			if got, other := z.In(at), crossed.In(at); got.Format(time.RFC1123) != want.Format(time.RFC1123) || other.Format(time.RFC1123) != want.Format(time.RFC1123) || !got.Equal(at) {
				t.Fatalf("%s: %v is %v here, %v and %v in the table", name, at.UTC(), want, got, other)
			}
			// What clocks show is when they showed it, or they show it again later.
			shown := time.Date(want.Year(), want.Month(), want.Day(), want.Hour(), want.Minute(), want.Second(), want.Nanosecond(), time.UTC)
			if back := z.Instant(shown); !back.Equal(at) && (back.After(at) || z.In(back).Format(time.DateTime) != want.Format(time.DateTime)) {
				t.Fatalf("%s: %v shows %v, which is shown at %v", name, at.UTC(), shown, back.UTC())
			}
		}
	}
}

// What clocks skip is as if they had not, and of what they show twice it is the first.
func TestInstant(t *testing.T) {
	for _, c := range []struct{ zone, shown, at string }{
		{"", "2024-03-31T02:30:00Z", "2024-03-31T02:30:00Z"},
		{"Europe/Berlin", "2024-03-31T01:59:59Z", "2024-03-31T00:59:59Z"},
		{"Europe/Berlin", "2024-03-31T02:30:00Z", "2024-03-31T01:30:00Z"},
		{"Europe/Berlin", "2024-03-31T03:00:00Z", "2024-03-31T01:00:00Z"},
		{"Europe/Berlin", "2024-10-27T02:30:00Z", "2024-10-27T00:30:00Z"},
		{"Europe/Berlin", "2024-10-27T03:00:00Z", "2024-10-27T02:00:00Z"},
		{"America/New_York", "2024-03-10T02:30:00Z", "2024-03-10T07:30:00Z"},
		{"America/New_York", "2024-11-03T01:30:00Z", "2024-11-03T05:30:00Z"},
		{"America/Havana", "2024-11-03T00:30:00Z", "2024-11-03T04:30:00Z"},
		{"Pacific/Apia", "2011-12-30T12:00:00Z", "2011-12-30T22:00:00Z"}, // a day that was not
	} {
		z, err := zone.Load(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		shown, _ := time.Parse(time.RFC3339, c.shown)
		if got := z.Instant(shown).UTC().Format(time.RFC3339); got != c.at {
			t.Errorf("%s in %s: %s, want %s", c.shown, z.Name(), got, c.at)
		}
	}
}

func TestUnknown(t *testing.T) {
	for _, name := range []string{"Local", "local", "Mars/Olympus", "../../etc/passwd", "/usr/share/zoneinfo/UTC", "Europe/", "Europe//Berlin", "Europe/./Berlin", "./Europe/Berlin", "Asia/../Europe/Berlin", "Europe", "right/UTC", "posix/UTC", "localtime", "tzdata.zi", "Europe/Berlin\x00", "Europe/Berlin'; --", " UTC", "+02:00", "2", "CET", "EET", "EST", "HST", "MET", "MST", "WET"} {
		if z, err := zone.Load(name); err == nil {
			t.Errorf("%q is %s", name, z.Name())
		}
	}
	for _, name := range []string{"", "UTC"} {
		if z, err := zone.Load(name); z != nil || err != nil {
			t.Error(name, z, err)
		}
	}
}

// A table that was cut, or has clocks that are not there, is none.
func TestRead(t *testing.T) {
	z, err := zone.Load("Asia/Kolkata")
	if err != nil {
		t.Fatal(err)
	}
	b := z.Append(nil)
	for i := range b {
		if i == 0 {
			continue
		}
		r := wire.NewOwner(string(b[:i]))
		if zone.Read(&r); r.Done() == nil {
			t.Errorf("%d bytes of %d are a table", i, len(b))
		}
	}
}

// Programs find zones by their names in any case, without files: of the system's folders and of machines they find none.
func TestFind(t *testing.T) {
	for name, want := range map[string]string{"Europe/Berlin": "Europe/Berlin", "us/pacific": "US/Pacific", "ETC/GMT+5": "Etc/GMT+5", "utc": "UTC", "Etc/UCT": "UTC", "GMT": "UTC", "Zulu": "UTC"} {
		if z, err := zone.Find(name); err != nil || z.Name() != want {
			t.Errorf("%s: %s, %v", name, z.Name(), err)
		}
	}
	for _, name := range []string{"", "Factory", "Local", "Europe", "Europe/", "../Europe/Berlin", "Europe/Berlon", "posixrules"} {
		if z, err := zone.Find(name); err == nil {
			t.Errorf("%q is %s", name, z.Name())
		}
	}
}
