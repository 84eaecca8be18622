package postgres

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/scalar"
)

// These numbers bound the part of a server's error that is kept, in bytes. A server can make each text of an
// error as large as a message. A record keeps an error for each call of a run.
const (
	maxServerError   = 4000 // for all texts together
	maxServerMessage = 1000 // for the message, if all texts together exceed maxServerError
	maxServerDetail  = 190  // for each other text, if all texts together exceed maxServerError
)

// boundError returns err. If it contains a server's error that is too large, it returns a copy of that
// with shorter texts. It must be called before err is wrapped, since fmt.Errorf keeps the whole text.
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
	k.Message = scalar.Shorten(k.Message, maxServerMessage)
	for _, s := range texts {
		*s = scalar.Shorten(*s, maxServerDetail)
	}
	return &k
}

// parameter matches the line in which PostgreSQL 14 to 18 name an argument that is no value of its type. A $1
// elsewhere may belong to a trigger's own statement: EXECUTE '… $1' USING ….
var parameter = scalar.Pattern(`(?m)^(?:unnamed portal|portal ".*") parameter \$(\d{1,5})\b`)

// misreads reports whether a code may mean that a value is not valid for its type: class 22, a syntax error or unknown name in the
// value, a domain's check, and XX000 of some extensions (hstore). Other codes, like a timeout, may also occur while a value is read.
func misreads(code string) bool {
	return strings.HasPrefix(code, "22") || code == "42601" || code == "42704" || code == "23514" || code == "XX000"
}

// unread returns the error for a program's value that is not valid for its type, with the value's argument. It returns nil for other errors and
// other values. The server reads all values before it reads a row, so the error reveals no row.
func unread(p *plan.Plan, args []value.Value, err error) (*fail.Error, *plan.Source) {
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || !misreads(e.Code) {
		return nil, nil
	}
	m := parameter().FindStringSubmatch(e.Where)
	if m == nil {
		return nil, nil
	}
	n, _ := strconv.Atoi(m[1])
	if n < 1 || n > len(p.Args) || n > len(args) || p.Args[n-1].As == "" || p.Args[n-1].Origin != plan.FromMessage {
		return nil, nil
	}
	src := &p.Args[n-1]
	return &fail.Error{Kind: fail.Invalid, Msg: fmt.Sprintf("`%s` is %s in the database, and %.100q is no value of that type: write another value", src.Beside, src.As, args[n-1].Text()), Err: err}, src
}

// hostCodes are classes and codes of errors that come from the database's own contents: its views, policies, functions, foreign
// tables and settings. Other codes of class 42 mean a mistake in our statements, or a database that has changed since Check.
var hostCodes = []string{
	"0A", "2F", "38", "39", "3F", "55", "58", "F0", "HV", "P0", "25006", "XX001", "XX002", "42P17",
}

// ownCode matches a line in which the server names a function of the database as the place of the
// error. Our statements never cause such a line, whatever the code.
var ownCode = scalar.Pattern(`(?m)^(?:PL/|SQL function)`)

// unset matches the server's message for a setting that does not exist, when current_setting has no second argument.
var unset = scalar.Pattern(`^unrecognized configuration parameter "([^"]+)"`)

// hostError converts an error that comes from the database's own contents. The host gets the reason. Programs get one text for all these
// errors: that the host has to change something in the database. For an error about a value they get another text, since they may avoid the error. Any other error is
// returned unchanged.
func hostError(err error) error {
	err = lost(err)
	e, ok := errors.AsType[*pgconn.PgError](err)
	if _, known := errors.AsType[*fail.Error](err); !ok || known || errors.Is(err, engine.ErrSerial) {
		return err
	}
	msg, why := "the call can't be done: its host has to change something in the database first; ask the host, who has the reason", "the cause is in the database itself, such as a view, a policy or a function: change that"
	m := unset().FindStringSubmatch(e.Message)
	switch {
	case strings.HasPrefix(e.Code, "22"):
		msg = "the database can't calculate this for one of its values: narrow the query, or ask the host to change that value"
		why = "a view, a policy or a generated column can't be calculated for some row: change its expression or the row"
	case e.Code == "42704" && m != nil:
		why = fmt.Sprintf("a policy, a view or a function reads the setting %[1]s, which the connection does not have: write current_setting('%[1]s', true) there, or ALTER ROLE CURRENT_USER SET %[1]s = '' (or, if that text casts the setting, a value that the cast accepts)", m[1])
	case e.Code == "55000" && strings.Contains(e.Message, "has no handler"):
		why = "the wrapper of a foreign table has no HANDLER, so nothing can be read of it: ALTER FOREIGN DATA WRAPPER … HANDLER …, or grant another table"
	case e.Code == "42P17":
		why = "a policy of the table reads the table itself: let it call a function that is SECURITY DEFINER"
	case ownCode().MatchString(e.Where), slices.ContainsFunc(hostCodes, func(code string) bool { return strings.HasPrefix(e.Code, code) }):
	default:
		return err
	}
	return &fail.Error{Kind: fail.Denied, Msg: msg, Err: fmt.Errorf("exosql: %s: %w", why, err)}
}
