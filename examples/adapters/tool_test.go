package adapters_test

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
)

type user struct{ ID int64 }

type todo struct {
	ID, UserID int64
	Title      string
	Done       bool
}

var (
	users  = exosql.NewTable[user]("users")
	userID = exosql.NewKey(users, "id", func(u *user) *int64 { return &u.ID })

	todos     = exosql.NewTable[todo]("todos")
	todoID    = exosql.NewKey(todos, "id", func(t *todo) *int64 { return &t.ID })
	todoUser  = exosql.NewColumn(todos, "user_id", func(t *todo) *int64 { return &t.UserID })
	todoTitle = exosql.NewColumn(todos, "title", func(t *todo) *string { return &t.Title })
	todoDone  = exosql.NewColumn(todos, "done", func(t *todo) *bool { return &t.Done })

	userTodos = exosql.Many("todos", userID, todoUser)
)

// todosOf is the tool of one user, over a database in memory.
func todosOf(id int64) *codemode.Tool {
	db, err := exosql.Open(context.Background(), "sqlite::memory:", &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, `
			CREATE TABLE users (id INTEGER PRIMARY KEY);
			CREATE TABLE todos (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL, title TEXT NOT NULL, done BOOLEAN NOT NULL);
			INSERT INTO users VALUES (1), (2);
			INSERT INTO todos VALUES (1, 1, 'Buy milk', TRUE), (2, 1, 'File the tax return', FALSE), (3, 1, 'Call the dentist', FALSE), (4, 2, 'Not yours', FALSE);`)
		return err
	}})
	if err != nil {
		panic(err)
	}
	todo := exosql.NewFacet(todos, "todo", todoID, todoTitle, todoDone)
	me := exosql.NewFacet(users, "user", userID, exosql.Via(userTodos, todo)).Of(exosql.Grant(db, users, userID.Eq(id)))
	tool, err := codemode.New(codemode.Grants{"me": me}, &codemode.Options{Name: "run_program"})
	if err != nil {
		panic(err)
	}
	return tool
}

// program is what the models of these tests write.
const program = "(api) => api.me.todos().where(t => !t.done).select(t => ({ title: t.title }))"

// model is a server that answers as a model would: with a call of the tool, and
// when it has read the result with a text. It prints what it was shown of the tool
// and what the call gave, each found in the request that its true counterpart gets.
func model(call, text string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		shown, answer := strings.Contains(string(body), "- Todo ("), call
		if strings.Contains(string(body), "File the tax return") {
			fmt.Println("the model read the rows, and none of others:", !strings.Contains(string(body), "Not yours"))
			answer = text
		} else {
			fmt.Println("the model was shown the tables:", shown)
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, answer)
	}))
}
