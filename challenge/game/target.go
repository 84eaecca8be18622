package game

import (
	"context"
	"database/sql"
	"regexp"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
)

// Target is a database with a key in it. It is data: a host adds one in a file of
// its own and lists it in Targets.
type Target struct {
	ID    string // in URLs: lower case letters
	Title string
	Story string // what the player finds, and whose the database is
	Prize string // where the key lies
	You   string // whom the player is in the database

	Schema string                       // makes the tables, on SQLite and, without Foreign, on PostgreSQL alike
	Seed   func(key string) []Statement // fills them
	Tables []Table                      // of the schema, as they are shown; Check reads them

	// Foreign is a query for the rows that no program may change, in an order of its own; "": programs
	// only read, and the key lies in the database. An attempt after which it gives something else
	// gets the key from the host. Each attempt then has a fresh database, on SQLite, which nobody else sees.
	Foreign string

	// Outside is a query that returns the texts which other users read and programs can write; "" if the target has none. With Outside, programs are
	// granted the row with the code, in a labelled column. A player wins if the code appears in those texts, the result, the console or an error: the
	// host then gives the player's key. Each attempt has a fresh database with a code of its own. So a program wins nothing by how long it runs or
	// how it ends, which labels don't hide.
	Outside string

	// Grants are what a program of the player is given. That the key is not among
	// their rows is the whole wager.
	Grants func(db *exosql.DB) codemode.Grants

	Rule  string // what the control lane asks players to do
	Naive Naive  // what the other control lane tests

	Examples []string // programs that work, the first to begin with
	Tasks    []Task   // five, from the first program to the key
}

// Fresh reports whether each attempt has a database of its own, which its program may change.
func (t *Target) Fresh() bool { return t.Foreign != "" || t.Outside != "" }

// Goal says in a sentence what a player has to do for the key.
func (t *Target) Goal() string {
	switch {
	case t.Foreign != "":
		return "Change " + t.Prize + ", and the host gives you the key."
	case t.Outside != "":
		return "Get out " + t.Prize + ", and the host gives you the key."
	}
	return "The key lies in " + t.Prize + ", which you were not granted."
}

// Statement is one of a seed. Its arguments are texts, bound where ? says: control
// lanes carry them to another process. Write numbers and NULL into the SQL.
type Statement struct {
	SQL  string
	Args []string
}

// Table is a table as players are shown it: all of it, also what no program can reach.
type Table struct {
	Name    string
	Columns []string
}

// Naive is a filter as one sees them: patterns for what must be in a statement,
// and what must not.
type Naive struct {
	Must, Never []string // regular expressions, without regard to case
}

// Refuses says why the filter refuses a statement, or "".
func (n Naive) Refuses(statement string) string {
	for _, p := range n.Must {
		if !regexp.MustCompile("(?i)" + p).MatchString(statement) {
			return "the filter misses " + p
		}
	}
	for _, p := range n.Never {
		if regexp.MustCompile("(?i)" + p).MatchString(statement) {
			return "the filter forbids " + p
		}
	}
	return ""
}

// Task is a step on the way to the key.
type Task struct {
	ID    string
	Title string
	Text  string
	Hints []Hint // from a nudge to the wall behind it
	// Done reports whether an attempt in the program lane solves it.
	Done func(a *Attempt) bool
}

// Hint is one stage of help. Code is the file in the repository where the wall is
// that it speaks of, or "".
type Hint struct {
	Text string
	Code string
}

var targetName = regexp.MustCompile(`^[a-z][a-z0-9]{1,19}$`)

// Target finds a target, or gives nil.
func (ts Targets) Target(id string) *Target {
	for _, t := range ts {
		if t.ID == id {
			return t
		}
	}
	return nil
}

// Targets are those that a host offers.
type Targets []*Target

// fill makes the target's tables in an empty database, and inserts their rows. placeholders
// rewrites each ? of a statement into a placeholder of the engine.
func (t *Target) fill(ctx context.Context, db *sql.DB, key Key, placeholders func(string) string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, t.Schema); err != nil {
		return err
	}
	for _, s := range t.Seed(string(key)) {
		args := make([]any, len(s.Args))
		for i, a := range s.Args {
			args[i] = a
		}
		if _, err := tx.ExecContext(ctx, placeholders(s.SQL), args...); err != nil {
			return err
		}
	}
	return tx.Commit()
}
