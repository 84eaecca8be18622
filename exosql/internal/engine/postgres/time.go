package postgres

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// decodeTime makes an instant of microseconds since 2000; a timestamp without zone is one in UTC. What no instant of a program can be
// (infinity, a year before 1 or after 9999) is the text that the database prints.
func decodeTime(zone string) decoder {
	return func(b []byte) value.Value {
		us := int64(binary.BigEndian.Uint64(b))
		if us == math.MaxInt64 || us == math.MinInt64 {
			return endless(us > 0)
		}
		const day = 24 * 60 * 60 * 1_000_000
		// In two steps: years beyond 9999 would overflow the sum.
		t := time.UnixMicro(epoch).AddDate(0, 0, int(us/day)).Add(time.Duration(us%day) * time.Microsecond).UTC()
		if v := value.Time(t); !v.IsZero() {
			return v
		}
		return far(t, " 15:04:05.999999"+zone)
	}
}

// decodeDate makes "2006-01-02" of days since 2000, and of others what decodeTime does.
func decodeDate(b []byte) value.Value {
	days := int32(binary.BigEndian.Uint32(b))
	if days == math.MaxInt32 || days == math.MinInt32 {
		return endless(days > 0)
	}
	t := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(days))
	if y := t.Year(); y < 1 || y > 9999 {
		return far(t, "")
	}
	return value.Text(t.Format(time.DateOnly))
}

func endless(after bool) value.Value {
	if after {
		return value.Text("infinity")
	}
	return value.Text("-infinity")
}

// far is a day outside of the years from 1 to 9999 as PostgreSQL prints it, with the clock in that layout.
func far(t time.Time, clock string) value.Value {
	year, era := t.Year(), ""
	if year < 1 {
		year, era = 1-year, " BC"
	}
	return value.Text(fmt.Sprintf("%04d", year) + t.Format("-01-02"+clock) + era)
}

// decodeInterval makes the canonical text of microseconds, days and months.
func decodeInterval(b []byte) value.Value {
	us := int64(binary.BigEndian.Uint64(b))
	days, months := int32(binary.BigEndian.Uint32(b[8:])), int32(binary.BigEndian.Uint32(b[12:]))
	if days == months && (days == math.MaxInt32 && us == math.MaxInt64 || days == math.MinInt32 && us == math.MinInt64) {
		return value.Value{} // infinity
	}
	return value.Text(scalar.Interval{Months: months, Days: days, Micros: us}.String())
}
