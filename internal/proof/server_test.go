package proof

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	tu "github.com/exoagent/exoagent/internal/testutil"
)

// server is where the worlds of a test are on PostgreSQL: one schema, filled
// anew for each world.
type server struct {
	url, schema string
	admin       *sql.DB
}

func newServer(t testing.TB) *server {
	t.Helper()
	s := &server{url: tu.Postgres.URL(t), admin: tu.Admin(t, tu.Server(t))}
	_, s.schema, _ = strings.Cut(s.url, "search_path=")
	s.schema, _, _ = strings.Cut(s.schema, "&")
	s.url = tu.WithParam(t, s.url, "enable_seqscan", "off") // of a few rows it would use no index
	return s
}

// fill makes the schema hold the world of c and nothing else, in one round trip.
func (s *server) fill(ctx context.Context, c *Case) error {
	_, err := s.admin.ExecContext(ctx, "BEGIN; SET LOCAL synchronous_commit = off; SET LOCAL client_min_messages = error; SET LOCAL timezone = 'UTC'; DROP SCHEMA "+s.schema+" CASCADE; CREATE SCHEMA "+s.schema+"; SET LOCAL search_path = "+s.schema+";\n"+
		c.Data.script(&c.Schema)+"COMMIT")
	return err
}
