package exosql

import (
	"context"
	"errors"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/cursor"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/lru"
	"github.com/exoagent/exoagent/internal/sqlast"
	"github.com/exoagent/exoagent/schema"
)

// DB is a database whose connections are set up so that they can do no more
// than the plans that this package makes: the second wall, beneath the query
// compiler. It gives no access to the connections. Make one with Open, share it, Close it.
type DB struct {
	dialect sqlast.Dialect
	plans   *lru.Cache[*plan.Plan]
	writes  *lru.Cache[*keptWrite]
	pool    *engine.Pool
	cursors *cursor.Sealer

	writers *engine.Writers
	secured bool          // see OpenOptions.RowSecurity
	idle    time.Duration // how long a unit that has written may be asked nothing
	images  int           // of how many rows of a run
	witness bool          // see OpenOptions.Witness

	hookFailed func(error) // see OpenOptions.HookFailed
	txMu       sync.Mutex
	txs        map[*Tx]struct{} // that are open

	liveMu sync.Mutex
	live   *schema.Database // see catalogue
	liveAt time.Time
	liveNo uint64 // counts them
}

// Query is what the record of a message says of the statement that answered it
// (see exo.Entry's Details). It holds values of the database: it is for the host alone.
type Query struct {
	SQL  string
	Args []value.Value
	Rows int
	Took time.Duration
	// Fenced says which rows out of scope the database would have read for the statement
	// without its fences; so it ran with them, and no index served the program's own conditions.
	// It is "" where the statement ran without fences, or has no form without them.
	Fenced string

	plan *plan.Plan
}

// AppendJSON writes the query as a record keeps it: sql, args, rows, ms and fenced. In the place of a value above exo.ConstantBytes,
// of all values where they are more than 256 KiB, and of a statement above 64 KiB stands {"digest": …, "bytes": …}: its value.Digest, and its size
// as value.Value.Bytes counts. The record has a program's large constants once, by their digests: see exo.Constant.
func (q Query) AppendJSON(b []byte) ([]byte, error) {
	b, err := appendUpTo(append(b, `{"sql":`...), value.Text(q.SQL), maxRecordedSQL)
	if err != nil {
		return b, err
	}
	if b, err = appendArgs(append(b, `,"args":`...), q.Args); err != nil {
		return b, err
	}
	b = strconv.AppendInt(append(b, `,"rows":`...), int64(q.Rows), 10)
	b = strconv.AppendFloat(append(b, `,"ms":`...), math.Round(float64(q.Took)/1e3)/1e3, 'f', -1, 64)
	if q.Fenced != "" {
		if b, err = value.Text(q.Fenced).AppendJSON(append(b, `,"fenced":`...)); err != nil {
			return b, err
		}
	}
	return append(b, '}'), nil
}

// MarshalJSON implements json.Marshaler.
func (q Query) MarshalJSON() ([]byte, error) { return q.AppendJSON(nil) }

// Output is one value of each row that a statement gave.
type Output struct {
	Name string // as the program reads it, with the names of records around it: "user.name"
	Type string // value.TypeDecimal and so on: a Value alone does not tell a decimal or a date from a text
}

// Outputs are the values of each row, in order.
func (q Query) Outputs() []Output {
	if q.plan == nil {
		return nil
	}
	out := make([]Output, 0, len(q.plan.Cells))
	var walk func(s *value.Shape, prefix string)
	walk = func(s *value.Shape, prefix string) {
		for i, n := range s.Names {
			if sub := s.Sub(i); sub != nil {
				walk(sub, prefix+n+".")
			} else {
				out = append(out, Output{prefix + n, q.plan.Cells[len(out)].Kind})
			}
		}
	}
	walk(q.plan.Shape, "")
	return out
}

// Close waits for the queries that run, and closes every connection. Queries
// that come later fail. A second Close does nothing.
func (db *DB) Close() error {
	if db.ready() != nil {
		return nil
	}
	return errors.Join(db.rollBackAll(), db.writers.Close(), db.pool.Close())
}

// ready refuses a DB that was not opened.
func (db *DB) ready() error {
	if db == nil || db.pool == nil {
		return &fail.Error{Kind: fail.Internal, Err: errNotOpened}
	}
	return nil
}

var errNotOpened = errors.New("exosql: this DB was not opened: Open, OpenSQLite or OpenPostgres makes one")

// Catalog reads what the database says of itself, over a connection of its own. It is for
// the host: to declare tables from it (exosql/dynamic), or to compare.
func (db *DB) Catalog(ctx context.Context) (*schema.Database, error) {
	if err := db.ready(); err != nil {
		return nil, err
	}
	return db.pool.Catalog(ctx, true)
}

// query runs a plan, in the unit of work u if there is one. m is the message it answers, or nil for the typed API; refused is
// why its open plan was not run, or nil; of a page it notes where the next one begins.
func (db *DB) query(ctx context.Context, u *unit, p *plan.Plan, args []value.Value, by *engine.Settings, m *exo.Message, refused *fence.Refused, of *page) (value.Value, error) {
	start := time.Now()
	collect := func(m *exo.Message) *plan.Collector {
		if of != nil {
			return plan.NewPageCollector(p, m, of.size)
		}
		return plan.NewCollector(p, m)
	}
	var out *plan.Collector
	var err error
	if u != nil {
		out, err = u.read(ctx, p, args, by, m, collect)
	} else {
		out = collect(m)
		err = db.pool.Run(ctx, p, args, by, out)
	}
	if no, ok := errors.AsType[*fence.Refused](err); ok {
		return value.Value{}, no
	}
	var rows *value.Rows
	if out == nil { // the unit is over
		rows = plan.NewCollector(p, nil).Rows()
	} else {
		rows = out.Rows()
	}
	if m != nil {
		q := Query{SQL: p.Text, Args: args, Rows: rows.Len(), Took: time.Since(start), plan: p}
		if refused != nil {
			q.Fenced = refused.Why.Error()
		}
		m.Detail(q)
	}
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err() // what an engine says about being interrupted varies
		}
		return value.Value{}, fail.Classify("", err)
	}
	if out != nil && out.Again() {
		return value.Value{}, errAgain
	}
	if of != nil {
		if of.next, err = out.Following(of.from); err != nil {
			return value.Value{}, err
		}
	}
	switch {
	case p.Kind == plan.RunCount, p.Kind == plan.RunValue:
		if rows.Len() != 1 {
			return value.Value{}, &fail.Error{Kind: fail.Internal, Err: errors.New("exosql: an aggregate gave no row")}
		}
		return rows.Reader().Cells(0)[0], nil
	case p.Kind == plan.RunFirst && m != nil:
		if rows.Len() == 0 {
			return value.Null(), nil
		}
		if p.Bare {
			return rows.Reader().Cells(0)[0], nil
		}
		return rows.Row(0), nil
	case p.Bare:
		return bare(rows), nil
	}
	return value.RowsValue(rows), nil
}

// bare is the list of the only cell of each row.
func bare(rows *value.Rows) value.Value {
	list, r := make([]value.Value, rows.Len()), rows.Reader()
	for i := range list {
		list[i] = r.Cells(i)[0]
	}
	return value.List(list...)
}
