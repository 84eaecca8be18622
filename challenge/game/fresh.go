package game

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"

	"github.com/exoagent/exoagent/exosql"
)

// fresh is a database for one attempt. No other attempt sees its changes, not even one of the same player.
type fresh struct {
	*exosql.DB
	in     *folder
	name   string
	target *Target
	before string // the rows of the target's query Foreign before the attempt
	code   Key    // the code that is sealed in the database, which is not the player's key
}

// errNoFolder is the error if CopyOptions.Dir is missing.
var errNoFolder = errors.New("game: a target that programs may write to needs a folder for its databases: set CopyOptions.Dir")

// fresh makes a database for one attempt. The caller must close it.
func (c *Copies) fresh(ctx context.Context, t *Target) (f *fresh, err error) {
	if c.tries == nil {
		return nil, errNoFolder
	}
	return newFresh(ctx, c.tries, t)
}

func newFresh(ctx context.Context, in *folder, t *Target) (f *fresh, err error) {
	f = &fresh{in: in, name: "try-" + strings.ToLower(rand.Text()), target: t}
	if t.Outside != "" {
		f.code = NewKey()
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	if f.DB, err = in.open(ctx, f.name, t, f.code, nil); err != nil {
		return f, err
	}
	if t.Foreign == "" {
		return f, nil
	}
	f.before, err = f.ask(ctx, t.Foreign)
	if err == nil && f.before == "" {
		err = errors.New("game: the query Foreign returns no row, so there is nothing to protect: correct Foreign or Seed")
	}
	return f, err
}

// lost returns why the host gives the key away, or "". Either a row that no program may change has changed, or the sealed code is in what
// leaves. lost asks through the host's own connection, which no program can influence.
func (f *fresh) lost(ctx context.Context, a *Attempt) (why string, err error) {
	if q := f.target.Foreign; q != "" {
		after, err := f.ask(ctx, q)
		if err != nil || after == f.before {
			return "", err
		}
		return changedRow, nil
	}
	text, err := f.ask(ctx, f.target.Outside)
	if err != nil || !f.code.In(text) && !a.leaks(f.code) {
		return "", err
	}
	return "The code is where others read it.", nil
}

// ask returns all rows of a query of the target as a text.
func (f *fresh) ask(ctx context.Context, query string) (string, error) {
	db, err := sql.Open("sqlite", f.in.path(f.name))
	if err != nil {
		return "", err
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return "", err
	}
	cells, to := make([]any, len(names)), make([]any, len(names))
	for i := range cells {
		to[i] = &cells[i]
	}
	var out strings.Builder
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return "", err
		}
		if err := json.NewEncoder(&out).Encode(cells); err != nil {
			return "", err
		}
	}
	return out.String(), rows.Err()
}

// Close drops the database.
func (f *fresh) Close() error {
	if f.DB != nil {
		f.DB.Close()
	}
	return f.in.drop(context.Background(), f.name)
}

// prized returns the host's message to a player who gets a key.
func prized(why string, key Key) string { return why + " This is your key: " + string(key) }

// changedRow is the reason for a key if rows had to stay unchanged.
const changedRow = "A row has changed that no program may change."
