package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
)

// Win is a key that came out of a lane.
type Win struct {
	Target  string
	Lane    game.Lane
	At      time.Time
	Guarded bool
	Claimed bool   // false if the key was seen in an attempt's output but not claimed yet
	Name    string // the player's name, or ""
	Attempt string // the id of the attempt that showed the key, or the last one before the claim; "" if it was deleted
	Tries   int    // the player's attempts in the lane up to the win
	Note    string // the host's remark on a hole
	Shared  bool   // the player shows the attempt to everybody
}

// pinnedPerWin bounds how many earlier attempts of the player the store keeps with a win on a guarded lane. It keeps fewer if they need
// too much room. In a guarded lane programs reach the database only through exosql.
const pinnedPerWin = 50

// Claim checks whether the text is one of the player's keys, and stores the win. It compares with all keys, so that its time does
// not reveal which key matched. The result again reports that the key was claimed before; then nothing changes, not even the name.
func (s *Store) Claim(ctx context.Context, player, text, name string) (w *Win, again bool, err error) {
	err = s.change(ctx, func(tx *sql.Tx) error {
		rows, err := tx.Query("SELECT target, lane, key FROM keys WHERE player = ?", player)
		if err != nil {
			return err
		}
		defer rows.Close()
		var target string
		var lane game.Lane
		for rows.Next() {
			var t string
			var l game.Lane
			var k game.Key
			if err := rows.Scan(&t, &l, &k); err != nil {
				return err
			}
			if k.Equal(text) {
				target, lane = t, l
			}
		}
		if err := rows.Err(); err != nil {
			return err
		}
		rows.Close()
		if target == "" {
			return ErrNone
		}
		if again, err = s.win(tx, player, target, lane, name, true); err != nil {
			return err
		}
		w, err = scanWin(tx.QueryRow("SELECT "+winColumns+" FROM wins WHERE player = ? AND target = ? AND lane = ?", player, target, lane))
		return err
	})
	return w, again, err
}

// win stores a player's win, or adds the name to a stored win without a claim. The result again reports that the win was stored before and
// nothing changed.
func (s *Store) win(tx *sql.Tx, player, target string, lane game.Lane, name string, claimed bool) (again bool, err error) {
	var attempt string
	var tries int
	if err := tx.QueryRow("SELECT coalesce((SELECT id FROM attempts WHERE player = ?1 AND target = ?2 AND lane = ?3 ORDER BY (body ->> 'key_leaked') DESC, seq DESC LIMIT 1), ''), coalesce((SELECT tries FROM keys WHERE player = ?1 AND target = ?2 AND lane = ?3), 0)",
		player, target, lane).Scan(&attempt, &tries); err != nil {
		return false, err
	}
	r, err := tx.Exec("INSERT INTO wins (player, target, lane, at, guarded, claimed, name, attempt, tries) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
		player, target, lane, s.now(), lane.Guarded(), claimed, name, attempt, tries)
	if err != nil {
		return false, err
	}
	if n, err := r.RowsAffected(); err != nil {
		return false, err
	} else if n == 0 {
		r, err := tx.Exec("UPDATE wins SET claimed = 1, name = ? WHERE player = ? AND target = ? AND lane = ? AND claimed = 0 AND ?", name, player, target, lane, claimed)
		if err != nil {
			return false, err
		}
		n, err := r.RowsAffected()
		return n == 0, err
	}
	if err := count(tx, "wins."+string(lane), 1); err != nil {
		return false, err
	}
	if lane.Guarded() {
		return false, s.pin(tx, player, target, lane, attempt)
	}
	_, err = tx.Exec("DELETE FROM wins WHERE guarded = 0 AND (player, target, lane) IN (SELECT player, target, lane FROM wins WHERE guarded = 0 ORDER BY at DESC LIMIT -1 OFFSET ?)", s.o.Wins)
	return false, err
}

const winColumns = "target, lane, at, guarded, claimed, name, coalesce((SELECT id FROM attempts WHERE id = wins.attempt), ''), tries, note, EXISTS (SELECT 1 FROM attempts WHERE id = wins.attempt AND shared = 1)"

func scanWin(row interface{ Scan(...any) error }) (*Win, error) {
	w, at := &Win{}, int64(0)
	if err := row.Scan(&w.Target, &w.Lane, &at, &w.Guarded, &w.Claimed, &w.Name, &w.Attempt, &w.Tries, &w.Note, &w.Shared); err != nil {
		return nil, none(err)
	}
	w.At = time.UnixMilli(at).UTC()
	return w, nil
}

// GuardedWins returns wins on guarded lanes, the latest first.
func (s *Store) GuardedWins(ctx context.Context, most int) ([]*Win, error) {
	return s.wins(ctx, "SELECT "+winColumns+" FROM wins WHERE guarded = 1 ORDER BY at DESC LIMIT ?", most)
}

// Leaders returns wins on control lanes. Wins with the fewest attempts come first.
func (s *Store) Leaders(ctx context.Context, most int) ([]*Win, error) {
	return s.wins(ctx, "SELECT "+winColumns+" FROM wins WHERE guarded = 0 ORDER BY tries, at LIMIT ?", most)
}

// ShowWith sets the attempt that pages show with a player's win on a control lane. The win is the player's one with the attempt's target and lane.
func (s *Store) ShowWith(ctx context.Context, player, attempt string) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		return some(tx.Exec("UPDATE wins SET attempt = ?1 WHERE player = ?2 AND guarded = 0 AND (target, lane) = (SELECT target, lane FROM attempts WHERE id = ?1 AND player = ?2)", attempt, player))
	})
}

// WinOf returns the win that is shown with an attempt, or ErrNone.
func (s *Store) WinOf(ctx context.Context, attempt string) (*Win, error) {
	return scanWin(s.read.QueryRowContext(ctx, "SELECT "+winColumns+" FROM wins WHERE attempt = ? ORDER BY at LIMIT 1", attempt))
}

// Won returns the wins of a player.
func (s *Store) Won(ctx context.Context, player string) ([]*Win, error) {
	return s.wins(ctx, "SELECT "+winColumns+" FROM wins WHERE player = ? ORDER BY at", player)
}

func (s *Store) wins(ctx context.Context, query string, args ...any) (out []*Win, err error) {
	rows, err := s.read.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		w, err := scanWin(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, w)
	}
	return out, rows.Err()
}

// InGuardedWin reports whether an attempt is part of a win on a guarded lane, which everybody may see.
func (s *Store) InGuardedWin(ctx context.Context, id string) (bool, error) {
	var n int
	err := s.read.QueryRowContext(ctx, "SELECT count(*) FROM wins WHERE guarded = 1 AND attempt = ?", id).Scan(&n)
	return n > 0, err
}
