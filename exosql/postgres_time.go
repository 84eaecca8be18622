package exosql

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exo"
)

// decodeTime makes an instant of microseconds since 2000; a timestamp without
// zone is one in UTC. Infinity is none.
func decodeTime(b []byte) exo.Value {
	us := int64(binary.BigEndian.Uint64(b))
	if us == math.MaxInt64 || us == math.MinInt64 {
		return exo.Value{}
	}
	const day = 24 * 60 * 60 * 1_000_000
	// In two steps: years beyond 9999 would overflow the sum.
	t := time.UnixMicro(postgresEpoch).AddDate(0, 0, int(us/day)).Add(time.Duration(us%day) * time.Microsecond)
	return exo.Time(t)
}

// decodeDate makes "2006-01-02" of days since 2000.
func decodeDate(b []byte) exo.Value {
	days := int32(binary.BigEndian.Uint32(b))
	if days == math.MaxInt32 || days == math.MinInt32 {
		return exo.Value{}
	}
	t := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(days))
	if y := t.Year(); y < 1 || y > 9999 {
		return exo.Value{}
	}
	return exo.Text(t.Format(time.DateOnly))
}

// decodeInterval makes ISO 8601 of months, days and microseconds, as PostgreSQL
// writes it with IntervalStyle iso_8601: parts that are zero are left out, and
// each part has a sign of its own.
func decodeInterval(b []byte) exo.Value {
	us := int64(binary.BigEndian.Uint64(b))
	days, months := int32(binary.BigEndian.Uint32(b[8:])), int32(binary.BigEndian.Uint32(b[12:]))
	if days == months && (days == math.MaxInt32 && us == math.MaxInt64 || days == math.MinInt32 && us == math.MinInt64) {
		return exo.Value{} // infinity
	}
	var s strings.Builder
	s.WriteByte('P')
	part := func(n int64, unit byte) {
		if n != 0 {
			s.WriteString(strconv.FormatInt(n, 10))
			s.WriteByte(unit)
		}
	}
	part(int64(months/12), 'Y')
	part(int64(months%12), 'M')
	part(int64(days), 'D')
	if us != 0 || s.Len() == 1 {
		s.WriteByte('T')
		part(us/3_600_000_000, 'H')
		part(us/60_000_000%60, 'M')
		if sec := us % 60_000_000; sec != 0 || us == 0 {
			sign := ""
			if sec < 0 {
				sign, sec = "-", -sec
			}
			text := fmt.Sprintf("%s%d.%06d", sign, sec/1_000_000, sec%1_000_000)
			s.WriteString(strings.TrimRight(strings.TrimRight(text, "0"), "."))
			s.WriteByte('S')
		}
	}
	return exo.Text(s.String())
}
