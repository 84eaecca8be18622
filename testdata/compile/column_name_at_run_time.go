// A column's name that was computed.
package wrong

import "github.com/exoagent/exoagent/exosql"

var _ = exosql.AllRows[User]

var _ = exosql.NewColumn(Users, dyn, func(u *User) *string { return &u.Email }) // ERROR cannot use dyn .*as exosql.constant
// OK var _ = exosql.NewColumn(Users, "email", func(u *User) *string { return &u.Email })
