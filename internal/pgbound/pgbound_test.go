package pgbound_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/exoagent/exoagent/internal/pgbound"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestFlood: what a server says unasked ends the connection within a few of its bounds;
// the twin without the bounds reads all of it.
func TestFlood(t *testing.T) {
	const all = 16 << 20
	value := strings.Repeat("v", 8<<10)
	for name, c := range map[string]struct {
		message func(i int) pgproto3.BackendMessage
		what    string
	}{
		"settings": {func(i int) pgproto3.BackendMessage {
			return &pgproto3.ParameterStatus{Name: strings.Repeat("n", 1+i%4096), Value: value}
		}, "settings"},
		"notices":       {func(int) pgproto3.BackendMessage { return &pgproto3.NoticeResponse{Message: value} }, "notices"},
		"notifications": {func(int) pgproto3.BackendMessage { return &pgproto3.NotificationResponse{Channel: "c", Payload: value} }, "notices"},
		"rows":          {func(int) pgproto3.BackendMessage { return &pgproto3.DataRow{Values: [][]byte{[]byte(value)}} }, "answers"},
	} {
		for _, guarded := range []bool{false, true} {
			f := tu.NewFakePostgres(t, func(c2 *tu.FakeClient) {
				if !c2.Welcome() {
					return
				}
				for i := 0; c2.Receive() != nil; i = 0 { // one simple query is one message
					ok := c2.Send(&pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{{Name: []byte("x"), DataTypeOID: 25}}})
					for n := 0; ok && n < all; n += len(value) {
						ok = c2.Send(c.message(i))
						i++
					}
					if !ok || !c2.Send(&pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")}, &pgproto3.ReadyForQuery{TxStatus: 'I'}) {
						return
					}
				}
			})
			config, err := pgconn.ParseConfig(f.URL)
			if err != nil {
				t.Fatal(err)
			}
			if guarded {
				pgbound.Limit(config, pgbound.Bounds{Message: 64 << 10, Total: 4 << 20})
			}
			conn, err := pgconn.ConnectConfig(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			rows := conn.Exec(t.Context(), "SELECT 1")
			for rows.NextResult() {
				for rr := rows.ResultReader(); rr.NextRow(); {
				}
			}
			err = rows.Close()
			var e *pgbound.Exceeded
			if got := errors.As(err, &e); got != guarded || got && e.What != c.what {
				t.Errorf("%s, guarded %t: %v", name, guarded, err)
			}
			if guarded != (f.Sent() < all) {
				t.Errorf("%s, guarded %t: the client took %d kB", name, guarded, f.Sent()>>10)
			}
			conn.Close(context.Background())
		}
	}
}
