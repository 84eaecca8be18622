package control

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"modernc.org/sqlite"
)

// Child reports whether Run started this process. If so, Child does all the work of the process before it returns. A main that uses this
// package calls Child before anything else.
func Child() bool {
	if !isChild() {
		return false
	}
	child(query)
	return true
}

func isChild() bool { return len(os.Args) > 0 && os.Args[0] == marker }

// answerer runs the player's statement.
type answerer func(ctx context.Context, c *sql.Conn, statement string) *Result

// child runs one job. The statement runs within all walls.
func child(answer answerer) {
	if err := serve(os.Stdin, os.Stdout, answer); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(in io.Reader, out io.Writer, answer answerer) error {
	time.Local = time.UTC // the file of the time zone can't be read later
	var job Job
	if err := json.NewDecoder(io.LimitReader(in, maxJob)).Decode(&job); err != nil {
		return err
	}
	ctx := context.Background()
	db, err := sql.Open("sqlite", ":memory:?_pragma=temp_store(2)&_pragma=trusted_schema(0)&_dqs=0")
	if err != nil {
		return err
	}
	c, err := db.Conn(ctx) // each connection has its own database
	if err != nil {
		return err
	}
	for _, s := range job.Fill {
		args := make([]any, len(s.Args))
		for i, a := range s.Args {
			args[i] = a
		}
		if _, err := c.ExecContext(ctx, s.SQL, args...); err != nil {
			return err
		}
	}
	before := foreign(ctx, c, job.Foreign)
	if err := fence(c, job.Foreign != ""); err != nil {
		return err
	}
	if err := lockdown(); err != nil {
		return err
	}
	res := answer(ctx, c, job.SQL)
	res.Changed = foreign(ctx, c, job.Foreign) != before
	return json.NewEncoder(out).Encode(res)
}

// foreign returns the rows of the query Foreign as a text, to compare two answers.
func foreign(ctx context.Context, c *sql.Conn, statement string) string {
	if statement == "" {
		return ""
	}
	res := query(ctx, c, statement)
	return fmt.Sprint(string(res.Rows), res.Count, res.Cut, res.Err)
}

// limits maps the numbers of SQLite's limits to what a statement of this game can need.
var limits = map[int]int{
	0:  1 << 20, // bytes of a value
	1:  64 << 10,
	2:  100, // columns
	3:  200, // depth of an expression
	4:  20,  // parts of a compound select
	6:  32,  // arguments of a function
	7:  0,   // databases attached
	8:  1000,
	10: 0, // depth of triggers
	11: 0, // threads
}

// fence lets the connection read and, if the game allows it, change rows of the game's own tables. It refuses all else: files by ATTACH or a
// function, settings, changes of a table itself.
func fence(c *sql.Conn, writes bool) error {
	for id, n := range limits {
		if _, err := sqlite.Limit(c, id, n); err != nil {
			return err
		}
	}
	return c.Raw(func(conn any) error {
		a, ok := conn.(interface {
			RegisterAuthorizer(sqlite.AuthorizerFn) error
		})
		if !ok {
			return fmt.Errorf("control: the driver of SQLite can't restrict statements (no authorizer), so no statement runs")
		}
		return a.RegisterAuthorizer(func(action sqlite.AuthorizerActionCode, table, name, _, _ string) sqlite.AuthorizerReturnCode {
			switch action {
			case sqlite.AuthInsert, sqlite.AuthUpdate, sqlite.AuthDelete:
				if writes && !strings.HasPrefix(strings.ToLower(table), "sqlite_") {
					return sqlite.AuthorizerOK
				}
			case sqlite.AuthSelect, sqlite.AuthRead, sqlite.AuthRecursive:
				return sqlite.AuthorizerOK
			case sqlite.AuthFunction:
				if name != "load_extension" {
					return sqlite.AuthorizerOK
				}
			}
			return sqlite.AuthorizerDeny
		})
	})
}

// query runs the player's statement.
func query(ctx context.Context, c *sql.Conn, statement string) (res *Result) {
	res = &Result{}
	rows, err := c.QueryContext(ctx, statement)
	if err != nil {
		res.Err = said(err)
		return res
	}
	defer rows.Close()
	cols, err := rows.Columns()
	if err != nil {
		res.Err = said(err)
		return res
	}
	out := []map[string]any{}
	for rows.Next() {
		if len(out) == maxRows {
			res.Cut = true
			break
		}
		cells, to := make([]any, len(cols)), make([]any, len(cols))
		for i := range cells {
			to[i] = &cells[i]
		}
		if err := rows.Scan(to...); err != nil {
			res.Err = said(err)
			return res
		}
		row := map[string]any{}
		for i, c := range cols {
			row[cut(c)] = plain(cells[i])
		}
		out = append(out, row)
	}
	if err := rows.Err(); err != nil {
		res.Err = said(err)
		return res
	}
	res.Count = len(out)
	if res.Rows, err = json.Marshal(out); err != nil {
		res.Rows, res.Err = nil, "the rows can't be written as JSON: select other columns"
	}
	return res
}

// said returns SQLite's message about a statement. The database is the player's own copy in memory, so the message has no path and nothing of
// another player.
func said(err error) string { return cut(err.Error()) }

func plain(v any) any {
	switch v := v.(type) {
	case []byte:
		return cut(string(v))
	case string:
		return cut(v)
	}
	return v
}

func cut(s string) string {
	if len(s) <= maxCell {
		return s
	}
	n := maxCell
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
