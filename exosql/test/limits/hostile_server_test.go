package limits_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestServerFloods: a PostgreSQL server that never stops, while a connection is set up,
// costs the host an error, and a few of its bounds in bytes; not its memory, not for ever.
func TestServerFloods(t *testing.T) {
	t.Parallel()
	const most = 48 << 20 // what the server has to give; unguarded, all of it is taken
	value := strings.Repeat("v", 32<<10)
	text := &pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{{Name: []byte("x"), DataTypeOID: 25}}}
	flood := func(c *tu.FakeClient, m func(i int) pgproto3.BackendMessage) {
		for i, n := 0, 0; n < most && c.Send(m(i)); n += len(value) {
			i++
		}
	}
	setting := func(i int) pgproto3.BackendMessage {
		return &pgproto3.ParameterStatus{Name: strings.Repeat("n", 1+i), Value: value}
	}
	for name, serve := range map[string]func(c *tu.FakeClient){
		"settings before it welcomes": func(c *tu.FakeClient) { flood(c, setting) },
		"settings instead of a reply": func(c *tu.FakeClient) {
			if c.Welcome() && c.Receive() != nil {
				flood(c, setting)
			}
		},
		"notices instead of a reply": func(c *tu.FakeClient) {
			if c.Welcome() && c.Receive() != nil {
				flood(c, func(int) pgproto3.BackendMessage { return &pgproto3.NoticeResponse{Message: value} })
			}
		},
		"rows of a setting": func(c *tu.FakeClient) {
			if c.Welcome() && c.Receive() != nil && c.Send(&pgproto3.ParseComplete{}, &pgproto3.BindComplete{}, text) {
				flood(c, func(int) pgproto3.BackendMessage { return &pgproto3.DataRow{Values: [][]byte{[]byte(value)}} })
			}
		},
	} {
		f := tu.NewFakePostgres(t, serve)
		db, err := exosql.Open(t.Context(), f.URL, nil)
		if err == nil {
			db.Close()
			t.Errorf("%s: the database was opened", name)
		}
		if n := f.Sent(); n > 16<<20 {
			t.Errorf("%s: the host took %d MB (%v)", name, n>>20, err)
		}
	}
}

// TestServerHangs: a server that welcomes and then says nothing is given up when the time
// to connect has passed twice, and a grace; no caller's context has to end for it.
func TestServerHangs(t *testing.T) {
	tu.NotQuick(t)
	t.Parallel()
	f := tu.NewFakePostgres(t, func(c *tu.FakeClient) {
		if c.Welcome() {
			c.Drain()
		}
	})
	db, err := exosql.Open(t.Context(), f.URL+"&connect_timeout=1", nil)
	if err == nil {
		db.Close()
		t.Error("the database was opened")
	}
}
