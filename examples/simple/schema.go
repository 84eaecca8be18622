package main

import (
	"context"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/terminal"
)

// One Go struct for each table: what the host's own code reads rows into.

type user struct {
	ID        int64
	Name      string
	Email     string
	CreatedAt time.Time
}

type todo struct {
	ID        int64
	UserID    int64
	Title     string
	Notes     *string // a pointer, because the column may be NULL
	Completed bool
	Priority  int64
	DueAt     *time.Time
	CreatedAt time.Time
}

// The tables and their columns. This describes the database and grants nothing.
// A program finds created_at under the name createdAt.

var (
	users         = exosql.NewTable[user]("users")
	userID        = exosql.NewKey(users, "id", func(u *user) *int64 { return &u.ID })
	userName      = exosql.NewColumn(users, "name", func(u *user) *string { return &u.Name })
	userEmail     = exosql.NewColumn(users, "email", func(u *user) *string { return &u.Email })
	userCreatedAt = exosql.NewColumn(users, "created_at", func(u *user) *time.Time { return &u.CreatedAt }).StoredISO()

	todos         = exosql.NewTable[todo]("todos")
	todoID        = exosql.NewKey(todos, "id", func(t *todo) *int64 { return &t.ID })
	todoUserID    = exosql.NewColumn(todos, "user_id", func(t *todo) *int64 { return &t.UserID })
	todoTitle     = exosql.NewColumn(todos, "title", func(t *todo) *string { return &t.Title })
	todoNotes     = exosql.NewNullable(todos, "notes", func(t *todo) **string { return &t.Notes })
	todoCompleted = exosql.NewColumn(todos, "completed", func(t *todo) *bool { return &t.Completed })
	todoPriority  = exosql.NewColumn(todos, "priority", func(t *todo) *int64 { return &t.Priority }).Doc("1 is the most urgent, 3 the least")
	todoDueAt     = exosql.NewNullable(todos, "due_at", func(t *todo) **time.Time { return &t.DueAt }).StoredISO()
	todoCreatedAt = exosql.NewColumn(todos, "created_at", func(t *todo) *time.Time { return &t.CreatedAt }).StoredISO()
)

// The links: how a row leads to others.

var (
	userTodos = exosql.Many("todos", userID, todoUserID)
	todoUser  = exosql.One("user", todoUserID, userID)
)

// facets says what a program may see of each table. A column that is not listed
// does not exist for it: user_id is not, since todos() and user() say the same.
func facets() *exosql.Facet[user] {
	user := exosql.NewFacet(users, "user", userID, userName, userEmail, userCreatedAt)
	todo := exosql.NewFacet(todos, "todo", todoID, todoTitle, todoNotes, todoCompleted, todoPriority, todoDueAt, todoCreatedAt)
	user.Add(exosql.Via(userTodos, todo))
	todo.Add(exosql.Via(todoUser, user))
	return user
}

// users and todos as one user may touch them. The predicate fixes which users
// there are; todos can only be reached from them, so it fixes the todos as well.
func grant(db *exosql.DB, id int64) codemode.Grants {
	return codemode.Grants{
		"currentUser": facets().Of(exosql.Grant(db, users, userID.Eq(id))),
	}
}

// everybody lists whom -user can name. This is the host's own code: it reads
// rows into structs, through the same tables, with a scope that admits them all.
func everybody(ctx context.Context, db *exosql.DB) ([]terminal.Principal, error) {
	rows, err := exosql.Grant(db, users, exosql.AllRows[user]()).OrderBy(userID.Asc()).All(ctx)
	var out []terminal.Principal
	for _, u := range rows {
		out = append(out, terminal.Principal{ID: u.ID, Name: u.Name})
	}
	return out, err
}

var app = terminal.App{
	Name:       "simple",
	About:      "Users and their todos. A program sees one user and what belongs to that user.",
	Who:        "user",
	Default:    1,
	Schema:     schema,
	Seed:       seed,
	Principals: everybody,
	Grants:     grant,
	Asker:      terminal.Models,
	Examples: []string{
		`api.currentUser.todos().where({ completed: false })`,
		`(api) => api.currentUser.join(({ user }) => user.todos()).select(({ user, todo }) => ({ user: user.name, title: todo.title })).execute()`,
		`const late = await api.currentUser.todos().where(t => !t.completed && t.dueAt < new Date()); return { late: late.length, titles: late.map(t => t.title) }`,
	},
}
