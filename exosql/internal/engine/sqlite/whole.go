package sqlite

import (
	"encoding/binary"
	"math/bits"
	"reflect"
	"sync"

	"modernc.org/libc"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/exoagent/exoagent/exosql/internal/number"
)

// exo_whole is the exact sum of a column of whole numbers. SQLite's own sum fails beyond 64 bits;
// this one has 128. It is registered by SQLite's C interface, since the driver boxes each number
// and takes two locks for it, which costs more than the sum. Its state is in SQLite's memory, so
// nothing remains when a statement ends early.

// wholeState has a sum (upper half first), the number of its addends, and whether a cell contradicts the column.
type wholeState []byte

const wholeStateSize = 32

func (w wholeState) add(upper, lower uint64) {
	sum, carry := bits.Add64(binary.NativeEndian.Uint64(w[8:]), lower, 0)
	binary.NativeEndian.PutUint64(w[8:], sum)
	sum, _ = bits.Add64(binary.NativeEndian.Uint64(w), upper, carry)
	binary.NativeEndian.PutUint64(w, sum)
}

// numbers adds more to the count of addends, and returns the count.
func (w wholeState) numbers(more int64) (n int64) {
	n = int64(binary.NativeEndian.Uint64(w[16:])) + more
	binary.NativeEndian.PutUint64(w[16:], uint64(n))
	return n
}

func wholeStep(tls *libc.TLS, ctx uintptr, _ int32, argv uintptr) {
	value := pointerAt(argv)
	kind := sqlite3.Xsqlite3_value_type(tls, value)
	if kind != sqlite3.SQLITE_INTEGER { // the cell is NULL or a misfit, which is no whole number
		return
	}
	p := sqlite3.Xsqlite3_aggregate_context(tls, ctx, wholeStateSize)
	if p == 0 {
		sqlite3.Xsqlite3_result_error_nomem(tls, ctx)
		return
	}
	state := wholeState(libc.GoBytes(p, wholeStateSize))
	state.numbers(1)
	i := sqlite3.Xsqlite3_value_int64(tls, value)
	state.add(uint64(i>>63), uint64(i))
}

func wholeFinal(tls *libc.TLS, ctx uintptr) {
	p := sqlite3.Xsqlite3_aggregate_context(tls, ctx, 0)
	if p == 0 {
		return // without numbers the sum is NULL
	}
	state := wholeState(libc.GoBytes(p, wholeStateSize))
	if state.numbers(0) == 0 {
		return
	}
	switch sum := number.Whole(int64(binary.NativeEndian.Uint64(state)), binary.NativeEndian.Uint64(state[8:])).(type) {
	case int64:
		sqlite3.Xsqlite3_result_int64(tls, ctx, sum)
	case string:
		text, err := libc.CString(sum)
		if err != nil {
			sqlite3.Xsqlite3_result_error_nomem(tls, ctx)
			return
		}
		defer libc.Xfree(tls, text)
		sqlite3.Xsqlite3_result_text(tls, ctx, text, int32(len(sum)), sqlite3.SQLITE_TRANSIENT)
	}
}

// wholeInverse is called when a row leaves the frame of a window.
func wholeInverse(tls *libc.TLS, ctx uintptr, _ int32, argv uintptr) {
	value := pointerAt(argv)
	p := sqlite3.Xsqlite3_aggregate_context(tls, ctx, 0)
	if p == 0 || sqlite3.Xsqlite3_value_type(tls, value) != sqlite3.SQLITE_INTEGER {
		return
	}
	state := wholeState(libc.GoBytes(p, wholeStateSize))
	state.numbers(-1)
	i := sqlite3.Xsqlite3_value_int64(tls, value)
	upper, lower := uint64(i>>63), uint64(i)
	lower, borrow := bits.Sub64(0, lower, 0)
	upper, _ = bits.Sub64(0, upper, borrow)
	state.add(upper, lower)
}

var wholePointers = sync.OnceValue(func() (p struct{ step, final, inverse uintptr }) {
	tls := libc.NewTLS()
	defer tls.Close()
	p.step, p.final, p.inverse = functionPointer(tls, wholeStep), functionPointer(tls, wholeFinal), functionPointer(tls, wholeInverse)
	return p
})

// defineWhole adds exo_whole to the functions of each connection of a driver.
func defineWhole(d *sqlite.Driver) {
	d.RegisterConnectionHook(func(conn sqlite.ExecQuerierContext, _ string) error {
		db, err := handle(conn)
		if err != nil {
			return err
		}
		tls := libc.NewTLS()
		defer tls.Close()
		name, err := libc.CString("exo_whole")
		if err != nil {
			return errNoMemory
		}
		defer libc.Xfree(tls, name)
		p := wholePointers() // in a window, the value up to a row is calculated like the final one
		rc := sqlite3.Xsqlite3_create_window_function(tls, db, name, 1, sqlite3.SQLITE_UTF8|sqlite3.SQLITE_DETERMINISTIC, 0, p.step, p.final, p.final, p.inverse, 0)
		if rc != sqlite3.SQLITE_OK {
			return &SqlError{rc, "SQLite can't define the function exo_whole"}
		}
		return nil
	})
}

// functionPointer returns a function in the form in which the translated SQLite calls it: a pointer to
// a word with its address, as in Go's function values. f must be a declared function, since a closure
// would miss its variables. It is called once for each function, and its memory is never freed.
func functionPointer(tls *libc.TLS, f any) uintptr {
	p := libc.Xmalloc(tls, pointerSize)
	if p == 0 {
		panic(errNoMemory)
	}
	address := uint64(reflect.ValueOf(f).Pointer())
	if pointerSize == 4 {
		binary.NativeEndian.PutUint32(libc.GoBytes(p, pointerSize), uint32(address))
	} else {
		binary.NativeEndian.PutUint64(libc.GoBytes(p, pointerSize), address)
	}
	return p
}
