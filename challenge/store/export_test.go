package store

import (
	"context"
	"fmt"
	"time"
)

// Holders are what each address is said to hold, and what is there.
func (s *Store) Holders() (said, there string) {
	read := func(query string) (out string) {
		rows, err := s.read.Query(query)
		if err != nil {
			return err.Error()
		}
		defer rows.Close()
		for rows.Next() {
			var address []byte
			var players, bytes int64
			if err := rows.Scan(&address, &players, &bytes); err != nil {
				return err.Error()
			}
			out += fmt.Sprintf("%x has %d players, %d bytes; ", address, players, bytes)
		}
		return out
	}
	const all = " UNION ALL SELECT x'', 0, bytes FROM total ORDER BY 1"
	said = read("SELECT address, players, bytes FROM holders" + all)
	const sum = "SELECT address, sum(p) AS p, sum(b) AS b FROM (SELECT address, 1 AS p, 0 AS b FROM players UNION ALL SELECT address, 0, size FROM attempts UNION ALL SELECT address, 0, length(body) FROM chats)"
	there = read(sum + " GROUP BY address UNION ALL SELECT x'', 0, coalesce(b, 0) FROM (" + sum + ") ORDER BY 1")
	return said, there
}

// Full bounds the file to the size that it has.
func (s *Store) Full() error {
	_, err := s.write.Exec("PRAGMA max_page_count=1")
	return err
}

// SetJoinWait changes how long Open waits for other processes. The returned function undoes that.
func SetJoinWait(d time.Duration) (undo func()) {
	was := joinWait
	joinWait = d
	return func() { joinWait = was }
}

// HoldShared takes the one connection to the second file. The returned function gives it back.
func (s *Store) HoldShared(ctx context.Context) (release func() error, err error) {
	c, err := s.shared.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return c.Close, nil
}
