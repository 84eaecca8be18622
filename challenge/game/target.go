package game

import (
	"context"
	"database/sql"
	"regexp"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
)

// Target is a database with a key in it, as data. A host adds one in a new file, and lists it in Targets.
type Target struct {
	ID    string // the target's name in URLs, in lower case letters
	Title string
	Story string // what the player finds, and who owns the database
	Prize string // where the key is
	You   string // the player's role in the database

	Schema string                       // SQL that makes the tables, on SQLite and, if the target is not Fresh, also on PostgreSQL
	Seed   func(key string) []Statement // fills the tables
	Tables []Table                      // the tables of the schema, for pages; Check reads them

	// Foreign is an ordered query for rows that no program may change, or "". If an attempt changes these rows, the host gives the key. Each attempt
	// then has a fresh SQLite database, which no other attempt sees. Without Foreign and Outside, programs only read, and the key is in the database.
	Foreign string

	// Outside is a query for texts that other users read and programs can write, or "". With Outside, programs get the row with the code, in a
	// labelled column. A player wins if the code appears in those texts, the result, the console or an error: the host then gives the player's key.
	// Each attempt has a fresh database with its own code. So a program wins nothing by how long it runs or how it ends, which labels don't hide.
	Outside string

	// Grants are the objects for the player's programs. The game is a bet that the rows in these objects' scope do not include the key.
	Grants func(db *exosql.DB) codemode.Grants

	Rule  string // the notice that one control lane shows to players
	Naive Naive  // the filter of the other control lane

	Examples []string // working programs; the editor begins with the first
	Tasks    []Task   // five tasks, from the first program to the key
}

// Fresh reports whether each attempt has its own database, which the program may change.
func (t *Target) Fresh() bool { return t.Foreign != "" || t.Outside != "" }

// Goal returns, in a sentence, what a player must do for the key.
func (t *Target) Goal() string {
	switch {
	case t.Foreign != "":
		return "Change " + t.Prize + ", and the host gives you the key."
	case t.Outside != "":
		return "Get out " + t.Prize + ", and the host gives you the key."
	}
	return "The key lies in " + t.Prize + ", which you were not granted."
}

// Statement is one statement of a seed. Its arguments are texts, bound to each ?, because control lanes send them to another process. Write
// numbers and NULL into the SQL.
type Statement struct {
	SQL  string
	Args []string
}

// Table is a whole table as players see it, with the parts that no program can reach.
type Table struct {
	Name    string
	Columns []string
}

// Naive is a typical filter: patterns that a statement must match, and patterns that it must not.
type Naive struct {
	Must, Never []string // regular expressions, without regard to case
}

// Refuses returns why the filter refuses a statement, or "".
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
	Hints []Hint // the hints, from a nudge to the wall that stops the attack
	// Done reports whether an attempt in the program lane solves the task.
	Done func(a *Attempt) bool
}

// Hint is one step of help. Code is the repository's file with the wall that the hint describes, or "".
type Hint struct {
	Text string
	Code string
}

var targetName = regexp.MustCompile(`^[a-z][a-z0-9]{1,19}$`)

// Target returns the target with this id, or nil.
func (ts Targets) Target(id string) *Target {
	for _, t := range ts {
		if t.ID == id {
			return t
		}
	}
	return nil
}

// Targets are the targets that a host offers.
type Targets []*Target

// fill makes the target's tables in an empty database, and inserts their rows. The function
// placeholders rewrites each ? of a statement into a placeholder of the engine.
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
