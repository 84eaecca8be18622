package scalar

import "time"

// TimeFormat is how an instant is written everywhere: JSON, SQLite, errors. It
// is JavaScript's Date.prototype.toISOString.
const TimeFormat = "2006-01-02T15:04:05.000Z"

// ParseTime reads an instant as guests and databases write it: RFC 3339, with
// or without fraction, zone or 'T'; no zone means UTC. A bare date is midnight.
func ParseTime(s string) (time.Time, bool) {
	if len(s) > 40 {
		return time.Time{}, false
	}
	for _, f := range timeForms {
		if t, err := time.Parse(f, s); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

var timeForms = []string{
	time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999",
	"2006-01-02T15:04Z07:00", "2006-01-02 15:04Z07:00", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02",
}
