package language

import (
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// These methods combine two queries with the same columns into one.
const (
	Union     = "union"
	UnionAll  = "unionAll"
	Concat    = "concat"
	Intersect = "intersect"
	Except    = "except"
)

// Sets has, for each of these methods, its operator in SQL.
var Sets = map[string]sqlast.Set{Union: sqlast.Union, UnionAll: sqlast.UnionAll, Concat: sqlast.UnionAll, Intersect: sqlast.Intersect, Except: sqlast.Except}

// RecordAlias is the name of a combined query's rows in its callbacks.
const RecordAlias = "row"

// recordInterface is the interface of a combined row in a callback: its fields are those that select showed.
const recordInterface = "Selected"

// combines returns the method that combines two queries. It compares everything that a row shows, so all labels of the row join.
func combines(name string) *message.Method {
	row := &message.Term{Name: RecordAlias, Of: &message.Term{App: recordInterface, Own: v("row"), To: scalarInterfaces}}
	return &message.Method{Name: name, Row: true,
		Params: []message.Param{{Name: "the other query", Want: app(QueryInterface, map[string]*message.Term{"row": v("row")})}},
		Result: app(QueryInterface, map[string]*message.Term{"row": v("row"), "ns": row})}
}
