package sqlite

import (
	"database/sql/driver"
	"errors"
	"math"
	"strconv"

	"github.com/exoagent/exoagent/exosql/internal/number"
)

// errHold is the error for a value that its column can't store. SQLite would store a similar one: a
// float for 2^63 + 1 in a column of whole numbers, and infinity for a product that is too large.
var errHold = errors.New("exosql: the column can't store the value exactly")

func storeWhole(args []driver.Value) any {
	switch v := args[0].(type) {
	case nil, int64:
		return v
	case string: // an exact number
		if n, err := strconv.ParseInt(v, 10, 64); err == nil {
			return n
		}
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<63 {
			return int64(v)
		}
	}
	return errHold
}

func storeFloat(args []driver.Value) any {
	switch v := args[0].(type) {
	case nil, int64:
		return v
	case string:
		if n, err := strconv.ParseFloat(v, 64); err == nil {
			return n
		}
	case float64:
		if !math.IsInf(v, 0) && !math.IsNaN(v) {
			return v
		}
	}
	return errHold
}

func storeExact(x driver.Value, wholes bool) any {
	if cell, ok := number.Kept(x, wholes); ok {
		return cell
	}
	return errHold
}
