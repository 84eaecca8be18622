package exosql_test

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// sends counts what a connection sends: one message, or one batch of them, for each round trip.
type sends struct {
	net.Conn
	n *atomic.Int64
}

func (c sends) Write(b []byte) (int, error) {
	c.n.Add(1)
	return c.Conn.Write(b)
}

// TestRefusalIsRemembered: an open statement of which PostgreSQL would read rows out of scope is judged once for all
// connections. Until its time has come nobody asks again, then one question each finds that nothing has
// changed, and that a new index has.
func TestRefusalIsRemembered(t *testing.T) {
	e := tu.Postgres
	url := kit.OwnDatabase(t) // an index of this name in another schema would count as a change
	c := poolConfig(t, url)
	var n atomic.Int64
	dial := c.ConnConfig.DialFunc
	c.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		return sends{conn, &n}, err
	}
	db, err := exosql.OpenPostgres(t.Context(), c, &exosql.OpenOptions{Conns: 2, Setup: e.Exec(kit.NotesSQL(e, 2000)...)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	r := tu.NewRunner(t, kit.NotesOf(db, 1, false), exo.Limits{})
	run := func(tier string) int64 {
		t.Helper()
		before := n.Load()
		o := r.Run(t, "return (await notes.where(n => n.text.includes('fair 1')).orderBy(n => n.id).limit(3)).map(n => n.id)")
		if o.JSON != "[1,11,111]" || len(o.SQL) != 1 || exosql.Tier(o.SQL[0]) != tier {
			t.Errorf("want %s: %v %v", tier, o, o.SQL)
		}
		return n.Load() - before
	}
	for range 2 { // on both connections
		if err := exosql.OpenAll(t.Context(), db); err != nil {
			t.Fatal(err)
		}
		r.Run(t, "return await folders.count()")
	}
	run("fenced")
	// The other connection prepares the fenced statement and runs it; either may look first whether the server is there.
	if n := run("fenced"); n > 3 {
		t.Errorf("the other connection sends %d times", n)
	}
	for range 4 {
		if n := run("fenced"); n > 2 {
			t.Errorf("a statement whose unfenced forms were refused sends %d times", n)
		}
	}
	exosql.Later(db, 6*time.Second)
	first := run("fenced")
	if second := run("fenced"); first+second < 3 || first > 11 || second > 2 {
		t.Errorf("the first asks again, with %d, and the next with %d", first, second)
	}
	exosql.Later(db, 9*time.Second) // it was found unchanged: twice as long
	if n := run("fenced"); n > 2 {
		t.Errorf("asked again so soon, with %d", n)
	}
	if _, err := e.SQLDB(t, url).Exec("CREATE INDEX notes_owner_id ON notes (owner, id)"); err != nil {
		t.Fatal(err)
	}
	exosql.Later(db, 2*time.Second)
	run("open")
}
