package postgres

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
)

// leastVersion is the oldest major version of PostgreSQL with all functions that statements use. In
// 13, extract does not return numeric; 12 has no trim_scale.
const leastVersion = 14

// VersionError reports a PostgreSQL server that is too old. Open returns it before it does
// anything in the database, even before exosql.OpenOptions.Setup.
type VersionError struct {
	Server string // Server is the server's version, like "13.23"; "" if unknown
	Least  int    // Least is the oldest major version that is supported
}

func (e *VersionError) Error() string {
	if e.Server == "" {
		return fmt.Sprintf("exosql: the server does not report its version: connect to PostgreSQL %d or later", e.Least)
	}
	return fmt.Sprintf("exosql: the server is PostgreSQL %.100q; want %d or later: upgrade it, or connect to another", e.Server, e.Least)
}

// checkVersion refuses an old server, on which programs would fail halfway with an internal error.
// The server reports its version before the first command.
func checkVersion(_ context.Context, conn *pgconn.PgConn) error {
	v := conn.ParameterStatus("server_version")
	if major(v) < leastVersion {
		return &VersionError{Server: v, Least: leastVersion}
	}
	return nil
}

// major returns the number at the beginning of a version, like "14.5 (Debian)", "18beta1" or "9.6", or 0.
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
