package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
)

// Add keeps a new attempt of a player, before it is played: from then on it is not lost.
func (s *Store) Add(ctx context.Context, player string, a *game.Attempt) error {
	a.ID, a.At, a.State = NewID(), s.o.Now().UTC().Truncate(time.Millisecond), game.Queued
	return s.change(ctx, func(tx *sql.Tx) (int64, error) {
		brief, b, size, err := bodies(a)
		if err != nil {
			return 0, err
		}
		if _, err := tx.Exec("INSERT INTO attempts (id, player, target, lane, at, state, size, brief, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			a.ID, player, a.Target, a.Lane, a.At.UnixMilli(), a.State, size, brief, b); err != nil {
			return 0, err
		}
		for _, c := range []string{"attempts", "attempts." + string(a.Lane)} {
			if err := count(tx, c, 1); err != nil {
				return 0, err
			}
		}
		freed, err := s.evict(tx, player, size)
		return size - freed, err
	})
}

// bodies are an attempt as a list shows it and as a whole. A list of long ones would
// cost its asker nothing and us a lot.
func bodies(a *game.Attempt) (brief, body []byte, size int64, err error) {
	if body, err = json.Marshal(a); err != nil {
		return nil, nil, 0, err
	}
	short := game.Attempt{ID: a.ID, Target: a.Target, Lane: a.Lane, At: a.At, Verdict: a.Verdict, Rows: a.Rows, Millis: a.Millis, Leaked: a.Leaked}
	if len(short.Verdict.Message) > 200 {
		short.Verdict.Message = strings.ToValidUTF8(short.Verdict.Message[:200], "") + "…"
	}
	short.Verdict.Text = ""
	brief, err = json.Marshal(short)
	return brief, body, int64(len(brief) + len(body)), err
}

// evict lets attempts go that are over a bound, the oldest first: of the player, and
// then of all. Those that a win is made of stay, and so do those that are not over.
func (s *Store) evict(tx *sql.Tx, player string, grow int64) (freed int64, err error) {
	const oldest = "seq IN (SELECT seq FROM attempts WHERE pinned = 0 AND state IN ('ended', 'interrupted')"
	var n int
	if err := tx.QueryRow("SELECT count(*) FROM attempts WHERE player = ? AND pinned = 0", player).Scan(&n); err != nil {
		return 0, err
	}
	if n > s.o.PerPlayer {
		gone, err := sizes(tx, "DELETE FROM attempts WHERE "+oldest+" AND player = ? ORDER BY seq LIMIT ?) RETURNING size", player, n-s.o.PerPlayer)
		if err != nil {
			return 0, err
		}
		freed += gone
	}
	for s.bytes+grow-freed > s.o.Bytes {
		gone, err := sizes(tx, "DELETE FROM attempts WHERE "+oldest+" ORDER BY seq LIMIT 8) RETURNING size")
		if err != nil || gone == 0 {
			return freed, err
		}
		freed += gone
	}
	return freed, nil
}

func sizes(tx *sql.Tx, statement string, args ...any) (sum int64, err error) {
	rows, err := tx.Query(statement, args...)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, rows.Err()
}

// Start notes that an attempt is being played.
func (s *Store) Start(ctx context.Context, id string) error {
	return s.change(ctx, func(tx *sql.Tx) (int64, error) {
		_, err := tx.Exec("UPDATE attempts SET state = ? WHERE id = ? AND state = ?", game.Running, id, game.Queued)
		return 0, err
	})
}

// Finish keeps what an attempt came to, with the tasks that it did; and if the key
// came out of a guarded lane, the win, whether or not it is ever claimed.
func (s *Store) Finish(ctx context.Context, player string, a *game.Attempt) error {
	return s.change(ctx, func(tx *sql.Tx) (int64, error) {
		brief, b, size, err := bodies(a)
		if err != nil {
			return 0, err
		}
		var was int64
		if err := tx.QueryRow("SELECT size FROM attempts WHERE id = ? AND player = ?", a.ID, player).Scan(&was); err != nil {
			return 0, none(err)
		}
		if _, err := tx.Exec("UPDATE attempts SET state = ?, size = ?, brief = ?, body = ? WHERE id = ?", a.State, size, brief, b, a.ID); err != nil {
			return 0, err
		}
		for _, t := range a.Tasks {
			if _, err := tx.Exec("INSERT INTO done (player, target, task) SELECT id, ?, ? FROM players WHERE id = ? ON CONFLICT DO NOTHING", a.Target, t, player); err != nil {
				return 0, err
			}
		}
		if a.Leaked && a.Lane.Guarded() {
			if _, err := s.win(tx, player, a.Target, a.Lane, "", false); err != nil {
				return 0, err
			}
		}
		grow := size - was
		freed, err := s.evict(tx, player, grow)
		return grow - freed, err
	})
}

// interrupt ends the attempts that another process was playing.
func (s *Store) interrupt(ctx context.Context) error {
	rows, err := s.write.QueryContext(ctx, "SELECT "+columns+" FROM attempts WHERE state IN (?, ?)", game.Queued, game.Running)
	if err != nil {
		return err
	}
	all, err := scan(rows)
	if err != nil {
		return err
	}
	for _, k := range all {
		k.State = game.Interrupted
		k.Verdict = game.Verdict{Kind: "cancelled", Message: "the host was restarted before this attempt had ended; send it again"}
		if err := s.Finish(ctx, k.Player, k.Attempt); err != nil {
			return err
		}
	}
	return nil
}

// Kept is an attempt with what only the host knows of it.
type Kept struct {
	*game.Attempt
	Player string
	Pinned bool // a win on a guarded lane is made of it
}

const (
	columns      = "id, player, state, shared, pinned, body"
	briefColumns = "id, player, state, shared, pinned, brief"
)

func scan(rows *sql.Rows) (out []Kept, err error) {
	defer rows.Close()
	for rows.Next() {
		k, err := scanOne(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	return out, rows.Err()
}

func scanOne(row interface{ Scan(...any) error }) (Kept, error) {
	var body []byte
	k := Kept{Attempt: &game.Attempt{}}
	var id string
	var state game.State
	var shared bool
	if err := row.Scan(&id, &k.Player, &state, &shared, &k.Pinned, &body); err != nil {
		return k, none(err)
	}
	if err := json.Unmarshal(body, k.Attempt); err != nil {
		return k, fmt.Errorf("store: attempt %s: %w", id, err)
	}
	k.State, k.Shared = state, shared // these change without the body
	return k, nil
}

func none(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNone
	}
	return err
}

// Attempt finds one by its id. Who may see it is for the caller to decide.
func (s *Store) Attempt(ctx context.Context, id string) (Kept, error) {
	return scanOne(s.read.QueryRowContext(ctx, "SELECT "+columns+" FROM attempts WHERE id = ?", id))
}

// Attempts are a player's, the latest first, without their inputs and results.
func (s *Store) Attempts(ctx context.Context, player, target string, most int) ([]Kept, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT "+briefColumns+" FROM attempts WHERE player = ? AND (? = '' OR target = ?) ORDER BY seq DESC LIMIT ?", player, target, target, most)
	if err != nil {
		return nil, err
	}
	return scan(rows)
}

// Share lets everybody who has the link see an attempt of the player, or nobody any more.
func (s *Store) Share(ctx context.Context, player, id string, shared bool) error {
	return s.change(ctx, func(tx *sql.Tx) (int64, error) {
		r, err := tx.Exec("UPDATE attempts SET shared = ? WHERE id = ? AND player = ?", shared, id, player)
		if err != nil {
			return 0, err
		}
		if n, err := r.RowsAffected(); err != nil || n == 0 {
			return 0, errors.Join(err, ErrNone)
		}
		return 0, nil
	})
}
