package sqlite

import (
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/internal/scalar"
)

// conn runs statements by SQLite's C interface. It bypasses database/sql and the driver's rows, since their locks, boxes,
// conversions and goroutines cost more than most queries. One goroutine uses a conn at a time; others may only call interrupt.
type conn struct {
	driver driver.Conn // driver opened the connection, has its authorizer, and closes it
	Db     uintptr     // Db is SQLite's handle of the connection
	mutex  uintptr     // mutex is SQLite's lock of this connection
	Tls    *libc.TLS
	out    uintptr // out is where prepare stores its results
	text   uintptr // text has the bound texts while their statement runs
	room   int     // room counts the bytes at text
}

const pointerSize = strconv.IntSize / 8

func newConn(d driver.Conn) (*conn, error) {
	db, err := handle(d)
	if err != nil {
		return nil, err
	}
	c := &conn{driver: d, Db: db, Tls: libc.NewTLS()}
	c.mutex = sqlite3.Xsqlite3_db_mutex(c.Tls, db)
	if c.out = libc.Xmalloc(c.Tls, 2*pointerSize); c.out == 0 {
		c.Tls.Close()
		return nil, errNoMemory
	}
	return c, nil
}

var errNoMemory = errors.New("exosql: SQLite is out of memory")

// close frees the connection's memory. Its statements must be finalized before.
func (c *conn) close() error {
	libc.Xfree(c.Tls, c.out)
	libc.Xfree(c.Tls, c.text)
	c.Tls.Close()
	return c.driver.Close()
}

// SqlError is an error of SQLite. It may quote the schema, so it is only for the host.
type SqlError struct {
	Code int32
	msg  string
}

func (e *SqlError) Error() string { return fmt.Sprintf("sqlite: %s (%d)", e.msg, e.Code) }

// ErrorCode returns the code for observers and logs, as a text (see fail.Reason).
func (e *SqlError) ErrorCode() string { return strconv.Itoa(int(e.Code)) }

// LogReason describes the error for logs (see fail.Reason). Of SQLite's text it has only the name of what is missing: other texts may quote values.
func (e *SqlError) LogReason() string {
	if strings.HasPrefix(e.msg, "no such ") {
		return e.Error()
	}
	return fmt.Sprintf("sqlite: code %d", e.Code)
}

// codeOf returns the code of SQLite, or of its driver, which opens connections. For other errors it is 0.
func codeOf(err error) int32 {
	if e := (*SqlError)(nil); errors.As(err, &e) {
		return e.Code
	}
	if e := (*sqlite.Error)(nil); errors.As(err, &e) {
		return int32(e.Code())
	}
	return 0
}

// primary returns an error code without its extension.
func primary(code int32) int32 { return code & 0xff }

func (c *conn) fault(code int32) error {
	return &SqlError{code, libc.GoString(sqlite3.Xsqlite3_errmsg(c.Tls, c.Db))}
}

// stmt is a prepared statement.
type stmt struct {
	P     uintptr
	texts []int32 // texts are the parameters with bound texts
	fixed bool    // fixed: the statement was compiled by sqlite3_prepare, so SQLite never plans it again (see open.go)

	alone []string            // alone are the tables that are searched only for their scope (see share.go)
	scans map[string][]string // scans has those tables in the field alone that are better scanned, by the scopes' values
	epoch int                 // epoch is the Session's epoch for which scans is valid

	refused *fence.Refused // refused is why the plan was refused, so that there is no statement; or nil
	until   time.Time      // until is when the refusal ends
}

// prepare compiles one statement, with the authorizer in force.
func (c *conn) prepare(text string) (*stmt, error) {
	return c.compile(text, func(sql uintptr, n int32, tail uintptr) int32 {
		return sqlite3.Xsqlite3_prepare_v3(c.Tls, c.Db, sql, n, sqlite3.SQLITE_PREPARE_PERSISTENT, c.out, tail)
	}, false)
}

func (c *conn) compile(text string, prepare func(sql uintptr, n int32, tail uintptr) int32, fixed bool) (*stmt, error) {
	sql, err := libc.CString(text)
	if err != nil {
		return nil, errNoMemory
	}
	defer libc.Xfree(c.Tls, sql)
	tail := c.out + pointerSize
	if rc := prepare(sql, int32(len(text)+1), tail); rc != sqlite3.SQLITE_OK {
		return nil, c.fault(rc)
	}
	st := &stmt{P: pointerAt(c.out), fixed: fixed}
	if st.P == 0 || pointerAt(tail) != sql+uintptr(len(text)) {
		c.finalize(st)
		return nil, errors.New("exosql: a text of SQL is not exactly one statement: this is a fault of exosql, please report it")
	}
	return st, nil
}

// pointerAt reads a pointer from SQLite's memory.
func pointerAt(p uintptr) uintptr {
	b := libc.GoBytes(p, pointerSize)
	if pointerSize == 4 {
		return uintptr(binary.NativeEndian.Uint32(b))
	}
	return uintptr(binary.NativeEndian.Uint64(b))
}

// bytes returns how much of SQLite's memory a statement uses.
func (c *conn) bytes(st *stmt) int {
	return int(sqlite3.Xsqlite3_stmt_status(c.Tls, st.P, sqlite3.SQLITE_STMTSTATUS_MEMUSED, 0))
}

func (c *conn) finalize(st *stmt) { sqlite3.Xsqlite3_finalize(c.Tls, st.P) }

// bind sets every parameter. There must be one value for each, since a parameter without a value
// would keep the value of another run.
func (c *conn) bind(st *stmt, args []value.Value) error {
	if n := int(sqlite3.Xsqlite3_bind_parameter_count(c.Tls, st.P)); n != len(args) {
		return fmt.Errorf("exosql: a statement has %d placeholders, but got %d values: this is a fault of exosql, please report it", n, len(args))
	}
	size := 0
	for i := range args {
		size += len(args[i].Text())
		if args[i].Type() == value.TypeTime {
			size += len(scalar.TimeFormat)
		}
	}
	if size > math.MaxInt32 || !c.reserve(size) {
		return errNoMemory
	}
	at := c.text
	for i, v := range args {
		n, rc := int32(i+1), int32(sqlite3.SQLITE_OK)
		switch v.Type() {
		case value.TypeNull:
			rc = sqlite3.Xsqlite3_bind_null(c.Tls, st.P, n)
		case value.TypeBool:
			b := int64(0)
			if v.Bool() {
				b = 1
			}
			rc = sqlite3.Xsqlite3_bind_int64(c.Tls, st.P, n, b)
		case value.TypeInt:
			rc = sqlite3.Xsqlite3_bind_int64(c.Tls, st.P, n, v.Int())
		case value.TypeFloat:
			rc = sqlite3.Xsqlite3_bind_double(c.Tls, st.P, n, v.Float())
		case value.TypeText, value.TypeTime:
			s := v.Text()
			if v.Type() == value.TypeTime {
				s = v.Time().Format(scalar.TimeFormat)
			}
			copy(libc.GoBytes(at, len(s)), s)
			st.texts = append(st.texts, n)
			rc = sqlite3.Xsqlite3_bind_text(c.Tls, st.P, n, at, int32(len(s)), 0) // the text is not copied, so reset unbinds it
			at += uintptr(len(s))
		default:
			return fmt.Errorf("exosql: a value of the type %s can't be an argument of a statement: this is a fault of exosql, please report it", v.Type())
		}
		if rc != sqlite3.SQLITE_OK {
			return c.fault(rc)
		}
	}
	return nil
}

// reserve makes room for n bytes of bound texts. It returns false if there is no memory. No statement has a bound text at this time.
func (c *conn) reserve(n int) bool {
	if n = max(n, 1); n <= c.room { // never use the null pointer, which would bind NULL instead of ''
		return true
	}
	libc.Xfree(c.Tls, c.text)
	c.room = 0
	if c.text = libc.Xmalloc(c.Tls, types.Size_t(n)); c.text == 0 {
		return false
	}
	c.room = n
	return true
}

// keptRoom is how much memory for bound texts a connection keeps between queries.
const keptRoom = 64 << 10

// reset ends a statement in any state: it releases its locks and removes the texts of this run.
// Numbers stay until the next run overwrites them, since unbinding them would make SQLite plan the
// statement again.
func (c *conn) reset(st *stmt) {
	sqlite3.Xsqlite3_reset(c.Tls, st.P) // the result is the error of the last step, which is known
	for _, n := range st.texts {
		sqlite3.Xsqlite3_bind_null(c.Tls, st.P, n)
	}
	st.texts = st.texts[:0]
	if c.room > keptRoom {
		libc.Xfree(c.Tls, c.text)
		c.text, c.room = 0, 0
	}
}

// step goes to the next row, and reports whether there is one.
func (c *conn) step(st *stmt) (bool, error) {
	switch rc := sqlite3.Xsqlite3_step(c.Tls, st.P); rc {
	case sqlite3.SQLITE_ROW:
		return true, nil
	case sqlite3.SQLITE_DONE:
		return false, nil
	default:
		if st.fixed && rc == sqlite3.SQLITE_ERROR {
			rc = sqlite3.Xsqlite3_reset(c.Tls, st.P) // reset returns the code of the error
		}
		return false, c.fault(rc)
	}
}

// Exec runs a statement to its end.
func (c *conn) Exec(text string) error {
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

// lock takes SQLite's lock of this connection for a whole row or query, so that reading a cell need
// not take it. An interrupt is still possible. unlock releases the lock.
func (c *conn) lock() { sqlite3.Xsqlite3_mutex_enter(c.Tls, c.mutex) }

func (c *conn) unlock() { sqlite3.Xsqlite3_mutex_leave(c.Tls, c.mutex) }
