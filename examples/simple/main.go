// Simple is a complete program to copy, with users and their todos, and a terminal for the rows of
// one user.
//
//	go run ./examples/simple
//	go run ./examples/simple -user 2 -e 'api.currentUser.todos().where({ completed: false })'
package main

import (
	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/repl"
	"github.com/exoagent/exoagent/exosql"
)

type user struct {
	ID   int64
	Name string
}

type todo struct {
	ID, UserID int64
	Title      string
	Completed  bool
}

// These tables, columns and links describe the database and grant nothing.
var (
	users    = exosql.NewTable[user]("users")
	userID   = exosql.NewKey(users, "id", func(u *user) *int64 { return &u.ID })
	userName = exosql.NewColumn(users, "name", func(u *user) *string { return &u.Name })

	todos     = exosql.NewTable[todo]("todos")
	todoID    = exosql.NewKey(todos, "id", func(t *todo) *int64 { return &t.ID })
	todoUser  = exosql.NewColumn(todos, "user_id", func(t *todo) *int64 { return &t.UserID })
	todoTitle = exosql.NewColumn(todos, "title", func(t *todo) *string { return &t.Title })
	todoDone  = exosql.NewColumn(todos, "completed", func(t *todo) *bool { return &t.Completed })

	userTodos = exosql.Many("todos", userID, todoUser)
)

// grants returns the rows of one user, with the columns listed here.
func grants(db *exosql.DB, id int64) codemode.Grants {
	todo := exosql.NewFacet(todos, "todo", todoID, todoTitle, todoDone)
	user := exosql.NewFacet(users, "user", userID, userName, exosql.Via(userTodos, todo))
	return codemode.Grants{"currentUser": user.Of(exosql.Grant(db, users, userID.Eq(id)))}
}

const setup = `
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE todos (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users (id), title TEXT NOT NULL, completed BOOLEAN NOT NULL);
CREATE INDEX todos_by_user ON todos (user_id);
INSERT INTO users VALUES (1, 'Ada'), (2, 'Ben');
INSERT INTO todos VALUES (1, 1, 'Buy milk', TRUE), (2, 1, 'Call the dentist', FALSE), (3, 1, 'Renew the passport', FALSE), (4, 2, 'Fix the gate', FALSE);`

func main() { repl.Main(repl.App{Grants: grants, Setup: setup, Default: "1"}) }
