// Package wrong is checked together with each other file of this folder, which
// holds one mistake that must not compile and the line that is right instead.
package wrong

import "github.com/exoagent/exoagent/exosql"

type User struct {
	ID          int64
	Name, Email string
}

type Todo struct {
	ID, UserID int64
	Title      string
	Completed  bool
	ParentID   *int64
}

var (
	Users    = exosql.NewTable[User]("users")
	UserID   = exosql.NewKey(Users, "id", func(u *User) *int64 { return &u.ID })
	UserName = exosql.NewColumn(Users, "name", func(u *User) *string { return &u.Name })

	Todos      = exosql.NewTable[Todo]("todos")
	TodoID     = exosql.NewKey(Todos, "id", func(t *Todo) *int64 { return &t.ID })
	TodoOwner  = exosql.NewColumn(Todos, "user_id", func(t *Todo) *int64 { return &t.UserID })
	TodoTitle  = exosql.NewColumn(Todos, "title", func(t *Todo) *string { return &t.Title })
	TodoDone   = exosql.NewColumn(Todos, "completed", func(t *Todo) *bool { return &t.Completed })
	TodoParent = exosql.NewNullable(Todos, "parent_id", func(t *Todo) **int64 { return &t.ParentID })

	UserTodos = exosql.Many("todos", UserID, TodoOwner)
	Children  = exosql.Many("children", TodoID, TodoParent)
)

var (
	db  *exosql.DB
	dyn string
	me  = exosql.Grant(db, Users, UserID.Eq(1))
)
