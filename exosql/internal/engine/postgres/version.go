package postgres

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
)

// leastVersion is the oldest major version of PostgreSQL whose functions statements
// are made of: 13 has no extract that gives numeric, 12 no trim_scale.
const leastVersion = 14

// VersionError says that a PostgreSQL server is older than what statements need. Open
// gives it before anything was done in the database, exosql.OpenOptions.Setup included.
type VersionError struct {
	Server string // what the server says of itself, as "13.23"; empty if it says nothing
	Least  int    // the oldest major version that serves
}

func (e *VersionError) Error() string {
	if e.Server == "" {
		return fmt.Sprintf("exosql: the server does not say its version; want PostgreSQL %d or later", e.Least)
	}
	return fmt.Sprintf("exosql: the server is PostgreSQL %.100q; want %d or later: upgrade it, or connect to another", e.Server, e.Least)
}

// checkVersion refuses a connection to an old server. Without it a program would fail in
// its middle, with an internal error. The server says its version before the first
// command.
func checkVersion(_ context.Context, conn *pgconn.PgConn) error {
	v := conn.ParameterStatus("server_version")
	if major(v) < leastVersion {
		return &VersionError{Server: v, Least: leastVersion}
	}
	return nil
}

// major is the number that a version begins with ("14.5 (Debian)", "18beta1", "9.6"), or 0.
func major(version string) int {
	end := 0
	for end < len(version) && '0' <= version[end] && version[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(version[:end])
	if err != nil {
		return 0
	}
	return n
}
