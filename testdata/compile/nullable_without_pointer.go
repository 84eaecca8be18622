// A column that may be NULL needs a place for it.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

var _ = exosql.NewNullable(Users, "email", func(u *User) *string { return &u.Email }) // ERROR func\(u \*.*User\) \*string
// OK var _ = exosql.NewNullable(Todos, "parent_id", func(t *Todo) **int64 { return &t.ParentID })
