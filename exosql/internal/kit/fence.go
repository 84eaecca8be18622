package kit

import (
	"github.com/exoagent/exoagent/exosql"
)

// Item is a row with a key, a column with AllowUnscopedLookup, and other columns.
type Item struct {
	ID, Owner int64
	Name, Day string
}

var (
	Items     = exosql.NewTable[Item]("items")
	ItemID    = exosql.NewKey(Items, "id", func(i *Item) *int64 { return &i.ID })
	ItemOwner = exosql.NewColumn(Items, "owner", func(i *Item) *int64 { return &i.Owner })
	ItemName  = exosql.NewColumn(Items, "name", func(i *Item) *string { return &i.Name })
	ItemDay   = exosql.NewColumn(Items, "day", func(i *Item) *string { return &i.Day }).AllowUnscopedLookup()
)
