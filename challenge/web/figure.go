package web

import (
	"context"
	"fmt"
	"maps"
	"math"
	"sync"
	"time"

	"github.com/exoagent/exoagent/challenge/store"
)

// parts is the number of bars in a row of the figure.
const parts = 48

// history is the data of the figure. Reading all hours and wins takes a tenth of a second after a year. So it is read only after a change, and
// not for each page.
type history struct {
	mu   sync.Mutex
	at   time.Time
	of   map[string]int64 // the counters at the last read
	read *store.History
}

const (
	historyEvery = 2 * time.Second  // the least time between two reads, however much is sent
	historyLasts = 10 * time.Minute // the most time between two reads, because the figure must end at the present time
)

func (s *Server) history(ctx context.Context, counters map[string]int64) (*store.History, error) {
	k := &s.kept
	k.mu.Lock()
	defer k.mu.Unlock()
	age := s.o.Now().Sub(k.at)
	first := k.read != nil && k.read.From.IsZero() && counters["attempts"] > 0 // an empty figure would be wrong if an attempt exists
	if k.read != nil && !first && age >= 0 && (age < historyEvery || age < historyLasts && maps.Equal(k.of, counters)) {
		return k.read, nil
	}
	h, err := s.arena.Store.History(ctx, parts)
	if err == nil {
		k.at, k.of, k.read = s.o.Now(), counters, h
	}
	return h, err
}

// figure shows the attempts and the wins over time. Each lane has a row of bars below a wall; a bar is a number of attempts. A stroke through
// the wall is a win. All numbers are the host's own.
type figure struct {
	From, To time.Time // zero if no attempt was sent yet
	Rows     []figureRow
}

// Each returns how much time one bar covers, in words.
func (f *figure) Each() string {
	hours := f.To.Sub(f.From).Hours() / parts
	if hours >= 47.5 {
		return many(int(math.Round(hours/24)), "day")
	}
	return many(int(math.Round(hours)), "hour")
}

type figureRow struct {
	apiLane
	Bars    []mark
	Strokes []mark
	Said    string // the figure in words, for readers who can't see it
}

// mark is a rectangle in a row of 480 by 48.
type mark struct{ X, Y, H float64 }

// A row is 48 units high. From its top, ground and wallAt are the places of the ground, on which bars begin, and of the wall. A bar has at most
// the height tallest, so that it ends below the wall.
const ground, wallAt, tallest = 48.0, 12.0, 32.0

func figureOf(lanes []apiLane, h *store.History) *figure {
	f := &figure{From: h.From, To: h.To}
	most := int64(1)
	for _, l := range lanes {
		for _, n := range h.Attempts[l.ID] {
			most = max(most, n)
		}
	}
	for _, l := range lanes {
		row := figureRow{apiLane: l}
		var attempts, wins int64
		for i, n := range h.Attempts[l.ID] {
			if attempts += n; n > 0 {
				high := max(3, tallest*math.Log1p(float64(n))/math.Log1p(float64(most)))
				row.Bars = append(row.Bars, mark{float64(i*10 + 1), ground - high, high})
			}
		}
		for i, n := range h.Wins[l.ID] {
			if wins += n; n > 0 {
				row.Strokes = append(row.Strokes, mark{float64(i*10 + 3), 0, ground})
			}
		}
		row.Said = fmt.Sprintf("%s: %s, %s", l.Title, many(int(attempts), "attempt"), many(int(wins), "key"))
		f.Rows = append(f.Rows, row)
	}
	return f
}
