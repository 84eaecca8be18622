// Program is a program with declarations that it does not export.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/exoagent/exoagent/exosql"
)

type user struct {
	ID   int64
	Name string
}

var (
	users  = exosql.NewTable[user]("users")
	userID = exosql.NewKey(users, "id", func(u *user) *int64 { return &u.ID })
	_      = exosql.NewColumn(users, "name", func(u *user) *string { return &u.Name })

	none    *exosql.Table[user]
	nothing exosql.Link[user, user]
	json    = func() {} // the overlay file imports a package of this name
)

func init() {
	fmt.Println("an init function runs")
	os.Exit(7)
}

func main() {
	_, _ = exosql.Open(context.Background(), "", nil)
	fmt.Println(userID, none, nothing, json)
}
