package sqlast

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestPostgres runs the golden statements in the database at TEST_POSTGRES_URL,
// through psql so that nothing has to be imported, and wants SQLite's rows.
func TestPostgres(t *testing.T) {
	url := os.Getenv("TEST_POSTGRES_URL")
	if url == "" {
		t.Skip("TEST_POSTGRES_URL is not set: run ./test.sh, which starts a PostgreSQL for the tests")
	}
	const end = "end of rows"
	script := new(strings.Builder)
	script.WriteString("\\set ON_ERROR_STOP 1\n\\set VERBOSITY terse\nSET client_min_messages = error; BEGIN;\n" +
		"CREATE SCHEMA sqlast_test; SET search_path = sqlast_test;\n" + fixture)
	var names, want []string
	add := func(name string, s *Select, values []any, rows string) {
		text, slots := mustRender(t, s, Postgres)
		var lits []string
		for _, v := range bind(slots, values) {
			lits = append(lits, literal(v))
		}
		exec := "EXECUTE stmt"
		if len(lits) > 0 {
			exec += "(" + strings.Join(lits, ", ") + ")"
		}
		fmt.Fprintf(script, "PREPARE stmt AS %s;\n%s; DEALLOCATE stmt;\n\\echo %s\n", text, exec, end)
		names, want = append(names, name), append(want, rows)
	}
	for _, c := range exprCases {
		add(c.name, valueOf(c.e), c.values, c.rows)
	}
	for _, c := range selectCases {
		add(c.name, c.s, c.values, c.rows)
	}
	add("null limit", bounded([]Expr{arg(0), One}, nil), []any{nil}, "")
	add("hostile names", with(todos("id"), func(s *Select) {
		s.Columns[0].As, s.From[0].Alias = `"; DROP TABLE todos; --`, `a"b`
		s.Columns[0].Expr, s.Where = col(`a"b`, "id"), []Expr{call(Eq, col(`a"b`, "id"), One)}
	}), nil, "1")
	script.WriteString("ROLLBACK;\n")

	cmd := exec.Command("psql", "-XqAt", "-P", "null=NULL", url)
	cmd.Stdin = strings.NewReader(script.String())
	out, err := cmd.CombinedOutput()
	parts := strings.Split(string(out), end+"\n")
	for i, name := range names {
		if i >= len(parts) {
			break
		}
		got := strings.ReplaceAll(strings.TrimSpace(parts[i]), "\n", "; ")
		got = strings.NewReplacer("t", "1", "f", "0").Replace(got)
		if got != want[i] {
			t.Errorf("%s: got %s, want %s", name, got, want[i])
		}
	}
	if err != nil || len(parts) != len(names)+1 {
		t.Fatalf("%v: %d of %d ran; %s", err, len(parts)-1, len(names), parts[len(parts)-1])
	}
}

func literal(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		return "'" + v + "'"
	case float64:
		return fmt.Sprintf("%g::float8", v)
	}
	return fmt.Sprint(v)
}
