package replicas_test

import (
	"testing"
	"time"

	"github.com/exoagent/exoagent/internal/testutil/pgtest"
)

func TestTmp(t *testing.T) {
	primary := pgtest.New(t)
	primary.Exec(t, ddl, "INSERT INTO notes (owner, text) SELECT 1 + n % 100, 'text ' || n FROM generate_series(1, 100000) AS n", "CREATE INDEX ON notes (owner, text)", "ANALYZE")
	replica := primary.Standby(t)
	db := open(t, primary, replica.URL)
	for range 40 {
		a := primary.One(t, "SELECT pg_current_wal_flush_lsn()::text || ' insert ' || pg_current_wal_insert_lsn()")
		b := replica.One(t, "SELECT pg_last_wal_replay_lsn()::text || ' received ' || pg_last_wal_receive_lsn()")
		o := run(t, db, false, ports, nil)
		t.Log(a, b, o.SQL[0].Replica, o.SQL[0].Took)
		time.Sleep(100 * time.Millisecond)
	}
}
