package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
)

// Room bounds the attempts that wait in all processes, for the model lane or for the other lanes. An address may have at most as many as there is
// room left, so that later addresses find room. One address alone gets half, and n addresses get 1/(n+1) each (Choudhury and Hahne, Dynamic queue
// length thresholds for shared-memory packet switches, 1998).
type Room struct {
	PerPlayer, Total int // the most waiting attempts of a player, and of all
}

// These are the reasons to refuse an attempt. They count in all processes together.
var (
	ErrStopped = errors.New("store: the host has stopped the game")
	ErrYours   = errors.New("store: too many attempts of this player or this address wait")
	ErrFull    = errors.New("store: too many attempts wait")
)

// Add stores a new attempt of a player, sent from an address, before it is played, so that it can't be lost. An attempt that has to wait needs
// room; nil means that it is played at once. Add fails with ErrStopped, or without room with ErrYours or ErrFull.
func (s *Store) Add(ctx context.Context, player, address string, a *game.Attempt, room *Room) error {
	a.ID, a.At, a.State = NewID(), s.o.Now().UTC().Truncate(time.Millisecond), game.Queued
	return s.change(ctx, func(tx *sql.Tx) error {
		if err := s.mayCome(tx, player, address, a.Lane, room); err != nil {
			return err
		}
		brief, b, size, err := bodies(a)
		if err != nil {
			return err
		}
		state := a.State
		if room == nil {
			state = game.Running
		}
		if err := s.evict(tx, player, 1, size); err != nil {
			return err
		}
		if _, err := tx.Exec("INSERT INTO attempts (id, player, target, lane, address, at, state, process, size, brief, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			a.ID, player, a.Target, a.Lane, s.address(address), a.At.UnixMilli(), state, s.id, size, brief, b); err != nil {
			return err
		}
		if _, err := tx.Exec("UPDATE keys SET tries = tries + 1 WHERE player = ? AND target = ? AND lane = ?", player, a.Target, a.Lane); err != nil {
			return err
		}
		if _, err := tx.Exec("INSERT INTO hours (hour, lane, attempts) VALUES (?, ?, 1) ON CONFLICT (hour, lane) DO UPDATE SET attempts = attempts + 1", a.At.UnixMilli()/hour, a.Lane); err != nil {
			return err
		}
		for _, c := range []string{"attempts", "attempts." + string(a.Lane)} {
			if err := count(tx, c, 1); err != nil {
				return err
			}
		}
		return nil
	})
}

// mayCome refuses an attempt while the game is stopped, or if too many wait.
func (s *Store) mayCome(tx *sql.Tx, player, address string, lane game.Lane, room *Room) error {
	var stopped bool
	if err := tx.QueryRow("SELECT stopped FROM total").Scan(&stopped); err != nil {
		return err
	}
	if stopped {
		return ErrStopped
	}
	if room == nil {
		return nil
	}
	var all, ofPlayer, ofAddress int
	if err := tx.QueryRow("SELECT count(*), count(*) FILTER (WHERE player = ?), count(*) FILTER (WHERE address = ?) FROM attempts WHERE state = ? AND (lane = ?) = ?",
		player, s.address(address), game.Queued, game.Model, lane == game.Model).Scan(&all, &ofPlayer, &ofAddress); err != nil {
		return err
	}
	switch left := room.Total - all; {
	case ofPlayer >= room.PerPlayer:
		return ErrYours
	case left <= 0:
		return ErrFull
	case ofAddress >= left:
		return ErrYours
	}
	return nil
}

// Position returns the place of an attempt among those that wait in its process, from 1, by their arrival. That process alone knows the exact
// place. An attempt that does not wait has 0.
func (s *Store) Position(ctx context.Context, id string) (n int, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT count(*) FROM attempts AS me JOIN attempts AS a ON a.process = me.process AND a.seq <= me.seq AND (a.lane = ?1) = (me.lane = ?1)
		WHERE me.id = ?2 AND me.state = ?3 AND a.state = ?3`, game.Model, id, game.Queued).Scan(&n)
	return n, err
}

// Length returns how many attempts wait, and how many are being played, in all processes.
func (s *Store) Length(ctx context.Context) (waiting, running int, err error) {
	err = s.read.QueryRowContext(ctx, "SELECT count(*) FILTER (WHERE state = ?1), count(*) FILTER (WHERE state = ?2) FROM attempts WHERE state IN (?1, ?2)", game.Queued, game.Running).Scan(&waiting, &running)
	return waiting, running, err
}

// bodies returns an attempt in the form for a list, and as a whole. A list of whole attempts would be cheap to request and expensive to send.
func bodies(a *game.Attempt) (brief, body []byte, size int64, err error) {
	if body, err = marshal(a); err != nil {
		return nil, nil, 0, err
	}
	short := game.Attempt{ID: a.ID, Target: a.Target, Lane: a.Lane, At: a.At, Verdict: a.Verdict, Rows: a.Rows, Millis: a.Millis, Leaked: a.Leaked}
	if len(short.Verdict.Message) > 200 {
		short.Verdict.Message = strings.ToValidUTF8(short.Verdict.Message[:200], "") + "…"
	}
	short.Verdict.Text = ""
	brief, err = marshal(short)
	return brief, body, int64(len(brief) + len(body)), err
}

// marshal writes JSON for storage, in which "<" is one byte instead of six.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Start notes that an attempt is being played.
func (s *Store) Start(ctx context.Context, id string) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.Exec("UPDATE attempts SET state = ? WHERE id = ? AND state = ?", game.Running, id, game.Queued)
		return err
	})
}

// Finish stores the outcome of an attempt, with the tasks that it solved. If the key came out of a guarded lane, it also stores the win,
// claimed or not.
func (s *Store) Finish(ctx context.Context, player string, a *game.Attempt) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		brief, b, size, err := bodies(a)
		if err != nil {
			return err
		}
		if err := s.evict(tx, player, 0, size); err != nil {
			return err
		}
		r, err := tx.Exec("UPDATE attempts SET state = ?, size = ?, brief = ?, body = ? WHERE id = ? AND player = ?", a.State, size, brief, b, a.ID, player)
		if err := some(r, err); err != nil {
			return err
		}
		for _, t := range a.Tasks {
			if _, err := tx.Exec("INSERT INTO done (player, target, task) SELECT id, ?, ? FROM players WHERE id = ? ON CONFLICT DO NOTHING", a.Target, t, player); err != nil {
				return err
			}
		}
		if a.Leaked && a.Lane.Guarded() {
			if _, err := s.win(tx, player, a.Target, a.Lane, "", false); err != nil {
				return err
			}
		}
		return nil
	})
}

// interrupt ends the attempts that a dead process was playing.
func (s *Store) interrupt(ctx context.Context, process string) error {
	rows, err := s.read.QueryContext(ctx, "SELECT "+columns+" FROM attempts WHERE state IN (?, ?) AND process = ?", game.Queued, game.Running, process)
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
		if err := s.Finish(ctx, k.Player, k.Attempt); err != nil && !errors.Is(err, ErrNone) { // another process may have ended and deleted it
			return err
		}
	}
	return nil
}

// Kept is an attempt with facts that only the host knows.
type Kept struct {
	*game.Attempt
	Player string
	Pinned bool // the attempt stays in the store, because it belongs to a win on a guarded lane
	Won    bool // the player has won with it
}

const (
	facts        = "id, player, state, shared = 1, pinned, EXISTS (SELECT 1 FROM wins WHERE wins.attempt = attempts.id), "
	columns      = facts + "body"
	briefColumns = facts + "brief"
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
	if err := row.Scan(&id, &k.Player, &state, &shared, &k.Pinned, &k.Won, &body); err != nil {
		return k, none(err)
	}
	if err := json.Unmarshal(body, k.Attempt); err != nil {
		return k, fmt.Errorf("store: attempt %s: %w", id, err)
	}
	k.State, k.Shared = state, shared // the columns state and shared change without the body
	k.Won = k.Won || k.Leaked
	return k, nil
}

// some returns ErrNone if a statement changed nothing.
func some(r sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := r.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, ErrNone)
	}
	return nil
}

func none(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNone
	}
	return err
}

// Attempt returns the attempt with an id. The caller must check whether the reader may see it.
func (s *Store) Attempt(ctx context.Context, id string) (Kept, error) {
	return scanOne(s.read.QueryRowContext(ctx, "SELECT "+columns+" FROM attempts WHERE id = ?", id))
}

// Attempts returns a player's attempts, the latest first, without inputs and results. The argument before is the id of an attempt of the
// player: only earlier attempts are returned. With "" the latest are returned.
func (s *Store) Attempts(ctx context.Context, player, target, before string, most int) ([]Kept, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT "+briefColumns+` FROM attempts WHERE player = ? AND (? = '' OR target = ?)
		AND (? = '' OR seq < (SELECT seq FROM attempts WHERE id = ? AND player = ?)) ORDER BY seq DESC LIMIT ?`, player, target, target, before, before, player, most)
	if err != nil {
		return nil, err
	}
	return scan(rows)
}

// Share shows a player's attempt to everybody who has the link, or hides it again. An attempt that the host has hidden stays hidden.
func (s *Store) Share(ctx context.Context, player, id string, shared bool) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		return some(tx.Exec("UPDATE attempts SET shared = ? WHERE id = ? AND player = ? AND shared >= 0", shared, id, player))
	})
}
