package language

import (
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// These methods make one query of two that show the same columns.
const (
	Union     = "union"
	UnionAll  = "unionAll"
	Concat    = "concat"
	Intersect = "intersect"
	Except    = "except"
)

// Sets are the operators of SQL that they mean.
var Sets = map[string]sqlast.Set{Union: sqlast.Union, UnionAll: sqlast.UnionAll, Concat: sqlast.UnionAll, Intersect: sqlast.Intersect, Except: sqlast.Except}

// RecordAlias is what the rows of such a query are called in its callbacks.
const RecordAlias = "row"

// recordInterface is such a row in a callback: what select showed are its fields.
const recordInterface = "Selected"

// combines is the method of a query. What it compares is all that a row shows, so the labels of that join.
func combines(name string) *message.Method {
	row := &message.Term{Name: RecordAlias, Of: &message.Term{App: recordInterface, Own: v("row"), To: scalarInterfaces}}
	return &message.Method{Name: name, Row: true,
		Params: []message.Param{{Name: "the other query", Want: app(QueryInterface, map[string]*message.Term{"row": v("row")})}},
		Result: app(QueryInterface, map[string]*message.Term{"row": v("row"), "ns": row})}
}
