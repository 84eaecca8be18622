package exosql

import (
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/exoagent/exoagent/exo"
)

// sqliteConn runs statements on a connection of the driver through the engine's
// own interface. What lies between, database/sql and the driver's rows, costs more
// than most queries do: locks, boxes and conversions for each cell, and a
// goroutine for each query. One goroutine at a time uses it; only interrupt may be
// called from others.
type sqliteConn struct {
	driver driver.Conn // opened it, has its authorizer, and closes it
	db     uintptr     // the engine's handle
	mutex  uintptr     // the engine's lock of this connection
	tls    *libc.TLS
	out    uintptr // where prepare leaves its results
	text   uintptr // bound texts lie here while their statement runs
	room   int     // bytes at text
}

const pointerSize = strconv.IntSize / 8

func newSQLiteConn(d driver.Conn) (*sqliteConn, error) {
	db, err := handle(d)
	if err != nil {
		return nil, err
	}
	c := &sqliteConn{driver: d, db: db, tls: libc.NewTLS()}
	c.mutex = sqlite3.Xsqlite3_db_mutex(c.tls, db)
	if c.out = libc.Xmalloc(c.tls, 2*pointerSize); c.out == 0 {
		c.tls.Close()
		return nil, errNoMemory
	}
	return c, nil
}

var errNoMemory = errors.New("exosql: SQLite has no memory left")

// close frees what the connection holds; its statements are finalized before.
func (c *sqliteConn) close() error {
	libc.Xfree(c.tls, c.out)
	libc.Xfree(c.tls, c.text)
	c.tls.Close()
	return c.driver.Close()
}

// sqliteError is what the engine says. It may quote the schema: it is for the host alone.
type sqliteError struct {
	code int32
	msg  string
}

func (e *sqliteError) Error() string { return fmt.Sprintf("sqlite: %s (%d)", e.msg, e.code) }

// primary is the code without its extension.
func primary(code int32) int32 { return code & 0xff }

func (c *sqliteConn) fault(code int32) error {
	return &sqliteError{code, libc.GoString(sqlite3.Xsqlite3_errmsg(c.tls, c.db))}
}

// stmt is a prepared statement.
type stmt struct {
	p     uintptr
	texts []int32 // the placeholders that point to bound texts
}

// prepare compiles one statement, with the authorizer that is in force.
func (c *sqliteConn) prepare(text string) (*stmt, error) {
	sql, err := libc.CString(text)
	if err != nil {
		return nil, errNoMemory
	}
	defer libc.Xfree(c.tls, sql)
	tail := c.out + pointerSize
	if rc := sqlite3.Xsqlite3_prepare_v3(c.tls, c.db, sql, int32(len(text)+1), sqlite3.SQLITE_PREPARE_PERSISTENT, c.out, tail); rc != sqlite3.SQLITE_OK {
		return nil, c.fault(rc)
	}
	st := &stmt{p: pointerAt(c.out)}
	if st.p == 0 || pointerAt(tail) != sql+uintptr(len(text)) {
		c.finalize(st)
		return nil, errors.New("exosql: a text that is not one statement")
	}
	return st, nil
}

// pointerAt reads a pointer from the engine's memory.
func pointerAt(p uintptr) uintptr {
	b := libc.GoBytes(p, pointerSize)
	if pointerSize == 4 {
		return uintptr(binary.NativeEndian.Uint32(b))
	}
	return uintptr(binary.NativeEndian.Uint64(b))
}

// bytes is the memory of the engine that a statement has.
func (c *sqliteConn) bytes(st *stmt) int {
	return int(sqlite3.Xsqlite3_stmt_status(c.tls, st.p, sqlite3.SQLITE_STMTSTATUS_MEMUSED, 0))
}

func (c *sqliteConn) finalize(st *stmt) { sqlite3.Xsqlite3_finalize(c.tls, st.p) }

// bind gives every placeholder its value. The number of values must be that of
// the placeholders: one that was left out would keep the value of another run.
func (c *sqliteConn) bind(st *stmt, args []exo.Value) error {
	if n := int(sqlite3.Xsqlite3_bind_parameter_count(c.tls, st.p)); n != len(args) {
		return fmt.Errorf("exosql: a statement has %d placeholders and is given %d values", n, len(args))
	}
	size := 0
	for i := range args {
		size += len(args[i].Text())
		if args[i].Type() == exo.TypeTime {
			size += len(exo.TimeFormat)
		}
	}
	if size > math.MaxInt32 || !c.reserve(size) {
		return errNoMemory
	}
	at := c.text
	for i, v := range args {
		n, rc := int32(i+1), int32(sqlite3.SQLITE_OK)
		switch v.Type() {
		case exo.TypeNull:
			rc = sqlite3.Xsqlite3_bind_null(c.tls, st.p, n)
		case exo.TypeBool:
			b := int64(0)
			if v.Bool() {
				b = 1
			}
			rc = sqlite3.Xsqlite3_bind_int64(c.tls, st.p, n, b)
		case exo.TypeInt:
			rc = sqlite3.Xsqlite3_bind_int64(c.tls, st.p, n, v.Int())
		case exo.TypeFloat:
			rc = sqlite3.Xsqlite3_bind_double(c.tls, st.p, n, v.Float())
		case exo.TypeText, exo.TypeTime:
			s := v.Text()
			if v.Type() == exo.TypeTime {
				s = v.Time().Format(exo.TimeFormat)
			}
			copy(libc.GoBytes(at, len(s)), s)
			st.texts = append(st.texts, n)
			rc = sqlite3.Xsqlite3_bind_text(c.tls, st.p, n, at, int32(len(s)), 0) // not copied: reset unbinds it
			at += uintptr(len(s))
		default:
			return fmt.Errorf("exosql: a value of %s can't be bound", v.Type())
		}
		if rc != sqlite3.SQLITE_OK {
			return c.fault(rc)
		}
	}
	return nil
}

// reserve makes room for bound texts. No statement has any bound at this time.
func (c *sqliteConn) reserve(n int) bool {
	if n = max(n, 1); n <= c.room { // never the null pointer: that would bind NULL in the place of ''
		return true
	}
	libc.Xfree(c.tls, c.text)
	c.room = 0
	if c.text = libc.Xmalloc(c.tls, types.Size_t(n)); c.text == 0 {
		return false
	}
	c.room = n
	return true
}

// keptRoom is how much memory for texts a connection keeps between queries.
const keptRoom = 64 << 10

// reset ends a statement, whatever became of it: its locks are given back, and no
// value of this run is left in it. (Numbers stay until the next run overwrites
// them: unbinding them would make SQLite plan the statement anew.)
func (c *sqliteConn) reset(st *stmt) {
	sqlite3.Xsqlite3_reset(c.tls, st.p) // repeats the error of the last step, which is known
	for _, n := range st.texts {
		sqlite3.Xsqlite3_bind_null(c.tls, st.p, n)
	}
	st.texts = st.texts[:0]
	if c.room > keptRoom {
		libc.Xfree(c.tls, c.text)
		c.text, c.room = 0, 0
	}
}

// step goes to the next row and reports whether there is one.
func (c *sqliteConn) step(st *stmt) (bool, error) {
	switch rc := sqlite3.Xsqlite3_step(c.tls, st.p); rc {
	case sqlite3.SQLITE_ROW:
		return true, nil
	case sqlite3.SQLITE_DONE:
		return false, nil
	default:
		return false, c.fault(rc)
	}
}

// exec runs a statement to its end.
func (c *sqliteConn) exec(text string) error {
	st, err := c.prepare(text)
	if err != nil {
		return err
	}
	defer c.finalize(st)
	for more := true; more && err == nil; {
		more, err = c.step(st)
	}
	return err
}

// lock takes the engine's lock of this connection for a whole row or query, so
// that what is read of each cell need not take it again. It does not keep an
// interrupt out. unlock gives it back.
func (c *sqliteConn) lock()   { sqlite3.Xsqlite3_mutex_enter(c.tls, c.mutex) }
func (c *sqliteConn) unlock() { sqlite3.Xsqlite3_mutex_leave(c.tls, c.mutex) }
