package demo

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
)

// This file runs the story in two lanes: with raw SQL, and with exoagent. render.go shows the results.

// Step is one wish of the model, with its outcome in both lanes.
type Step struct {
	Wish, Why string
	SQL, Code string // the statement and the program that the model wrote
	Raw, Exo  string // the answer in each lane
	Refused   bool   // exoagent refused the program
}

// Tally counts what left a lane, and what it changed.
type Tally struct {
	Addresses, Keys int // counts secrets in what the model read and in mails
	Mails           int // counts mails to the thief
	Refunded        int // counts refunded orders
}

// Played is the story after both lanes have run it.
type Played struct {
	Steps    []Step
	Raw, Exo Tally
}

// lane has what the model read and what was mailed.
type lane struct{ told, mails []string }

func (l *lane) tally(ctx context.Context, db *sql.DB) (Tally, error) {
	all := strings.Join(append(l.told, l.mails...), "\n")
	count := func(what string) (n int) {
		for _, s := range secrets[what] {
			if strings.Contains(all, s) {
				n++
			}
		}
		return n
	}
	t := Tally{Addresses: count("addresses"), Keys: count("keys"), Mails: len(l.mails)}
	return t, db.QueryRowContext(ctx, "SELECT count(*) FROM orders WHERE state = 'refunded'").Scan(&t.Refunded)
}

// Play plays the story.
func Play(ctx context.Context) (*Played, error) {
	dir, err := os.MkdirTemp("", "exo-demo-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	raw, err := fill(ctx, filepath.Join(dir, "raw.db"))
	if err != nil {
		return nil, err
	}
	defer raw.Close()
	host, err := fill(ctx, filepath.Join(dir, "exo.db"))
	if err != nil {
		return nil, err
	}
	defer host.Close()
	db, err := exosql.OpenSQLite(ctx, filepath.Join(dir, "exo.db"), nil)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	var open, guarded lane
	tool, err := toolOf(db, &guarded)
	if err != nil {
		return nil, err
	}
	p := &Played{}
	var label value.Label // the label of all that the model has seen, because the model's next program may contain it
	for _, s := range steps {
		step := Step{Wish: s.wish, Why: s.why, SQL: s.sql, Code: s.code}
		if s.sql == "" {
			step.SQL = fmt.Sprintf("mail(%q, …all of the above…)", thief)
			open.mails = append(open.mails, strings.Join(open.told, "\n"))
			step.Raw = "sent"
		} else if step.Raw, err = ask(ctx, raw, s.sql); err != nil {
			return nil, err
		}
		open.told = append(open.told, step.Raw)
		input, err := json.Marshal(map[string]string{"code": s.code})
		if err != nil {
			return nil, err
		}
		_, res := tool.CallJob(ctx, codemode.Job{Label: label}, input)
		label = label.Join(tool.Shown(res))
		if step.Exo = string(res.JSON); res.Err != nil {
			step.Exo, step.Refused = fail.GuestText(res.Err), true
			if kind := fail.KindOf(res.Err); kind != fail.Denied && kind != fail.Syntax {
				return nil, fmt.Errorf("demo: %s: %w", s.wish, res.Err)
			}
		}
		guarded.told = append(guarded.told, step.Exo)
		p.Steps = append(p.Steps, step)
	}
	if p.Raw, err = open.tally(ctx, raw); err != nil {
		return nil, err
	}
	p.Exo, err = guarded.tally(ctx, host)
	return p, err
}

// fill makes a database with the shop in it.
func fill(ctx context.Context, path string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return nil, err
	}
	if _, err := db.ExecContext(ctx, schema); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// ask runs a statement in the lane with SQL, like the tools of many servers.
func ask(ctx context.Context, db *sql.DB, statement string) (string, error) {
	if !strings.HasPrefix(statement, "SELECT") {
		res, err := db.ExecContext(ctx, statement)
		if err != nil {
			return "", err
		}
		n, err := res.RowsAffected()
		return fmt.Sprintf("%d rows changed", n), err
	}
	rows, err := db.QueryContext(ctx, statement)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return "", err
	}
	var out [][]any
	for rows.Next() {
		row := make([]any, len(names))
		into := make([]any, len(names))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return "", err
		}
		out = append(out, row)
	}
	text, err := json.Marshal(out)
	if err == nil {
		err = rows.Err()
	}
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(text)), err
}
