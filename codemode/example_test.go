package codemode_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
)

type User struct {
	ID   int64
	Name string
}

type Todo struct {
	ID, UserID int64
	Title      string
	Completed  bool
}

var (
	Users    = exosql.NewTable[User]("users")
	UserID   = exosql.NewKey(Users, "id", func(u *User) *int64 { return &u.ID })
	UserName = exosql.NewColumn(Users, "name", func(u *User) *string { return &u.Name })

	Todos     = exosql.NewTable[Todo]("todos")
	TodoID    = exosql.NewKey(Todos, "id", func(t *Todo) *int64 { return &t.ID })
	TodoOwner = exosql.NewColumn(Todos, "user_id", func(t *Todo) *int64 { return &t.UserID })
	TodoTitle = exosql.NewColumn(Todos, "title", func(t *Todo) *string { return &t.Title })
	TodoDone  = exosql.NewColumn(Todos, "completed", func(t *Todo) *bool { return &t.Completed })

	UserTodos = exosql.Many("todos", UserID, TodoOwner)
)

func open() *exosql.DB {
	db, err := exosql.Open(context.Background(), "sqlite::memory:", &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, `CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
			CREATE TABLE todos(id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL, title TEXT NOT NULL, completed BOOLEAN NOT NULL);
			INSERT INTO users VALUES (1, 'Ann'), (2, 'Bob');
			INSERT INTO todos VALUES (1, 1, 'Pack', 0), (2, 1, 'Book', 1), (3, 2, 'Not for Ann', 0)`)
		return err
	}})
	if err != nil {
		panic(err)
	}
	return db
}

// facet is what programs may see: no owner, and of users their name only.
func facet() *exosql.Facet[User] {
	todo := exosql.NewFacet(Todos, "todo", TodoID, TodoTitle, TodoDone)
	return exosql.NewFacet(Users, "user", UserName, exosql.Via(UserTodos, todo))
}

func ExampleNew() {
	db := open()
	defer db.Close()
	me := exosql.Grant(db, Users, UserID.Eq(1))
	tool, err := codemode.New(codemode.Grants{"currentUser": facet().Of(me)}, &codemode.Options{Principal: "ann"})
	if err != nil {
		panic(err)
	}
	out, err := tool.Call(context.Background(), json.RawMessage(`{"code":"(api) => api.currentUser.todos().where(t => t.completed === false).select(t => ({ title: t.todo.title }))"}`))
	fmt.Println(string(out), err)
	out, err = tool.Call(context.Background(), json.RawMessage(`{"code":"(api) => api.currentUser.todos().where({ userId: 2 })"}`))
	fmt.Println(string(out), err)
	// Output:
	// {"result":[{"title":"Pack"}]} <nil>
	// {"error":{"kind":"denied","message":"todo has no member `userId`; it has `id`, `title`, `completed`","line":1,"column":39,"source":"(api) => api.currentUser.todos().where({ userId: 2 })"}} <nil>
}

// AgentTool is the form in which a framework, made up here, takes tools.
type AgentTool struct {
	Name, Description string
	Schema            json.RawMessage
	Handler           func(ctx context.Context, input json.RawMessage) (json.RawMessage, error)
}

func ExampleTool() {
	db := open()
	defer db.Close()
	tool, err := codemode.New(codemode.Grants{"currentUser": facet().Of(exosql.Grant(db, Users, UserID.Eq(1)))}, &codemode.Options{Limits: exo.Limits{Calls: 20}})
	if err != nil {
		panic(err)
	}

	agentTool := AgentTool{
		Name: tool.Name(), Description: tool.Description(),
		Schema:  tool.InputSchema(),
		Handler: tool.Call,
	}

	out, err := agentTool.Handler(context.Background(), json.RawMessage(`{"code":"const todos = await api.currentUser.todos(); return { n: todos.length, done: todos.filter(t => t.completed).map(t => t.title) }"}`))
	fmt.Println(string(out), err)
	// Output: {"result":{"n":2,"done":["Book"]}} <nil>
}
