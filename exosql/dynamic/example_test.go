package dynamic_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
)

// What a user may touch is in a file, and is checked against the live database when it is read.
func Example() {
	ctx := context.Background()
	db, err := exosql.OpenSQLite(ctx, ":memory:", &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, `CREATE TABLE todos (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL, title TEXT NOT NULL, state TEXT NOT NULL);
			INSERT INTO todos VALUES (1, 1, 'Buy milk', 'done'), (2, 1, 'Call the dentist', 'open'), (3, 2, 'Fix the gate', 'open')`)
		return err
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	var file struct {
		Table, Alias string
		Columns      []dynamic.ColumnSpec
		Show         []string
		Scope        map[string]any
	}
	err = json.Unmarshal([]byte(`{"table": "todos", "alias": "todo", "columns": [{"Name": "state", "OneOf": ["open", "done"]}],
		"show": ["id", "title", "state"], "scope": {"user_id": 1}}`), &file)
	if err != nil {
		log.Fatal(err)
	}

	live, err := db.Catalog(ctx)
	if err != nil {
		log.Fatal(err)
	}
	table, err := dynamic.New(live).Table(file.Table, file.Columns...)
	if err != nil {
		log.Fatal(err)
	}
	facet, err := table.Facet(file.Alias, file.Show...)
	if err != nil {
		log.Fatal(err)
	}
	var scope []dynamic.Predicate
	for column, v := range file.Scope {
		scope = append(scope, dynamic.Eq(column, v))
	}
	todos, err := facet.Grant(db, dynamic.And(scope...))
	if err != nil {
		log.Fatal(err)
	}
	// In process, since this program is ours; without Evaluator a worker process runs it.
	tool, err := codemode.New(codemode.Grants{"todos": todos}, &codemode.Options{Evaluator: exoeval.InProcess{}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(tool.Run(ctx, `return await todos.where(t => t.state === 'open').select(t => ({ title: t.title }))`).JSON))

	_, err = facet.Grant(db, dynamic.Eq("user_id", "1"))
	fmt.Println(err)
	// Output:
	// [{"title":"Call the dentist"}]
	// todos.user_id: invalid: the column is int, and its value can't be "1" of type string
}
