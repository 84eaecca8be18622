package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
)

// ErrNone means that there is no such thing, or that it belongs to another player. A reader can't tell which.
var ErrNone = errors.New("store: there is no such attempt, player or key, or it belongs to another player")

// Token is the secret by which the site recognises a player. It has 256 bits, and only its digest is stored.
type Token string

// NewID makes an identifier that can't be guessed, from lower case letters and digits.
func NewID() string { return strings.ToLower(rand.Text()) }

func digest(t Token) []byte { d := sha256.Sum256([]byte(t)); return d[:] }

// NewPlayer makes a player at an address. Only this call returns the token.
func (s *Store) NewPlayer(ctx context.Context, address string) (player string, token Token, err error) {
	player, token = NewID(), Token(rand.Text()+rand.Text())
	err = s.change(ctx, func(tx *sql.Tx) error {
		now := s.now()
		if _, err := tx.Exec("INSERT INTO players (id, token, address, made, seen) VALUES (?, ?, ?, ?, ?)", player, digest(token), s.address(address), now, now); err != nil {
			return err
		}
		if err := count(tx, "players", 1); err != nil {
			return err
		}
		return s.crowd(tx)
	})
	return player, token, err
}

// leave ends players. Their attempts stay for the host's export until a bound is reached. Only shared attempts can still be seen.
func leave(tx *sql.Tx, which string, args ...any) error {
	for _, t := range []string{"keys", "chats", "done"} {
		if _, err := tx.Exec("DELETE FROM "+t+" WHERE player IN ("+which+")", args...); err != nil {
			return err
		}
	}
	_, err := tx.Exec("DELETE FROM players WHERE id IN ("+which+")", args...)
	return err
}

// seenEvery is the precision of a player's last visit.
const seenEvery = time.Minute

// Player returns the player with the token. It fails with ErrNone for an unknown token, and for a player whose time is over.
func (s *Store) Player(ctx context.Context, token Token) (string, error) {
	var id string
	var made, seen int64
	err := s.read.QueryRowContext(ctx, "SELECT id, made, seen FROM players WHERE token = ?", digest(token)).Scan(&id, &made, &seen)
	now := s.now()
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", ErrNone
	case err != nil:
		return "", err
	case now-seen > s.o.Idle.Milliseconds() || now-made > s.o.Life.Milliseconds():
		return "", ErrNone
	}
	if now-seen > seenEvery.Milliseconds() {
		err = s.change(ctx, func(tx *sql.Tx) error {
			_, err := tx.Exec("UPDATE players SET seen = ? WHERE id = ?", now, id)
			return err
		})
	}
	return id, err
}

// Lasts returns how long a player without a visit is kept, and how long any player is kept.
func (s *Store) Lasts() (idle, life time.Duration) { return s.o.Idle, s.o.Life }

// EndPlayer ends a player at once.
func (s *Store) EndPlayer(ctx context.Context, player string) error {
	return s.change(ctx, func(tx *sql.Tx) error { return leave(tx, "SELECT ?", player) })
}

// Sweep ends the players whose time is over.
func (s *Store) Sweep(ctx context.Context) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		now := s.now()
		return leave(tx, "SELECT id FROM players WHERE seen < ? OR made < ?", now-s.o.Idle.Milliseconds(), now-s.o.Life.Milliseconds())
	})
}

// Players returns the number of players.
func (s *Store) Players(ctx context.Context) (n int, err error) {
	err = s.read.QueryRowContext(ctx, "SELECT count(*) FROM players").Scan(&n)
	return n, err
}

// Key returns a player's key for a target and a lane, and the name of the copy that has the key. The first call makes both.
func (s *Store) Key(ctx context.Context, player, target string, lane game.Lane) (key game.Key, copy string, err error) {
	const find = "SELECT key, copy FROM keys WHERE player = ? AND target = ? AND lane = ?"
	err = s.read.QueryRowContext(ctx, find, player, target, lane).Scan(&key, &copy)
	if !errors.Is(err, sql.ErrNoRows) {
		return key, copy, err
	}
	err = s.change(ctx, func(tx *sql.Tx) error {
		var n int
		if err := tx.QueryRow("SELECT count(*) FROM players WHERE id = ?", player).Scan(&n); err != nil || n == 0 {
			return errors.Join(err, ErrNone)
		}
		if _, err := tx.Exec("INSERT INTO keys (player, target, lane, key, copy) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", player, target, lane, string(game.NewKey()), NewID()); err != nil {
			return err
		}
		return tx.QueryRow(find, player, target, lane).Scan(&key, &copy) // if two calls came at once, the first one's key counts
	})
	return key, copy, err
}

// Chat returns the model lane's chat for the player's next question; nil begins a new one.
func (s *Store) Chat(ctx context.Context, player, target string) (body []byte, err error) {
	err = s.read.QueryRowContext(ctx, "SELECT body FROM chats WHERE player = ? AND target = ?", player, target).Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return body, err
}

// SetChat stores a chat, or deletes it.
func (s *Store) SetChat(ctx context.Context, player, address, target string, body []byte) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		if _, err := tx.Exec("DELETE FROM chats WHERE player = ? AND target = ?", player, target); err != nil || len(body) == 0 {
			return err
		}
		if err := s.evict(tx, player, 0, int64(len(body))); err != nil {
			return err
		}
		_, err := tx.Exec("INSERT INTO chats (player, target, address, body) SELECT id, ?, ?, ? FROM players WHERE id = ?", target, s.address(address), body, player)
		return err
	})
}

// Done returns the tasks of a target that the player has solved.
func (s *Store) Done(ctx context.Context, player, target string) (map[string]bool, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT task FROM done WHERE player = ? AND target = ?", player, target)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[string]bool{}
	for rows.Next() {
		var t string
		if err := rows.Scan(&t); err != nil {
			return nil, err
		}
		out[t] = true
	}
	return out, rows.Err()
}
