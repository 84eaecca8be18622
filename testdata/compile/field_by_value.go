// A field that is not reached by a pointer could not be filled.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

var _ = exosql.NewColumn(Users, "email", func(u *User) string { return u.Email }) // ERROR func\(u \*.*User\) string
// OK var _ = exosql.NewColumn(Users, "email", func(u *User) *string { return &u.Email })
