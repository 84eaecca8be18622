package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// Session is one guarded connection with its prepared statements. All of
// a query travels in one batch and runs in a transaction that only reads and is
// rolled back, so nothing that a statement might set outlives it.
type Session struct {
	Conn    *pgconn.PgConn
	cancel  *canceller
	stmts   engine.Statements[*stmt]
	gone    []string      // statements that are to be deallocated
	names   int           // statements prepared so far
	timeout time.Duration // the longest that a statement may run
	maxCost float64       // of a statement; 0 is no ceiling
	Used    time.Time     // when the last query ended
	busy    bool          // with a batch: where a panic leaves it, nobody knows what comes next
	bad     bool
	args    arguments

	Refusals *Refusals // of all connections

	Begin, limit, Rollback, indexes *pgconn.StatementDescription

	settings *engine.Settings // see With
	set      *pgconn.StatementDescription
	was      []string // settings that the unit of work has

	unit     *unitStatements // of a Writer, while it is in a unit of work
	affected int64           // rows that statements have changed
	later    []found         // what is to be looked for: see agree

	concerned func(context.Context, *plan.Plan) ([]rule, error) // of a Writer
}

// stmt is a prepared statement with the decoders of its cells.
type stmt struct {
	kinds  []string // of the arguments: they were the types that it was prepared with
	sd     *pgconn.StatementDescription
	decode []decoder
	texts  []bool // cells that are texts as they came
	rows   []*rowsDecoder
	rules  []rule // whose parts are given after the cells, to wrote
	wrote  func([]rule, [][]byte)
	open   *opened
	costed time.Time // when its cost was last found to be below the ceiling
}

func (s *Session) Prepared() (n, bytes int) { return s.stmts.Len(), s.stmts.Size() }

// Sound reports whether the connection is open, in no transaction but that of its unit, and sure that
// no cancel request is on its way to it.
func (s *Session) Sound() bool {
	idle := byte('I')
	if s.unit != nil && !s.unit.pending {
		idle = 'T'
	}
	return !s.bad && !s.busy && !s.Conn.IsClosed() && s.Conn.TxStatus() == idle && !s.cancel.unsure
}

func (s *Session) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return s.Conn.Close(ctx)
}

// idleCheck is how long a connection may be idle before it is looked at first:
// servers restart, and firewalls forget.
const idleCheck = time.Second

func (s *Session) Query(ctx context.Context, p *plan.Plan, args []value.Value, out *plan.Collector) error {
	if time.Since(s.Used) > idleCheck {
		if err := s.ping(ctx); err != nil {
			return err
		}
	}
	defer func() {
		s.deallocate()
		s.Used = time.Now()
	}()
	run := s.run
	if p.Tables != nil {
		run = s.runOpen
	}
	err := run(ctx, p, args, out)
	if said, _ := unread(p, args, err); said != nil && p.Write == nil {
		return said
	}
	e, ok := errors.AsType[*pgconn.PgError](err)
	switch {
	case !ok || out.Count() > 0 || !s.Sound():
	case e.Code == notSupported:
		// The statement was prepared for tables that have changed since.
		s.stmts.Remove(p)
		err = run(ctx, p, args, out) // an open plan is judged again
	case e.Code == invalidStatement:
		// Something between us and the server, a pooler, has dropped what was prepared.
		s.bad = true
		return fmt.Errorf("%w: %w", engine.ErrLost, err)
	}
	if p.Write != nil {
		return err // see violation
	}
	return hostError(err)
}

// The server's codes for what is retried or translated.
const (
	notSupported     = "0A000" // also: a prepared statement's result would have another type now
	invalidStatement = "26000" // no such prepared statement
	queryCanceled    = "57014"
)

func (s *Session) ping(ctx context.Context) error {
	pl := s.Conn.StartPipeline(ctx)
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
	return fmt.Errorf("%w: %w", engine.ErrLost, boundError(err))
}

func (s *Session) run(ctx context.Context, p *plan.Plan, args []value.Value, out *plan.Collector) error {
	st, err := s.prepare(ctx, p, args)
	if err != nil {
		return err
	}
	if _, kept := s.stmts.Get(p); !kept {
		defer s.dropped(st) // too large: it ends with its query
	}
	if err := s.affordable(ctx, st); err != nil {
		return err
	}
	params, formats := s.args.encode(args)
	return s.guarded(ctx, 1, func(pl *pgconn.Pipeline) {
		pl.SendQueryStatement(st.sd, params, formats, binaryFormat)
	}, func(_ int, rr *pgconn.ResultReader) error { return st.read(rr, out) })
}

// read hands the cells of all rows to out.
func (st *stmt) read(rr *pgconn.ResultReader, out *plan.Collector) (err error) {
	for rr.NextRow() {
		all := rr.Values()
		if len(st.rules) > 0 {
			st.wrote(st.rules, all[len(st.decode):])
		}
		for i, b := range all[:len(st.decode)] {
			if err = out.Afford(len(b)); err != nil {
				return err
			}
			switch {
			case b == nil:
				err = out.Null()
			case st.texts[i]:
				err = out.AddText(b)
			case st.rows[i] != nil:
				var v value.Value
				var n int
				if v, n, err = st.rows[i].decode(b, out.Misfits()); err == nil {
					err = out.AddRows(v, n)
				}
			default:
				err = out.Add(st.decode[i](b))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

var binaryFormat = []int16{1}

// guarded runs n statements in a transaction that only reads and has a time
// limit, in one round trip; read gets the result of each, counted from 0. The rollback comes after a synchronisation point of its own, so
// that it is done whatever happens before it. That the limit is set by a query
// also closes the transaction to SET TRANSACTION READ WRITE, which works before
// the first query only.
func (s *Session) guarded(ctx context.Context, n int, send func(*pgconn.Pipeline), read func(int, *pgconn.ResultReader) error) error {
	limit, byContext := s.timeout, false
	if d, ok := ctx.Deadline(); ok && time.Until(d) < limit {
		limit, byContext = max(time.Until(d), 0).Truncate(time.Millisecond)+time.Millisecond, true
	}
	first := -2 // the transaction and its limit come first
	settings, err := s.policies(ctx)
	if err != nil {
		return err
	}
	if settings != nil {
		first--
	}
	start := time.Now()
	qctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.busy = true
	begin, limits, end := s.Begin, s.limit, s.Rollback
	if s.unit != nil {
		begin, limits, end = s.unit.around()
	}
	pl := s.Conn.StartPipeline(qctx)
	if s.unit != nil && s.unit.pending {
		// Where it fails, the server skips all up to the synchronisation point: no statement runs by itself.
		first--
		s.unit.pending = false
		pl.SendQueryStatement(s.unit.begin, nil, nil, nil)
	}
	pl.SendQueryStatement(begin, nil, nil, nil)
	pl.SendQueryStatement(limits, [][]byte{strconv.AppendInt(nil, limit.Milliseconds(), 10)}, nil, nil)
	if settings != nil {
		pl.SendQueryStatement(s.set, settings, nil, nil)
	}
	send(pl)
	pl.SendPipelineSync()
	pl.SendQueryStatement(end, nil, nil, nil)
	err = pl.Sync()
	for i := first; i < n && err == nil; i++ {
		var res any
		if res, err = pl.GetResults(); err != nil {
			break
		}
		rr, ok := res.(*pgconn.ResultReader)
		if !ok {
			err = fmt.Errorf("exosql: the server answers with %T", res)
			break
		}
		if i >= 0 && read != nil {
			if err = read(i, rr); err != nil {
				cancel() // the rest of the rows would come first
				break
			}
		}
		var tag pgconn.CommandTag
		if tag, err = rr.Close(); tag.Insert() || tag.Update() || tag.Delete() {
			s.affected += tag.RowsAffected()
		}
	}
	if cerr := pl.Close(); err == nil {
		err = cerr // of the rollback
	}
	err = boundError(err)
	switch {
	case s.Conn.IsClosed():
	case s.unit != nil:
		s.undo()
	case s.Conn.TxStatus() != 'I':
		s.rollBack()
	}
	s.busy = false
	if late := time.Since(start) >= limit-time.Millisecond; late && byContext {
		if err != nil {
			<-ctx.Done() // the server was first by a moment; who waits for the run reads its context
		}
		return s.translate(ctx, err, context.DeadlineExceeded)
	} else if late {
		return s.translate(ctx, err, fail.Errorf(fail.Limit, "", "the query ran longer than the database allows: %v", s.timeout))
	}
	return s.translate(ctx, err, &fail.Error{Kind: fail.Cancelled}) // by somebody at the server
}

// rollBack is for a cancel request that hit the rollback itself. No other is on
// its way now: the pipeline has ended.
func (s *Session) rollBack() {
	ctx, cancel := context.WithTimeout(context.Background(), CancelGrace)
	defer cancel()
	_, _ = s.Conn.ExecParams(ctx, "ROLLBACK", nil, nil, nil, nil).Close() // the state says how it went
}

// translate says what an error of the server is to a program; stopped is what it
// is when the server ended the query by itself. The server's words are for the host.
func (s *Session) translate(ctx context.Context, err error, stopped error) error {
	if _, ok := errors.AsType[*pgproto3.ExceededMaxBodyLenErr](err); ok {
		return &fail.Error{Kind: fail.Limit, Msg: fmt.Sprintf("a row is too large: the limit is %d bytes", engine.MaxRow), Err: err}
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && e.Code == queryCanceled && ctx.Err() == nil {
		return fmt.Errorf("%w: %w", stopped, err)
	}
	return err
}

func (s *Session) prepare(ctx context.Context, p *plan.Plan, args []value.Value) (*stmt, error) {
	var rules []rule
	if p.Write != nil && s.concerned != nil {
		var err error
		if rules, err = s.concerned(ctx, p); err != nil {
			return nil, err
		}
	}
	if st, ok := s.stmts.Get(p); ok {
		if st.serves(args) && slices.EqualFunc(st.rules, rules, func(a, b rule) bool { return a.st == b.st }) {
			return st, nil
		}
		s.stmts.Remove(p)
	}
	st := &stmt{kinds: make([]string, len(args)), rules: rules, wrote: s.wrote}
	types := make([]uint32, len(args))
	for i, v := range args {
		st.kinds[i], types[i] = v.Type(), typeOf(v.Type())
	}
	s.names++
	var err error
	st.sd, err = s.Conn.Prepare(ctx, "exo_"+strconv.Itoa(s.names), returning(p, rules), types)
	if err != nil {
		return nil, boundError(err)
	}
	if len(st.sd.Fields) != len(p.Cells)+partsOf(rules) || len(st.sd.ParamOIDs) != len(args) {
		err = fmt.Errorf("exosql: the statement has %d cells and %d values, its plan %d and %d", len(st.sd.Fields), len(st.sd.ParamOIDs), len(p.Cells), len(args))
	}
	for i := range p.Cells {
		if err != nil {
			break
		}
		d := decoderOf(&p.Cells[i], st.sd.Fields[i].DataTypeOID)
		if d == nil {
			err = p.Cells[i].Contradicts(fmt.Sprintf("PostgreSQL's type %d", st.sd.Fields[i].DataTypeOID))
		}
		st.decode, st.texts = append(st.decode, d), append(st.texts, p.Cells[i].Kind == value.TypeText)
		st.rows = append(st.rows, rowsDecoderOf(&p.Cells[i]))
	}
	if err != nil {
		_ = s.Conn.Deallocate(ctx, st.sd.Name)
		return nil, err
	}
	if size := prepareBytes(p) + p.Bytes; s.stmts.Fits(size) {
		s.stmts.Add(p, st, size)
	}
	return st, nil
}

// prepareBytes estimates the memory of the server for a statement and its plan, which a
// role that only reads may not ask for. A join names the columns of all tables before it
// again, so many tables cost more than their text says. Held by TestStatementBytes.
func prepareBytes(p *plan.Plan) int {
	n := 12<<10 + 100*len(p.Text) + 150*p.Joins
	if p.Tables != nil {
		n += 12 << 10 // the question for its plan is a statement, too
	}
	return n
}

func (st *stmt) serves(args []value.Value) bool {
	for i, v := range args {
		if st.kinds[i] != v.Type() {
			return false
		}
	}
	return true
}

// dropped notes a statement that is not used any more.
func (s *Session) dropped(st *stmt) {
	s.gone = append(s.gone, st.sd.Name)
	if st.open != nil {
		s.gone = append(s.gone, st.open.explain.Name)
	}
}

// deallocate has the server forget what was dropped, whatever became of the query. Where the server
// can't be asked, the connection is closed soon, and the statements with it.
func (s *Session) deallocate() {
	if len(s.gone) == 0 || !s.Sound() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), CancelGrace)
	defer cancel()
	for _, name := range s.gone {
		if s.Conn.Deallocate(ctx, name) != nil {
			s.bad = true
			return
		}
	}
	s.gone = s.gone[:0]
}
