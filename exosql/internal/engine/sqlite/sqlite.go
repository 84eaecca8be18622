package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
)

var memoryNames atomic.Uint64

// connector opens connections of the driver, without registering a name for it.
type connector struct{ dsn string }

func (c connector) Connect(context.Context) (driver.Conn, error) { return SharedDriver().Open(c.dsn) }

func (c connector) Driver() driver.Driver { return SharedDriver() }

var SharedDriver = sync.OnceValue(newDriver)

// Database is one SQLite database, in a file or in memory.
type Database struct {
	read     string       // read opens a connection that can't write
	write    string       // write opens a connection that can write
	prepared int          // prepared bounds the bytes of the statements that a connection keeps
	marks    bool         // marks: units insert marks of their runs (see engine.Marks)
	Opened   atomic.Int64 // Opened counts the connections that were opened, without Keep
	Keep     *sql.DB      // Keep is the connection that keeps a database in memory alive
}

func (e *Database) Close() error {
	if e.Keep != nil {
		return e.Keep.Close()
	}
	return nil
}

func Open(ctx context.Context, path string, opt engine.Options) (engine.Engine, error) {
	e := &Database{prepared: opt.PreparedBytes, marks: opt.Marks}
	memory := path == ":memory:"
	name := (&url.URL{Path: path}).EscapedPath() // a ? or # in a path must not begin options
	write, read := "file:"+name+"?", "file:"+name+"?mode=ro&"
	if memory {
		// The memdb VFS shares a database among all connections of this process that use its name.
		name = fmt.Sprintf("file:/exo-%d?vfs=memdb&", memoryNames.Add(1))
		write, read = name, name
	} else if _, err := os.Stat(path); err != nil && opt.Setup == nil {
		return nil, fmt.Errorf("exosql: %w", err)
	}
	if memory || opt.Setup != nil {
		w := sql.OpenDB(connector{write + "_busy_timeout=5000"})
		w.SetMaxOpenConns(1)
		if err := w.PingContext(ctx); err != nil {
			w.Close()
			return nil, fmt.Errorf("exosql: open %s: %w", path, err)
		}
		if opt.Setup != nil {
			if err := opt.Setup(ctx, w); err != nil {
				w.Close()
				return nil, err
			}
		}
		if memory {
			e.Keep = w
		} else if err := w.Close(); err != nil {
			return nil, err
		}
	}
	// With _defensive, statements can't write the schema table or shadow tables. With _dqs=0, a
	// misspelt identifier in double quotes is an error and not a text.
	walls := fmt.Sprintf("_busy_timeout=%d&_defensive=1&_dqs=0&_pragma=trusted_schema(0)", shortWait.Milliseconds())
	e.read, e.write = read+walls+"&_pragma=query_only(1)", write+walls+"&_pragma=foreign_keys(1)"
	if !memory { // without a write-ahead log, a reader would prevent commits
		e.write += "&_pragma=journal_mode(WAL)"
	}
	return e, nil
}

// verifyWall tries statements that no plan contains. The authorizer must deny each; a failure for
// another reason is no proof.
func verifyWall(c *conn) error {
	for _, q := range []string{"SELECT name FROM sqlite_master", "PRAGMA query_only=0", "ATTACH ':memory:' AS x", "CREATE TABLE exo_wall (x)"} {
		err := c.Exec(q)
		if err == nil {
			return fmt.Errorf("exosql: SQLite allowed %s on a restricted connection, so its authorizer does not work and Open refuses the database: use the version of modernc.org/sqlite that this module requires", q)
		}
		if e := (*SqlError)(nil); !errors.As(err, &e) || primary(e.Code) != sqlite3.SQLITE_AUTH {
			return fmt.Errorf("exosql: SQLite refused %s, but not because of its authorizer, so Open can't verify that the authorizer works: %w", q, err)
		}
	}
	return nil
}

// guard is the authorizer of one connection. It allows only what the running plan reads and writes.
// The zero guard denies everything.
type guard struct {
	reads  atomic.Pointer[map[string]map[string]bool]
	writes atomic.Pointer[plan.Write]
	bounds atomic.Bool // bounds: the begin or end of a unit of work, or of a part of it, may run

	keys     map[string]map[string]map[string]bool // keys has the columns that SQLite reads to check foreign keys: see foreignKeys
	asked    map[string]map[question]bool          // asked has what each table or view, in lower case, asks the authorizer for in addition to its columns
	learning map[question]bool                     // learning has the questions of a probe (see Learn); nil while no probe is compiled
	denied   bool                                  // denied: the current or last plan was denied something
}

func (g *guard) Admit(reads *map[string]map[string]bool) {
	g.reads.Store(reads)
	if reads != nil {
		g.denied = false
	}
}

// Functions are SQLite's own functions that sqlast writes. newDriver has ours.
var Functions = map[string]bool{"count": true, "row_number": true, "rank": true, "dense_rank": true, "lag": true, "lead": true, "first_value": true, "last_value": true, "date": true, "strftime": true, "min": true, "max": true, "sum": true, "typeof": true, "coalesce": true, "ifnull": true,
	"nullif": true, "json_valid": true, "->": true, "trim": true, "char": true, "length": true, "substr": true, "round": true, "julianday": true, "unhex": true}

// authorize decides whether SQLite may do an action of a statement. SQLite calls it for each action while it compiles the statement.
func (g *guard) authorize(action sqlite.AuthorizerActionCode, arg1, arg2, database, trigger string) sqlite.AuthorizerReturnCode {
	r := g.decide(action, arg1, arg2, database, trigger)
	g.denied = g.denied || r != sqlite.AuthorizerOK
	return r
}

func (g *guard) decide(action sqlite.AuthorizerActionCode, arg1, arg2, database, trigger string) sqlite.AuthorizerReturnCode {
	if (action == sqlite.AuthTransaction || action == sqlite.AuthSavepoint || action == sqlite.AuthPragma && arg1 == "user_version") && g.bounds.Load() {
		return sqlite.AuthorizerOK
	}
	reads := g.reads.Load()
	if reads == nil {
		return sqlite.AuthorizerDeny
	}
	q := question{action, sqlast.Fold(arg1), sqlast.Fold(arg2), sqlast.Fold(trigger)} // SQLite reports a view's name in the statement's spelling
	if g.learning != nil {
		g.record(q)
		return sqlite.AuthorizerOK
	}
	inTree := strings.HasPrefix(trigger, sqlast.TreePrefix) // SQLite reports a recursion's name in place of a view's
	if trigger != "" && !inTree {                           // a trigger changes more than the plan, so the host must have permitted it
		known := database == "main" || database == "" && nameless(action, arg2)
		if w := g.writes.Load(); w != nil && known && slices.Contains(w.Triggers, trigger) {
			return sqlite.AuthorizerOK
		}
		if known && g.asks(q) {
			return sqlite.AuthorizerOK
		}
		return sqlite.AuthorizerDeny
	}
	switch action {
	case sqlite.AuthSelect:
		return sqlite.AuthorizerOK
	case sqlite.AuthRecursive:
		if inTree {
			return sqlite.AuthorizerOK
		}
	case sqlite.AuthRead:
		cols, ok := (*reads)[sqlast.Fold(arg1)]
		if ok && database == "main" && cols[sqlast.Fold(arg2)] {
			return sqlite.AuthorizerOK
		}
		if database == "main" && g.follows(arg1, arg2) {
			return sqlite.AuthorizerOK
		}
		// If a statement only counts rows, SQLite reports no column. It reports a database name for a table that it found in the
		// text of a view. For a table that the statement names, it does so only if the statement names the database, which ours
		// never do. So a statement can't count the rows of a table behind a view, some of other tenants, unless it names main.table.
		if arg2 == "" && (ok || isDerived(arg1) || database == "main" && g.asks(q)) {
			return sqlite.AuthorizerOK
		}
	case sqlite.AuthFunction:
		if name := sqlast.Fold(arg2); Functions[name] || strings.HasPrefix(name, "exo_") || g.asks(q) {
			return sqlite.AuthorizerOK
		}
	case sqlite.AuthInsert, sqlite.AuthUpdate, sqlite.AuthDelete:
		if trigger == "" && database == "main" && admits(g.writes.Load(), action, arg1, arg2) {
			return sqlite.AuthorizerOK
		}
	}
	return sqlite.AuthorizerDeny
}

// nameless reports whether SQLite reports no database for an action: a SELECT, a function, a recursion, or a table that only has its rows counted.
func nameless(action sqlite.AuthorizerActionCode, arg2 string) bool {
	return action == sqlite.AuthSelect || action == sqlite.AuthFunction || action == sqlite.AuthRecursive || action == sqlite.AuthRead && arg2 == ""
}

// isDerived reports whether a name is one of our aliases of derived tables. SQLite reports them as
// tables without a column if only their rows count.
func isDerived(name string) bool { return name == "" || strings.HasPrefix(name, "(subquery-") }
