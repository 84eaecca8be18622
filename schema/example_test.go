package schema_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"

	"github.com/exoagent/exoagent/schema"
)

// The catalogue is plain data: tables with their columns, keys and links. Any driver will do.
func ExampleReadSQLite() {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // each connection to :memory: is a database of its own
	if _, err := db.Exec("CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL); CREATE TABLE todos (id INTEGER PRIMARY KEY, user_id INTEGER REFERENCES users (id), due DATETIME)"); err != nil {
		log.Fatal(err)
	}
	catalogue, err := schema.ReadSQLite(context.Background(), db)
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range catalogue.Tables {
		for _, c := range t.Columns {
			fmt.Println(t.Name, c.Name, c.Kind, c.NotNull)
		}
		for _, k := range t.ForeignKeys {
			fmt.Println(t.Name, k.Columns, "leads to", k.Table)
		}
	}
	// Output:
	// todos id int true
	// todos user_id int false
	// todos due time false
	// todos [user_id] leads to users
	// users id int true
	// users name text true
}
