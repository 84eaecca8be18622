package postgres

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// TestMisreadOfParameter: an error is that of a program's value only where the server names it as the parameter that it could not read, and by a
// code that says so. A trigger's own $1, and what may happen while a value is read, stay the errors that they are.
func TestMisreadOfParameter(t *testing.T) {
	p := &plan.Plan{Args: []plan.Source{{Origin: plan.FromMessage, As: "inet", Beside: "addr", Column: "addr"}}}
	args := []value.Value{value.Text("x")}
	for name, c := range map[string]struct {
		code, where string
		misread     bool
	}{
		"the unnamed portal":             {"22P02", "unnamed portal parameter $1 = 'x'", true},
		"without its value":              {"22P02", "unnamed portal parameter $1", true},
		"a named portal":                 {"22P02", `portal "p" parameter $1 = 'x'`, true},
		"behind the place in it":         {"22P02", "JSON data, line 1: x\nunnamed portal parameter $1 = 'x'", true},
		"no query of a text search":      {"42601", "unnamed portal parameter $1 = 'x'", true},
		"no name of anything":            {"42704", "unnamed portal parameter $1 = 'x'", true},
		"the check of a domain":          {"23514", "unnamed portal parameter $1 = 'x'", true},
		"another parameter":              {"22P02", "unnamed portal parameter $2 = 'x'", false},
		"a trigger's own":                {"22P02", "SQL statement \"INSERT INTO logs VALUES ($1)\"\nPL/pgSQL function f() line 1 at EXECUTE", false},
		"a unique rule of a trigger's":   {"23505", "SQL statement \"INSERT INTO logs VALUES ($1)\"\nPL/pgSQL function f() line 1 at EXECUTE", false},
		"all parameters of a statement":  {"22P02", "unnamed portal with parameters: $1 = 'x'", false},
		"a timeout while it is read":     {"57014", "unnamed portal parameter $1 = 'x'", false},
		"a full disk while it is read":   {"53100", "unnamed portal parameter $1 = 'x'", false},
		"a right that the role lacks":    {"42501", "unnamed portal parameter $1 = 'x'", false},
		"an order that there is not":     {"40001", "unnamed portal parameter $1 = 'x'", false},
		"a place that quotes the phrase": {"22P02", "SQL statement \"SELECT 'unnamed portal parameter $1'\"", false},
	} {
		err, _ := unread(p, args, &pgconn.PgError{Code: c.code, Where: c.where})
		if (err != nil) != c.misread {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestServerStates: a session ends, or another server is asked, by the state of a server alone. What a statement did ends no session.
func TestServerStates(t *testing.T) {
	for code, want := range map[string][2]bool{
		"57P01": {true, true}, "57P02": {true, true}, "57P03": {true, true}, "57P05": {true, true}, "53300": {true, true}, "08P01": {true, true},
		"57014": {true, false}, "53100": {true, false}, "08006": {true, false}, "40001": {true, false}, "58030": {true, false}, "XX001": {true, false},
		"XX000": {}, "22P02": {}, "23505": {}, "42501": {},
	} {
		err := fmt.Errorf("x: %w", &pgconn.PgError{Code: code})
		if is, ends := ofServer(err); is != want[0] || ends != want[1] || unreachable(err) != want[1] {
			t.Errorf("%s: %v %v, unreachable %v, want %v", code, is, ends, unreachable(err), want)
		}
	}
}
