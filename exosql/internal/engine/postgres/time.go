package postgres

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// decodeTime returns the instant that b gives as microseconds since 2000. A timestamp without time
// zone is in UTC. Infinity becomes the zero Value.
func decodeTime(b []byte) value.Value {
	us := int64(binary.BigEndian.Uint64(b))
	if us == math.MaxInt64 || us == math.MinInt64 {
		return value.Value{}
	}
	const day = 24 * 60 * 60 * 1_000_000
	// The days and the rest are added in two steps, since their sum would overflow for years beyond 9999.
	t := time.UnixMicro(epoch).AddDate(0, 0, int(us/day)).Add(time.Duration(us%day) * time.Microsecond)
	return value.Time(t)
}

// decodeDate returns "2006-01-02" for days since 2000. A year before 1 or after 9999 becomes the database's text, and infinity the zero Value.
func decodeDate(b []byte) value.Value {
	days := int32(binary.BigEndian.Uint32(b))
	if days == math.MaxInt32 || days == math.MinInt32 {
		return value.Value{}
	}
	t := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(days))
	if year := t.Year(); year < 1 {
		return value.Text(fmt.Sprintf("%04d", 1-year) + t.Format("-01-02") + " BC")
	}
	return value.Text(t.Format(time.DateOnly))
}

// decodeInterval returns the canonical text of microseconds, days and months.
func decodeInterval(b []byte) value.Value {
	us := int64(binary.BigEndian.Uint64(b))
	days, months := int32(binary.BigEndian.Uint32(b[8:])), int32(binary.BigEndian.Uint32(b[12:]))
	if days == months && (days == math.MaxInt32 && us == math.MaxInt64 || days == math.MinInt32 && us == math.MinInt64) {
		return value.Value{} // the interval is infinite
	}
	return value.Text(scalar.Interval{Months: months, Days: days, Micros: us}.String())
}
