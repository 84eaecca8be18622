package game

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"strings"

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

	Schema string                       // makes the tables, on SQLite and PostgreSQL alike
	Seed   func(key string) []Statement // fills them
	Tables []Table                      // of the schema, as they are shown

	// Grants are what a program of the player is given. That the key is not among
	// their rows is the whole wager.
	Grants func(db *exosql.DB) codemode.Grants

	Rule  string // what the control lane asks players to do
	Naive Naive  // what the other control lane tests

	Examples []string // programs that work, the first to begin with
	Tasks    []Task   // five, from the first program to the key
}

// Statement is one of a seed. Its arguments are bound, as ? says where.
type Statement struct {
	SQL  string
	Args []any
}

// Table is a table as players are shown it: all of it, also what no program can reach.
type Table struct {
	Name    string
	Columns []string
	About   string
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

var (
	tableOf    = regexp.MustCompile(`(?s)CREATE TABLE (\w+) \((.*?)\n\);`)
	targetName = regexp.MustCompile(`^[a-z][a-z0-9]{1,19}$`)
)

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

// Check reports what is missing of a target, for those who add one.
func (t *Target) Check() error {
	switch {
	case !targetName.MatchString(t.ID):
		return fmt.Errorf("game: %q can't be the id of a target", t.ID)
	case t.Title == "" || t.Story == "" || t.Prize == "" || t.You == "" || t.Rule == "":
		return fmt.Errorf("game: target %s has no title, story, prize, player or rule", t.ID)
	case t.Schema == "" || t.Seed == nil || t.Grants == nil || len(t.Examples) == 0:
		return fmt.Errorf("game: target %s has no schema, seed, grants or example", t.ID)
	case len(t.Tasks) != 5:
		return fmt.Errorf("game: target %s has %d tasks, not five", t.ID, len(t.Tasks))
	}
	for _, k := range t.Tasks {
		if k.ID == "" || k.Title == "" || k.Text == "" || len(k.Hints) < 2 || k.Done == nil {
			return fmt.Errorf("game: task %q of target %s is not complete", k.ID, t.ID)
		}
	}
	if len(t.Tables) == 0 {
		t.Tables = tablesOf(t.Schema)
	}
	for _, p := range append(t.Naive.Must, t.Naive.Never...) {
		if _, err := regexp.Compile("(?i)" + p); err != nil {
			return fmt.Errorf("game: target %s: %w", t.ID, err)
		}
	}
	return nil
}

// tablesOf reads the tables of a schema that is written one column a line.
func tablesOf(schema string) (out []Table) {
	for _, m := range tableOf.FindAllStringSubmatch(schema, -1) {
		t := Table{Name: m[1]}
		for line := range strings.Lines(m[2]) {
			if line = strings.TrimSuffix(strings.TrimSpace(line), ","); line != "" {
				t.Columns = append(t.Columns, strings.Join(strings.Fields(line), " "))
			}
		}
		out = append(out, t)
	}
	return out
}

// fill makes and fills an empty database. placeholders gives a statement its
// engine's form of them.
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
		if _, err := tx.ExecContext(ctx, placeholders(s.SQL), s.Args...); err != nil {
			return err
		}
	}
	return tx.Commit()
}
