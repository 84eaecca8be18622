package exosql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"

	"modernc.org/libc"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// handle finds the engine's handle of a connection. The driver has no method for
// it, so the field is read by its name; verifyInterrupt fails where that has
// changed, and then no connection is opened.
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
	return 0, errors.New("exosql: the SQLite driver's connection has no handle that can be interrupted")
}

// interrupt stops the statement that runs on the connection. It is the one thing
// that may be done to it from another goroutine.
func (s *sqliteSession) interrupt() {
	tls := libc.NewTLS()
	defer tls.Close()
	sqlite3.Xsqlite3_interrupt(tls, s.db)
}

// verifyInterrupt stops a statement after its first row, where the driver's own
// cancellation no longer reaches.
func verifyInterrupt(ctx context.Context, s *sqliteSession) error {
	rows, err := s.c.QueryContext(ctx, "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n LIMIT 100000")
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		return errors.Join(errors.New("exosql: the interrupt could not be verified"), rows.Err())
	}
	s.interrupt()
	for rows.Next() {
	}
	var stopped *sqlite.Error
	if err := rows.Err(); !errors.As(err, &stopped) || stopped.Code()&0xff != sqlite3.SQLITE_INTERRUPT {
		return fmt.Errorf("exosql: a statement can't be interrupted with this SQLite driver: %w", errors.Join(err, sql.ErrConnDone))
	}
	return nil
}
