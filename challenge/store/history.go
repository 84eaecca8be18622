package store

import (
	"context"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
)

// hour is the unit in which attempts are counted over time, in milliseconds.
const hour = 3600 * 1000

// History is how many attempts came, and how many wins, in each of so many equal parts of the time
// from the first attempt, or from as many hours ago, until now.
type History struct {
	From, To time.Time // zero: nothing was ever sent
	Attempts map[game.Lane][]int64
	Wins     map[game.Lane][]int64
}

// History counts what was sent, also what is not kept any more.
func (s *Store) History(ctx context.Context, parts int) (*History, error) {
	h := &History{Attempts: map[game.Lane][]int64{}, Wins: map[game.Lane][]int64{}}
	var first int64
	if err := s.read.QueryRowContext(ctx, "SELECT coalesce(min(hour), -1) FROM hours").Scan(&first); err != nil || first < 0 {
		return h, err
	}
	now := s.now() / hour
	first = min(first, now-int64(parts)+1) // no part is shorter than the hour that is counted
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

// tally adds what a query counts by the hour. A clock that was set back puts nothing outside.
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
