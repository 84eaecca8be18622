package scalar

import (
	"strings"
	"time"
)

// TimeFormat is the form of every instant in JSON, in SQLite and in errors, as JavaScript's Date.prototype.toISOString writes it.
const TimeFormat = "2006-01-02T15:04:05.000Z"

// ParseTime reads an instant in the forms of guests and databases: RFC 3339, where the fraction, the zone and the 'T' may be missing. An
// instant without a zone is in UTC, and an instant without a time is midnight.
func ParseTime(s string) (time.Time, bool) {
	t, _, ok := ReadTime(s)
	return t, ok
}

// ReadTime is ParseTime, and also reports whether s has a zone. Without one, it reads the time as UTC.
func ReadTime(s string) (t time.Time, zoned, ok bool) {
	if len(s) > 40 {
		return time.Time{}, false, false
	}
	for _, f := range timeForms {
		if len(f) > 10 && len(s) > 10 && s[10] != f[10] { // a text with another separator does not match, and this costs less than the error that Parse would make
			continue
		}
		if t, err := time.Parse(f, s); err == nil {
			return t.UTC(), strings.HasSuffix(f, "Z07:00"), true
		}
	}
	return time.Time{}, false, false
}

var timeForms = []string{
	time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999",
	"2006-01-02T15:04Z07:00", "2006-01-02 15:04Z07:00", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02",
}
