package exosql

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
)

type user struct {
	ID   int64
	Name string
}
type todo struct {
	ID, UserID int64
	Title      string
	Done       bool
	Due        *time.Time
}

var (
	users     = NewTable[user]("users")
	userID    = NewKey(users, "id", func(u *user) *int64 { return &u.ID })
	userName  = NewColumn(users, "name", func(u *user) *string { return &u.Name })
	todos     = NewTable[todo]("todos")
	todoID    = NewKey(todos, "id", func(t *todo) *int64 { return &t.ID })
	todoUser  = NewColumn(todos, "user_id", func(t *todo) *int64 { return &t.UserID })
	todoTitle = NewColumn(todos, "title", func(t *todo) *string { return &t.Title })
	todoDone  = NewColumn(todos, "done", func(t *todo) *bool { return &t.Done })
	todoDue   = NewNullable(todos, "due_at", func(t *todo) **time.Time { return &t.Due })
	userTodos = Many("todos", userID, todoUser)
	todoOwner = One("user", todoUser, userID)
)

func TestSmoke(t *testing.T) {
	ctx := context.Background()
	db, err := Open(ctx, "sqlite::memory:", &Options{Setup: func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, `CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT NOT NULL); CREATE TABLE todos(id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL, title TEXT NOT NULL, done BOOLEAN NOT NULL, due_at TEXT);
		INSERT INTO users VALUES (1,'ann'),(2,'bob'); INSERT INTO todos VALUES (1,1,'a',0,NULL),(2,1,'b',1,'2024-01-02 03:04:05'),(3,2,'c',0,NULL)`)
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	me := Grant(db, users, userID.Eq(1))
	rows, err := Follow(me, userTodos).Where(todoDone.Eq(false)).All(ctx)
	t.Log(rows, err)
	if err != nil || len(rows) != 1 {
		t.Fatal()
	}
	uf := NewFacet(users, "user", userID, userName)
	tf := NewFacet(todos, "todo", todoID, todoTitle, todoDone, todoDue, Via(todoOwner, uf))
	uf.Add(Via(userTodos, tf))
	var evs []exo.Event
	g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"currentUser": uf.Of(me)}, Record: func(e exo.Event) { evs = append(evs, e) }})
	if err != nil {
		t.Fatal(err)
	}
	s := g.NewSession(ctx, "")
	c := s.Checker()
	must := func(n *exo.Node, err *exo.Error) *exo.Node {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	q := must(c.MakeRef(0))
	p := must(c.MakeParam(q, "join", 0, nil))
	l := must(c.MakeLambda(p, must(c.MakeCall(must(c.MakeField(p, "user")), "todos", nil))))
	q = must(c.MakeCall(q, "join", []*exo.Node{l}))
	p = must(c.MakeParam(q, "where", 0, nil))
	l = must(c.MakeLambda(p, must(c.MakeCall(must(c.MakeField(must(c.MakeField(p, "todo")), "done")), "=", []*exo.Node{must(c.MakeLit(exo.Bool(true)))}))))
	q = must(c.MakeCall(q, "where", []*exo.Node{l}))
	q = must(c.MakeCall(q, "limit", []*exo.Node{must(c.MakeLit(exo.Int(5)))}))
	q = must(c.MakeCall(q, "execute", nil))
	s.Submit(exo.Call{ID: 1, Expr: exo.Flatten(q)})
	r, _, _ := s.Next(ctx)
	t.Log(r.Value, r.Err)
	for _, e := range evs {
		t.Log(e.Phase, e.Op, e.Err, e.Details)
	}
}
