package store

import (
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
)

// What is over a bound goes from the address that holds the most, the oldest first.
// So whoever fills the room makes way, at however many addresses, and one who holds
// little keeps it.

// address is an address as it is kept.
func (s *Store) address(a string) []byte {
	m := hmac.New(sha256.New, s.secret[:])
	m.Write([]byte(a))
	return m.Sum(nil)[:12]
}

// crowd lets players go when there are too many.
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

// over are attempts that may go: not those that a hole is made of, and not those
// that are not over.
const over = "pinned = 0 AND state IN ('ended', 'interrupted')"

// evict lets records go that are over a bound: of the player, and then of all.
func (s *Store) evict(tx *sql.Tx, player string) error {
	_, err := tx.Exec("DELETE FROM attempts WHERE seq IN (SELECT seq FROM attempts WHERE "+over+" AND player = ?1 ORDER BY seq LIMIT max(0, (SELECT count(*) FROM attempts WHERE player = ?1 AND pinned = 0) - ?2))", player, s.o.PerPlayer)
	if err != nil {
		return err
	}
	const most = "address = (SELECT address FROM holders ORDER BY bytes DESC LIMIT 1)"
	for {
		var n int64
		if err := tx.QueryRow("SELECT bytes FROM total").Scan(&n); err != nil || n <= s.o.Bytes {
			return err
		}
		gone := false
		for _, which := range []string{
			"attempts WHERE seq IN (SELECT seq FROM attempts WHERE " + over + " AND " + most + " ORDER BY seq LIMIT 8)",
			"chats WHERE (player, target) IN (SELECT player, target FROM chats WHERE " + most + " LIMIT 1)",
			"attempts WHERE seq IN (SELECT seq FROM attempts WHERE " + over + " ORDER BY seq LIMIT 8)", // that address has only what must stay
			"chats WHERE (player, target) IN (SELECT player, target FROM chats LIMIT 1)",
		} {
			r, err := tx.Exec("DELETE FROM " + which)
			if err != nil {
				return err
			}
			if n, err := r.RowsAffected(); err != nil {
				return err
			} else if gone = n > 0; gone {
				break
			}
		}
		if !gone {
			return nil
		}
	}
}
