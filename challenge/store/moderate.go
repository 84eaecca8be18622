package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
)

// Alias returns a player's name in the export and the log. It is the same for all attempts of a player, and leads back to no token, address or
// name.
func Alias(player string) string {
	sum := sha256.Sum256([]byte("player " + player))
	return hex.EncodeToString(sum[:6])
}

// HideName removes the name from the win that is shown with an attempt, and hides the attempt if the player shared it. The player can
// undo neither. The win stays; a win on a guarded lane is still shown, without a name.
func (s *Store) HideName(ctx context.Context, attempt string) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		named, err := tx.Exec("UPDATE wins SET name = '', claimed = 1 WHERE attempt = ?", attempt)
		if err != nil {
			return err
		}
		shared, err := tx.Exec("UPDATE attempts SET shared = -1 WHERE id = ?", attempt)
		if err != nil {
			return err
		}
		if some(named, nil) == nil {
			return nil
		}
		return some(shared, nil)
	})
}

// EndAlias ends the player with this Alias, and removes the names from the player's wins. Keys and copies go with the player; attempts and
// wins stay.
func (s *Store) EndAlias(ctx context.Context, alias string) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		rows, err := tx.Query("SELECT id FROM players UNION SELECT player FROM wins")
		if err != nil {
			return err
		}
		defer rows.Close()
		var found []string
		for rows.Next() {
			var id string
			if err := rows.Scan(&id); err != nil {
				return err
			}
			if Alias(id) == alias {
				found = append(found, id)
			}
		}
		if err := rows.Err(); err != nil {
			return err
		}
		rows.Close()
		if len(found) == 0 {
			return ErrNone
		}
		for _, id := range found {
			if _, err := tx.Exec("UPDATE wins SET name = '', claimed = 1 WHERE player = ?", id); err != nil {
				return err
			}
			if err := leave(tx, "SELECT ?", id); err != nil {
				return err
			}
		}
		return nil
	})
}

// Annotate adds the host's remark to a hole. A hole is never deleted.
func (s *Store) Annotate(ctx context.Context, attempt, note string) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		return some(tx.Exec("UPDATE wins SET note = ? WHERE guarded = 1 AND attempt = ?", note, attempt))
	})
}
