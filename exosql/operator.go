package exosql

import (
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// operator is one row of the table that the typed API, the guests' interfaces
// and the compiler share: what is not here can't be expressed by anybody.
type operator struct {
	name    string   // canonical
	also    []string // other names that programs may use
	on      []string // the column interfaces that have it
	param   string   // "": none; "value": of the same kind; "list"; "condition"; "conditions"
	null    bool     // null is admitted as the value
	ast     sqlast.Op
	ifNull  sqlast.Op // what it becomes when the value is the literal null
	isOrder bool
	doc     string
}

var allColumns = []string{"Int", "Float", "Text", "Bool", "Time"}
var ordered = []string{"Int", "Float", "Text", "Time"}

// operators. Names in `also` that are JavaScript's own operators are what the
// evaluator calls for them in callbacks: === is null-safe, as it is there.
var operators = []operator{
	{name: "eq", also: []string{"="}, on: allColumns, param: "value", null: true, ast: sqlast.Eq, ifNull: sqlast.IsNull, doc: "equal; eq(null) is isNull()"},
	{name: "ne", also: []string{"<>", "!="}, on: allColumns, param: "value", null: true, ast: sqlast.Ne, ifNull: sqlast.IsNotNull, doc: "not equal, and not null"},
	{name: "lt", also: []string{"<"}, on: ordered, param: "value", ast: sqlast.Lt},
	{name: "le", also: []string{"<="}, on: ordered, param: "value", ast: sqlast.Le},
	{name: "gt", also: []string{">"}, on: ordered, param: "value", ast: sqlast.Gt},
	{name: "ge", also: []string{">="}, on: ordered, param: "value", ast: sqlast.Ge},
	{name: "is", also: []string{"==="}, on: allColumns, param: "value", null: true, ast: sqlast.Is, ifNull: sqlast.IsNull, doc: "equal, and null is equal to null"},
	{name: "isNot", also: []string{"!=="}, on: allColumns, param: "value", null: true, ast: sqlast.IsNot, ifNull: sqlast.IsNotNull, doc: "the opposite of is"},
	{name: "includes", on: []string{"Text"}, param: "value", ast: sqlast.Includes, doc: "contains; case counts"},
	{name: "in", on: allColumns, param: "list", doc: "equal to one of a list"},
	{name: "isNull", on: allColumns, ast: sqlast.IsNull},
	{name: "isNotNull", on: allColumns, ast: sqlast.IsNotNull},
	{name: "and", also: []string{"&&"}, on: []string{"Bool"}, param: "condition", ast: sqlast.And},
	{name: "or", also: []string{"||"}, on: []string{"Bool"}, param: "condition", ast: sqlast.Or},
	{name: "not", also: []string{"!"}, on: []string{"Bool"}, ast: sqlast.Not},
	{name: "asc", on: allColumns, isOrder: true, doc: "null first"},
	{name: "desc", on: allColumns, isOrder: true, doc: "null last"},
}

var operatorByName = func() map[string]*operator {
	m := map[string]*operator{}
	for i := range operators {
		m[operators[i].name] = &operators[i]
	}
	return m
}()

func has(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// columnInterfaces are the interfaces of column expressions, by scalar kind.
var columnInterfaces = map[string]string{
	exo.TypeInt: "Int", exo.TypeFloat: "Float", exo.TypeText: "Text", exo.TypeBool: "Bool", exo.TypeTime: "Time",
}
