package scalar

import (
	"strings"
	"time"
)

// TimeFormat is the form of an instant everywhere: JSON, SQLite, errors. It is that of JavaScript's
// Date.prototype.toISOString.
const TimeFormat = "2006-01-02T15:04:05.000Z"

// ParseTime reads an instant as guests and databases write it: RFC 3339, with
// or without fraction, zone or 'T'; no zone means UTC. A bare date is midnight.
func ParseTime(s string) (time.Time, bool) {
	t, _, ok := ReadTime(s)
	return t, ok
}

// ReadTime is ParseTime, and reports whether s has a zone. Without one, it reads the time as UTC.
func ReadTime(s string) (t time.Time, zoned, ok bool) {
	if len(s) > 40 {
		return time.Time{}, false, false
	}
	for _, f := range timeForms {
		if len(f) > 10 && len(s) > 10 && s[10] != f[10] { // Parse makes an error for a text that does not match
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
