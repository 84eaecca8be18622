// A column bound to another table's struct.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

var _ = exosql.NewColumn(Users, "title", func(t *Todo) *string { return &t.Title }) // ERROR func\(t \*.*Todo\) \*string
// OK var _ = exosql.NewColumn(Users, "email", func(u *User) *string { return &u.Email })
