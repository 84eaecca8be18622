package kit

import (
	"database/sql"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/exoagent/exoagent/exo/value"
)

var preparedByHand atomic.Int64

// Explained returns PostgreSQL's plan of a statement, planned with the settings of programs' statements.
func Explained(t *testing.T, hand *sql.DB, statement string, args []value.Value, explain string) string {
	t.Helper()
	var types, values []string
	for _, a := range args {
		switch a.Type() {
		case value.TypeInt:
			types, values = append(types, "bigint"), append(values, fmt.Sprint(a.Int()))
		case value.TypeText:
			types, values = append(types, "text"), append(values, "'"+strings.ReplaceAll(a.Text(), "'", "''")+"'")
		default:
			t.Fatalf("an argument of type %s", a.Type())
		}
	}
	of, with := "", ""
	if len(args) > 0 {
		of, with = " ("+strings.Join(types, ", ")+")", "("+strings.Join(values, ", ")+")"
	}
	hand.SetMaxOpenConns(1)
	name := fmt.Sprintf("asked_%d", preparedByHand.Add(1))
	for _, s := range []string{"SET plan_cache_mode = force_generic_plan", "SET jit = off", "SET max_parallel_workers_per_gather = 0", "PREPARE " + name + of + " AS " + statement} {
		if _, err := hand.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	rows, err := hand.QueryContext(t.Context(), explain+" EXECUTE "+name+with)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	defer rows.Close()
	var lines []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return strings.Join(lines, "\n")
}
