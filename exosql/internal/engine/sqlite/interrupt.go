package sqlite

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// handle finds SQLite's handle of a connection. The driver has no method for it, so its field is
// read by name. If a new driver changes the field, verifyInterrupt fails and no connection is
// opened.
func handle(driverConn any) (uintptr, error) {
	v := reflect.ValueOf(driverConn)
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() == reflect.Struct {
		if f := v.FieldByName("db"); f.Kind() == reflect.Uintptr && f.Uint() != 0 {
			return uintptr(f.Uint()), nil
		}
	}
	return 0, errors.New("exosql: the SQLite driver's connection has no usable handle: use the version of modernc.org/sqlite that this module requires")
}

// interrupt stops the statement that runs on the connection. Only this method may be called from
// another goroutine.
func (c *conn) interrupt() {
	tls := libc.NewTLS()
	defer tls.Close()
	sqlite3.Xsqlite3_interrupt(tls, c.Db)
}

// Watch interrupts the connection's statements once ctx has ended. It repeats that until stop is
// called, since SQLite forgets an interrupt before a statement's first step. stop reports whether
// ctx ended first; after it has returned, no interrupt comes. A context that can't end needs no
// goroutine.
func (c *conn) Watch(ctx context.Context) (stop func() bool) {
	over, left := make(chan struct{}), make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		defer close(left)
		for again := time.NewTicker(time.Millisecond); ; {
			c.interrupt()
			select {
			case <-again.C:
			case <-over:
				again.Stop()
				return
			}
		}
	})
	return func() bool {
		if unwatch() {
			return false
		}
		close(over)
		<-left
		return true
	}
}

// verifyInterrupt interrupts a statement after its first row, to verify that this works.
func verifyInterrupt(c *conn) error {
	st, err := c.prepare("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n LIMIT 100000")
	if err != nil {
		return err
	}
	defer c.finalize(st)
	more, err := c.step(st)
	if err != nil || !more {
		return errors.Join(errors.New("exosql: Open can't verify that the SQLite driver interrupts statements: use the version of modernc.org/sqlite that this module requires"), err)
	}
	c.interrupt()
	for more && err == nil {
		more, err = c.step(st)
	}
	if e := (*SqlError)(nil); !errors.As(err, &e) || primary(e.Code) != sqlite3.SQLITE_INTERRUPT {
		return fmt.Errorf("exosql: the SQLite driver interrupts no statement, so use the version of modernc.org/sqlite that this module requires: %v", err)
	}
	return nil
}
