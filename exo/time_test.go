package exo

import (
	"testing"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// FuzzParseTime: whatever is read as an instant is written in one form, and that
// form is read as the same instant; nothing panics.
func FuzzParseTime(f *testing.F) {
	for _, s := range []string{
		"2024-01-31T12:00:00Z", "2024-01-31 12:00:00", "2024-01-31", "2024-02-30", "0000-01-01", "9999-12-31T23:59:59.9999Z",
		"2024-01-31T12:00:00.123456789+05:30", "300000-01-01T00:00:00Z", "", "now", "2024-01-31T25:00:00Z", "2024-01-31T12:00:00 Z",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at, ok := scalar.ParseTime(s)
		if !ok {
			return
		}
		v := value.Time(at)
		if v.IsZero() {
			return // a year that no engine takes
		}
		again, ok := scalar.ParseTime(v.Time().Format(scalar.TimeFormat))
		if !ok || !again.Equal(v.Time()) {
			t.Errorf("%q is read as %v, written as %s, read again as %v %v", s, at, v, again, ok)
		}
	})
}
