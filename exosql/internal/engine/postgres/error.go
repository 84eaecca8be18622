package postgres

import (
	"errors"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"
)

// Bounds of what is kept of a server's error, in bytes. A server can make each of its
// texts as large as a message, and whoever records errors keeps one for each call of a run.
const (
	maxServerError   = 4000 // of all texts together
	maxServerMessage = 1000 // of the message, where they are more
	maxServerDetail  = 190  // of each other text, then
)

// boundError is err, or where the server's error in it is too large a copy of that error
// with bounded texts. It comes before err is wrapped: fmt.Errorf keeps the whole text.
func boundError(err error) error {
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return err
	}
	k := *e
	texts := []*string{&k.Severity, &k.SeverityUnlocalized, &k.Code, &k.Detail, &k.Hint, &k.InternalQuery, &k.Where,
		&k.SchemaName, &k.TableName, &k.ColumnName, &k.DataTypeName, &k.ConstraintName, &k.File, &k.Routine}
	size := len(k.Message)
	for _, s := range texts {
		size += len(*s)
	}
	if size <= maxServerError {
		return err
	}
	k.Message = cutText(k.Message, maxServerMessage)
	for _, s := range texts {
		*s = cutText(*s, maxServerDetail)
	}
	return &k
}

// cutText is s, or a copy of its beginning: a part of s would keep all of it.
func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
