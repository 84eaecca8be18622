package store

import (
	"context"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
)

// hour is the unit for counting attempts over time, in milliseconds.
const hour = 3600 * 1000

// History has the numbers of attempts and of wins in equal parts of time until now. The time begins with the first attempt, and has at least
// an hour for each part.
type History struct {
	From, To time.Time // zero if no attempt was ever sent
	Attempts map[game.Lane][]int64
	Wins     map[game.Lane][]int64
}

// History counts all attempts, also those that were deleted.
func (s *Store) History(ctx context.Context, parts int) (*History, error) {
	h := &History{Attempts: map[game.Lane][]int64{}, Wins: map[game.Lane][]int64{}}
	var first int64
	if err := s.read.QueryRowContext(ctx, "SELECT coalesce(min(hour), -1) FROM hours").Scan(&first); err != nil || first < 0 {
		return h, err
	}
	now := s.now() / hour
	first = min(first, now-int64(parts)+1) // a part is at least an hour, the unit that is counted
	span := now - first + 1
	h.From, h.To = time.UnixMilli(first*hour).UTC(), time.UnixMilli((now+1)*hour).UTC()
	if err := s.tally(ctx, h.Attempts, "SELECT lane, hour, attempts FROM hours", first, span, parts); err != nil {
		return nil, err
	}
	if err := s.tally(ctx, h.Wins, "SELECT lane, at / 3600000 AS hour, 1 AS attempts FROM wins", first, span, parts); err != nil {
		return nil, err
	}
	return h, nil
}

// tally adds what a query counts by the hour. An hour outside of all parts, after a clock was set back, counts in the first or the last part.
func (s *Store) tally(ctx context.Context, into map[game.Lane][]int64, counts string, first, span int64, parts int) error {
	rows, err := s.read.QueryContext(ctx, "SELECT lane, min(max((hour - ?1) * ?2 / ?3, 0), ?2 - 1), sum(attempts) FROM ("+counts+") GROUP BY 1, 2", first, parts, span)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var lane game.Lane
		var part int
		var n int64
		if err := rows.Scan(&lane, &part, &n); err != nil {
			return err
		}
		if into[lane] == nil {
			into[lane] = make([]int64, parts)
		}
		into[lane][part] = n
	}
	return rows.Err()
}
