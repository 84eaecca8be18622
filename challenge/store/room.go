package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"errors"

	"github.com/exoagent/exoagent/challenge/game"
)

// At a bound, the store deletes the oldest attempts of the address that uses the most room. So a flood of attempts removes itself,
// even from many addresses, and a player with few attempts keeps them.

// address returns an address in its stored form.
func (s *Store) address(a string) []byte {
	m := hmac.New(sha256.New, s.secret[:])
	m.Write([]byte(a))
	return m.Sum(nil)[:12]
}

// crowd ends players if there are too many.
func (s *Store) crowd(tx *sql.Tx) error {
	var n int
	if err := tx.QueryRow("SELECT count(*) FROM players").Scan(&n); err != nil {
		return err
	}
	for ; n > s.o.Players; n-- {
		if err := leave(tx, "SELECT id FROM players WHERE address = (SELECT address FROM holders ORDER BY players DESC LIMIT 1) ORDER BY seen LIMIT 1"); err != nil {
			return err
		}
	}
	return nil
}

// over selects attempts that may be deleted: those that have ended and are not part of a hole.
const over = "pinned = 0 AND state IN ('ended', 'interrupted')"

// evict makes room for records of a player, and for bytes, before they are written, because a full file accepts nothing. The attempt that
// is being written has not ended, or is not in the store yet, so evict can't delete it.
func (s *Store) evict(tx *sql.Tx, player string, records int, bytes int64) error {
	_, err := tx.Exec("DELETE FROM attempts WHERE seq IN (SELECT seq FROM attempts WHERE "+over+" AND player = ?1 ORDER BY seq LIMIT max(0, (SELECT count(*) FROM attempts WHERE player = ?1 AND pinned = 0) + ?2 - ?3))", player, records, s.o.PerPlayer)
	for done := false; !done && err == nil; {
		done, err = s.portion(tx, s.o.Bytes-bytes)
	}
	return err
}

// shrink reduces a file to a lower bound, in portions, because the file's log grows with each change.
func (s *Store) shrink(ctx context.Context) error {
	// Keep records of holes up to the bound: first the attempts that leaked, then the others, each the earliest first.
	if err := s.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.Exec("UPDATE attempts SET pinned = 0 WHERE seq IN (SELECT seq FROM (SELECT seq, sum(size) OVER (ORDER BY leaked DESC, seq) AS held FROM (SELECT seq, size, EXISTS (SELECT 1 FROM wins WHERE wins.attempt = attempts.id) AS leaked FROM attempts WHERE pinned = 1)) WHERE held > ?)", s.o.Bytes/4)
		return err
	}); err != nil {
		return err
	}
	for done := false; !done; {
		if err := errors.Join(ctx.Err(), s.change(ctx, func(tx *sql.Tx) (err error) {
			done, err = s.portion(tx, s.o.Bytes)
			return err
		})); err != nil {
			return err
		}
	}
	return nil
}

// portion deletes some records if the store has more bytes than most. It returns true if the store has no more than that, or if the rest must stay.
func (s *Store) portion(tx *sql.Tx, most int64) (done bool, err error) {
	const holder = "address = (SELECT address FROM holders ORDER BY bytes DESC LIMIT 1)"
	for range 100 {
		var n int64
		if err := tx.QueryRow("SELECT bytes FROM total").Scan(&n); err != nil || n <= most {
			return true, err
		}
		gone := false
		for _, which := range []string{
			"attempts WHERE seq IN (SELECT seq FROM attempts WHERE " + over + " AND " + holder + " ORDER BY seq LIMIT 8)",
			"chats WHERE (player, target) IN (SELECT player, target FROM chats WHERE " + holder + " LIMIT 1)",
			"attempts WHERE seq IN (SELECT seq FROM attempts WHERE " + over + " ORDER BY seq LIMIT 8)", // this address has only records that must stay
			"chats WHERE (player, target) IN (SELECT player, target FROM chats LIMIT 1)",
		} {
			r, err := tx.Exec("DELETE FROM " + which)
			if err != nil {
				return false, err
			}
			if n, err := r.RowsAffected(); err != nil {
				return false, err
			} else if gone = n > 0; gone {
				break
			}
		}
		if !gone {
			return true, nil
		}
	}
	return false, nil
}

// pin keeps the records of a hole in a part of the room that only holes use. The attempt that leaked comes first. The attempts that led to it
// use at most half of that part, so that the next hole's attempt finds room.
func (s *Store) pin(tx *sql.Tx, player, target string, lane game.Lane, attempt string) error {
	const pinned = "(SELECT coalesce(sum(size), 0) FROM attempts WHERE pinned = 1)"
	if _, err := tx.Exec("UPDATE attempts SET pinned = 1 WHERE id = ? AND size + "+pinned+" <= ? AND (SELECT count(*) FROM attempts WHERE pinned = 1) < ?", attempt, s.o.Bytes/4, s.o.Pinned); err != nil {
		return err
	}
	_, err := tx.Exec("UPDATE attempts SET pinned = 1 WHERE seq IN (SELECT seq FROM (SELECT seq, sum(size) OVER before AS held, count(*) OVER before AS n FROM attempts WHERE player = ? AND target = ? AND lane = ? AND pinned = 0 WINDOW before AS (ORDER BY seq DESC)) WHERE n < ? AND held + "+pinned+" <= ? AND n + (SELECT count(*) FROM attempts WHERE pinned = 1) <= ?)",
		player, target, lane, pinnedPerWin, s.o.Bytes/8, s.o.Pinned/2)
	return err
}
