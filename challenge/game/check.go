package game

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// Check returns an error that names what a target lacks, for its author, and fills in Tables. It makes the database once, in memory. Unless
// the target is Fresh, the key must be in the database. The examples must run without showing the key.
func (t *Target) Check(ctx context.Context) error {
	err := t.complete()
	if err == nil {
		t.Tables, err = tablesOf(ctx, t.Schema)
	}
	if err == nil {
		err = t.rehearse(ctx)
	}
	if err != nil {
		return fmt.Errorf("game: target %q: %w", t.ID, err)
	}
	return nil
}

func (t *Target) complete() error {
	switch {
	case !targetName.MatchString(t.ID):
		return errors.New("ID: want 2 to 20 lower case letters and digits, a letter first")
	case t.Title == "" || t.Story == "" || t.Prize == "" || t.You == "" || t.Rule == "":
		return errors.New("one of Title, Story, Prize, You and Rule is empty: write all of them")
	case t.Schema == "" || t.Seed == nil || t.Grants == nil || len(t.Examples) == 0:
		return errors.New("one of Schema, Seed, Grants and Examples is missing: write all of them")
	case t.Foreign != "" && t.Outside != "":
		return errors.New("the fields Foreign and Outside are both set: set at most one of them")
	case len(t.Tasks) != 5:
		return fmt.Errorf("the field Tasks has %d tasks: want five", len(t.Tasks))
	}
	for _, k := range t.Tasks {
		if k.ID == "" || k.Title == "" || k.Text == "" || len(k.Hints) < 2 || k.Done == nil {
			return fmt.Errorf("task %q lacks an ID, a Title, a Text, two Hints, or Done", k.ID)
		}
	}
	for _, p := range append(t.Naive.Must[:len(t.Naive.Must):len(t.Naive.Must)], t.Naive.Never...) {
		if _, err := regexp.Compile("(?i)" + p); err != nil {
			return err
		}
	}
	return nil
}

// rehearse makes the target's database and runs its examples.
func (t *Target) rehearse(ctx context.Context) error {
	key := NewKey()
	if t.Fresh() {
		return t.rehearseFresh(ctx, key)
	}
	found := false
	db, err := exosql.Open(ctx, "sqlite::memory:", &exosql.OpenOptions{Conns: 1, Setup: func(ctx context.Context, db *sql.DB) (err error) {
		if err = t.fill(ctx, db, key, func(s string) string { return s }); err == nil {
			found, err = holds(ctx, db, t.Tables, key)
		}
		return err
	}})
	if err != nil {
		return err
	}
	defer db.Close()
	if !found {
		return errors.New("no table of the target contains the key: Seed has to store the key that it gets")
	}
	return t.run(ctx, db, key)
}

// rehearseFresh is rehearse for a target with a database for each attempt. The key must be nowhere, or sealed, and the examples must not win.
func (t *Target) rehearseFresh(ctx context.Context, key Key) error {
	switch seeded := strings.Contains(fmt.Sprint(t.Seed(string(key))), string(key)); {
	case t.Foreign != "" && seeded:
		return errors.New("function Seed stores the key, but in a target with Foreign only the host may have the key: leave it out of Seed")
	case t.Outside != "" && !seeded:
		return errors.New("no table of the target contains the key: Seed has to store the key that it gets")
	}
	dir, err := os.MkdirTemp("", "exo-check-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	in, err := newFolder(dir)
	if err != nil {
		return err
	}
	f, err := newFresh(ctx, in, t)
	if err != nil {
		return err
	}
	defer f.Close()
	if why, err := f.lost(ctx, &Attempt{}); err != nil || why != "" {
		return errors.Join(err, errors.New("the target is lost before any program ran: rows that Foreign selects differ from those of Seed, or the texts that Outside selects contain the key"))
	}
	if t.Outside != "" {
		key = f.code
	}
	if err := t.run(ctx, f.DB, key); err != nil {
		return err
	}
	if why, err := f.lost(ctx, &Attempt{}); err != nil || why != "" {
		return errors.Join(err, errors.New("the target's Examples change rows that no program may change, or show the key: correct the Examples"))
	}
	return nil
}

// run runs the examples.
func (t *Target) run(ctx context.Context, db *exosql.DB, key Key) error {
	tool, err := codemode.New(t.Grants(db), &codemode.Options{Limits: DefaultLimits().Limits, Bounds: DefaultLimits().Bounds, Evaluator: exoeval.InProcess{}, Record: exo.Unrecorded, Principal: "check", Review: review.InMemory()}) // the examples run as the host's own programs
	if err != nil {
		return err
	}
	for _, x := range t.Examples {
		res := tool.Run(ctx, x)
		switch {
		case res.Err != nil:
			return fmt.Errorf("the example %s fails: %w", x, res.Err)
		case key.In(string(res.JSON) + res.Console):
			return fmt.Errorf("the example %s shows the key: choose another example, or narrow Grants", x)
		}
	}
	return nil
}

// holds reports whether a value of the tables contains the key.
func holds(ctx context.Context, db *sql.DB, tables []Table, key Key) (bool, error) {
	for _, t := range tables {
		rows, err := db.QueryContext(ctx, "SELECT * FROM "+sqlname.Quote(t.Name))
		if err != nil {
			return false, err
		}
		found, err := anyHolds(rows, key)
		if err != nil || found {
			return found, err
		}
	}
	return false, nil
}

func anyHolds(rows *sql.Rows, key Key) (found bool, err error) {
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return false, err
	}
	values, to := make([]sql.NullString, len(names)), make([]any, len(names))
	for i := range values {
		to[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return false, err
		}
		for _, v := range values {
			found = found || key.In(v.String)
		}
	}
	return found, rows.Err()
}

// tablesOf reads the tables of a schema in SQLite. Whether PostgreSQL accepts the schema shows when it makes its first copy.
func tablesOf(ctx context.Context, ddl string) (out []Table, err error) {
	mem, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer mem.Close()
	mem.SetMaxOpenConns(1) // each connection to memory would have its own database
	if _, err := mem.ExecContext(ctx, ddl); err != nil {
		return nil, err
	}
	db, err := schema.ReadSQLite(ctx, mem)
	if err != nil {
		return nil, err
	}
	for _, t := range db.Tables {
		x := Table{Name: t.Name.Name}
		for _, c := range t.Columns {
			x.Columns = append(x.Columns, columnOf(t, c))
		}
		if k := t.PrimaryKey; k != nil && len(k.Columns) > 1 {
			x.Columns = append(x.Columns, "PRIMARY KEY ("+strings.Join(k.Columns, ", ")+")")
		}
		for _, f := range t.ForeignKeys {
			if len(f.Columns) > 1 {
				x.Columns = append(x.Columns, "FOREIGN KEY ("+strings.Join(f.Columns, ", ")+") "+references(f))
			}
		}
		for _, k := range t.Uniques {
			x.Columns = append(x.Columns, "UNIQUE ("+strings.Join(k.Columns, ", ")+")")
		}
		out = append(out, x)
	}
	// Order the tables as the schema does, for readers; the catalogue sorts them by name.
	at := func(t Table) int { return strings.Index(ddl, "CREATE TABLE "+t.Name+" ") }
	slices.SortStableFunc(out, func(a, b Table) int { return at(a) - at(b) })
	if len(out) == 0 {
		return nil, errors.New("function Schema makes no table: write at least one CREATE TABLE")
	}
	return out, nil
}

// columnOf returns a column in the form of its definition.
func columnOf(t *schema.Table, c schema.Column) string {
	words := []string{c.Name, c.Type}
	switch k := t.PrimaryKey; {
	case k != nil && len(k.Columns) == 1 && k.Columns[0] == c.Name:
		words = append(words, "PRIMARY KEY")
	case c.NotNull:
		words = append(words, "NOT NULL")
	}
	if c.Default != "" {
		words = append(words, "DEFAULT", c.Default)
	}
	for _, f := range t.ForeignKeys {
		if len(f.Columns) == 1 && f.Columns[0] == c.Name {
			words = append(words, references(f))
		}
	}
	return strings.Join(words, " ")
}

func references(f schema.ForeignKey) string {
	return "REFERENCES " + f.Table.Name + " (" + strings.Join(f.References, ", ") + ")"
}
