package exosql

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/exoagent/exoagent/exo"
)

// postgresSession is one guarded connection with its prepared statements. All of
// a query travels in one batch and runs in a transaction that only reads and is
// rolled back, so nothing that a statement might set outlives it.
type postgresSession struct {
	conn    *pgconn.PgConn
	cancel  *canceller
	stmts   statements[*postgresStmt]
	gone    []string      // statements that are to be deallocated
	names   int           // statements prepared so far
	timeout time.Duration // the longest that a statement may run
	used    time.Time     // when the last query ended
	busy    bool          // with a batch: where a panic leaves it, nobody knows what comes next
	bad     bool
	args    postgresArgs

	begin, limit, rollback *pgconn.StatementDescription
}

// postgresStmt is a prepared statement with the decoders of its cells.
type postgresStmt struct {
	kinds  []string // of the arguments: they were the types that it was prepared with
	sd     *pgconn.StatementDescription
	decode []postgresDecoder
	texts  []bool // cells that are texts as they came
}

func (s *postgresSession) prepared() (n, bytes int) { return s.stmts.Len(), s.stmts.Size() }

// sound reports whether the connection is open, in no transaction, and sure that
// no cancel request is on its way to it.
func (s *postgresSession) sound() bool {
	return !s.bad && !s.busy && !s.conn.IsClosed() && s.conn.TxStatus() == 'I' && !s.cancel.unsure
}

func (s *postgresSession) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return s.conn.Close(ctx)
}

// idleCheck is how long a connection may be idle before it is looked at first:
// servers restart, and firewalls forget.
const idleCheck = time.Second

func (s *postgresSession) query(ctx context.Context, p *plan, args []exo.Value, out *collector) error {
	if time.Since(s.used) > idleCheck {
		if err := s.ping(ctx); err != nil {
			return err
		}
	}
	defer func() {
		s.deallocate()
		s.used = time.Now()
	}()
	err := s.run(ctx, p, args, out)
	e, ok := errors.AsType[*pgconn.PgError](err)
	switch {
	case !ok || out.count() > 0 || !s.sound():
	case e.Code == notSupported:
		// The statement was prepared for tables that have changed since.
		s.stmts.Remove(p)
		return s.run(ctx, p, args, out)
	case e.Code == invalidStatement:
		// Something between us and the server, a pooler, has dropped what was prepared.
		s.bad = true
		return fmt.Errorf("%w: %w", errLost, err)
	}
	return err
}

// The server's codes for what is retried or translated.
const (
	notSupported     = "0A000" // also: a prepared statement's result would have another type now
	invalidStatement = "26000" // no such prepared statement
	queryCanceled    = "57014"
)

func (s *postgresSession) ping(ctx context.Context) error {
	pl := s.conn.StartPipeline(ctx)
	err := pl.Sync()
	if err == nil {
		_, err = pl.GetResults()
	}
	if err = errors.Join(err, pl.Close()); err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.bad = true
	return fmt.Errorf("%w: %w", errLost, boundError(err))
}

func (s *postgresSession) run(ctx context.Context, p *plan, args []exo.Value, out *collector) error {
	st, err := s.prepare(ctx, p, args)
	if err != nil {
		return err
	}
	if _, kept := s.stmts.Get(p); !kept {
		defer s.dropped(st) // too large: it ends with its query
	}
	params, formats := s.args.encode(args)
	return s.guarded(ctx, func(pl *pgconn.Pipeline) {
		pl.SendQueryStatement(st.sd, params, formats, binaryFormat)
	}, func(rr *pgconn.ResultReader) error {
		var texts arena
		for rr.NextRow() {
			for i, b := range rr.Values() {
				if err = out.afford(len(b)); err != nil {
					return err
				}
				switch {
				case b == nil:
					err = out.null()
				case st.texts[i]:
					err = out.add(exo.Text(texts.keep(b)))
				default:
					err = out.add(st.decode[i](b))
				}
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

var binaryFormat = []int16{1}

// guarded runs one statement in a transaction that only reads and has a time
// limit, in one round trip. The rollback comes after a synchronisation point of its own, so
// that it is done whatever happens before it. That the limit is set by a query
// also closes the transaction to SET TRANSACTION READ WRITE, which works before
// the first query only.
func (s *postgresSession) guarded(ctx context.Context, send func(*pgconn.Pipeline), read func(*pgconn.ResultReader) error) error {
	limit, byContext := s.timeout, false
	if d, ok := ctx.Deadline(); ok && time.Until(d) < limit {
		limit, byContext = max(time.Until(d), 0).Truncate(time.Millisecond)+time.Millisecond, true
	}
	start := time.Now()
	qctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.busy = true
	pl := s.conn.StartPipeline(qctx)
	pl.SendQueryStatement(s.begin, nil, nil, nil)
	pl.SendQueryStatement(s.limit, [][]byte{strconv.AppendInt(nil, limit.Milliseconds(), 10)}, nil, nil)
	send(pl)
	pl.SendPipelineSync()
	pl.SendQueryStatement(s.rollback, nil, nil, nil)
	err := pl.Sync()
	for i := 0; i < 3 && err == nil; i++ {
		var res any
		if res, err = pl.GetResults(); err != nil {
			break
		}
		rr, ok := res.(*pgconn.ResultReader)
		if !ok {
			err = fmt.Errorf("exosql: the server answers with %T", res)
			break
		}
		if i == 2 && read != nil {
			if err = read(rr); err != nil {
				cancel() // the rest of the rows would come first
				break
			}
		}
		_, err = rr.Close()
	}
	if cerr := pl.Close(); err == nil {
		err = cerr // of the rollback
	}
	err = boundError(err)
	if !s.conn.IsClosed() && s.conn.TxStatus() != 'I' {
		s.rollBack()
	}
	s.busy = false
	if late := time.Since(start) >= limit-time.Millisecond; late && byContext {
		if err != nil {
			<-ctx.Done() // the server was first by a moment; who waits for the run reads its context
		}
		return s.translate(ctx, err, context.DeadlineExceeded)
	} else if late {
		return s.translate(ctx, err, exo.Errorf(exo.Limit, "", "the query ran longer than the database allows: %v", s.timeout))
	}
	return s.translate(ctx, err, &exo.Error{Kind: exo.Cancelled}) // by somebody at the server
}

// rollBack is for a cancel request that hit the rollback itself. No other is on
// its way now: the pipeline has ended.
func (s *postgresSession) rollBack() {
	ctx, cancel := context.WithTimeout(context.Background(), cancelGrace)
	defer cancel()
	_, _ = s.conn.ExecParams(ctx, "ROLLBACK", nil, nil, nil, nil).Close() // the state says how it went
}

// translate says what an error of the server is to a program; stopped is what it
// is when the server ended the query by itself. The server's words are for the host.
func (s *postgresSession) translate(ctx context.Context, err error, stopped error) error {
	if _, ok := errors.AsType[*pgproto3.ExceededMaxBodyLenErr](err); ok {
		return &exo.Error{Kind: exo.Limit, Msg: fmt.Sprintf("a row is too large: the limit is %d bytes", maxRow), Err: err}
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && e.Code == queryCanceled && ctx.Err() == nil {
		return fmt.Errorf("%w: %w", stopped, err)
	}
	return err
}

func (s *postgresSession) prepare(ctx context.Context, p *plan, args []exo.Value) (*postgresStmt, error) {
	if st, ok := s.stmts.Get(p); ok {
		if st.serves(args) {
			return st, nil
		}
		s.stmts.Remove(p)
	}
	st := &postgresStmt{kinds: make([]string, len(args))}
	types := make([]uint32, len(args))
	for i, v := range args {
		st.kinds[i], types[i] = v.Type(), postgresType(v.Type())
	}
	s.names++
	var err error
	st.sd, err = s.conn.Prepare(ctx, "exo_"+strconv.Itoa(s.names), p.text, types)
	if err != nil {
		return nil, boundError(err)
	}
	if len(st.sd.Fields) != len(p.cells) || len(st.sd.ParamOIDs) != len(args) {
		err = fmt.Errorf("exosql: the statement has %d cells and %d values, its plan %d and %d", len(st.sd.Fields), len(st.sd.ParamOIDs), len(p.cells), len(args))
	}
	for i := range p.cells {
		if err != nil {
			break
		}
		d := postgresDecoderOf(&p.cells[i], st.sd.Fields[i].DataTypeOID)
		if d == nil {
			err = p.cells[i].contradicts(fmt.Sprintf("PostgreSQL's type %d", st.sd.Fields[i].DataTypeOID))
		}
		st.decode, st.texts = append(st.decode, d), append(st.texts, p.cells[i].kind == exo.TypeText)
	}
	if err != nil {
		_ = s.conn.Deallocate(ctx, st.sd.Name)
		return nil, err
	}
	if size := prepareBytes(p) + p.bytes; s.stmts.Fits(size) {
		s.stmts.Add(p, st, size)
	}
	return st, nil
}

// prepareBytes estimates the memory of the server for a statement and its plan, which a
// role that only reads may not ask for. A join names the columns of all tables before it
// again, so many tables cost more than their text says. Held by TestStatementBytes.
func prepareBytes(p *plan) int { return 12<<10 + 100*len(p.text) + 150*p.joins }

func (st *postgresStmt) serves(args []exo.Value) bool {
	for i, v := range args {
		if st.kinds[i] != v.Type() {
			return false
		}
	}
	return true
}

// dropped notes a statement that is not used any more.
func (s *postgresSession) dropped(st *postgresStmt) { s.gone = append(s.gone, st.sd.Name) }

// deallocate has the server forget what was dropped, whatever became of the query. Where
// it can't be told, the connection is closed soon, and the statements with it.
func (s *postgresSession) deallocate() {
	if len(s.gone) == 0 || !s.sound() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), cancelGrace)
	defer cancel()
	for _, name := range s.gone {
		if s.conn.Deallocate(ctx, name) != nil {
			s.bad = true
			return
		}
	}
	s.gone = s.gone[:0]
}
