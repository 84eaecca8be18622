package kit

import (
	"time"
)

type AsksItem struct {
	ID, Org int64
	Code    string
	At      time.Time
	N       int64
	Up      *string
	Meta    string
}
