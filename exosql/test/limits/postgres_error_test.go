package limits_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestServerErrorIsBounded: of an error that a server makes as large as it likes, in a
// query, while a connection is made and while it is set up, the host keeps the code and
// the beginning of the texts. A short error is kept whole.
func TestServerErrorIsBounded(t *testing.T) {
	const large = 2 << 20
	bounded := func(what string, err error) {
		t.Helper()
		e, ok := errors.AsType[*pgconn.PgError](err)
		if !ok || e.Code != "XX123" || !strings.HasPrefix(e.Message, "xéé") || !strings.HasPrefix(e.Detail, "dd") {
			t.Errorf("%s: %.200v", what, err)
			return
		}
		n := 0
		for _, s := range []string{e.Severity, e.SeverityUnlocalized, e.Message, e.Detail, e.Hint, e.InternalQuery, e.Where, e.SchemaName, e.TableName, e.ColumnName, e.DataTypeName, e.ConstraintName, e.File, e.Routine} {
			n += len(s)
		}
		if n > 4000 || len(err.Error()) > 4000 || strings.ToValidUTF8(e.Message, "") != e.Message {
			t.Errorf("%s: the error keeps %d bytes, and %d as a text", what, n, len(err.Error()))
		}
	}

	const fails = `CREATE FUNCTION fails(n bigint) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
		RAISE EXCEPTION USING ERRCODE = 'XX123', MESSAGE = 'x' || repeat('é', n::int), DETAIL = repeat('d', n::int), HINT = repeat('h', n::int), COLUMN = repeat('c', n::int); END $$`
	db := tu.Postgres.OpenWith(t, &exosql.OpenOptions{Setup: tu.Postgres.Exec("CREATE TABLE sizes (id bigint PRIMARY KEY, account_id bigint NOT NULL)",
		"INSERT INTO sizes VALUES (1, 2097152), (2, 5)", fails, "CREATE VIEW logs AS SELECT * FROM sizes WHERE fails(account_id)")})
	logs := exosql.NewTable[kit.CheckedEntry]("logs")
	id := exosql.NewKey(logs, "id", func(e *kit.CheckedEntry) *int64 { return &e.ID })
	_, err := exosql.Grant(db, logs, id.Eq(1)).All(t.Context())
	bounded("a query", err)
	_, err = exosql.Grant(db, logs, id.Eq(2)).All(t.Context())
	if e, ok := errors.AsType[*pgconn.PgError](err); !ok || e.Message != "xééééé" || e.Hint != "hhhhh" {
		t.Errorf("a short error: %v", err)
	}

	answer := &pgproto3.ErrorResponse{Severity: "ERROR", Code: "XX123", Message: "x" + strings.Repeat("é", large), Detail: strings.Repeat("d", large), Where: strings.Repeat("w", large)}
	for what, serve := range map[string]func(c *tu.FakeClient){
		"connecting": func(c *tu.FakeClient) { c.Send(answer) },
		"set-up": func(c *tu.FakeClient) {
			if c.Welcome() && c.Receive() != nil {
				c.Send(answer, &pgproto3.ReadyForQuery{TxStatus: 'I'})
				c.Drain()
			}
		},
	} {
		db, err := exosql.Open(t.Context(), tu.NewFakePostgres(t, serve).URL, nil)
		if err == nil {
			db.Close()
		}
		bounded(what, err)
	}
}
