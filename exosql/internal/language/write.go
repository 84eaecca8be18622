package language

import "github.com/exoagent/exoagent/exo"

// What changes rows. A facet has those that its rights allow. admits are the labels that may be written wherever rows of it are.
const (
	Insert     = "insert"
	InsertMany = "insertMany"
	Update     = "update"
	Delete     = "delete"
	All        = "all"

	IfUnchanged = "ifUnchanged"
)

// InsertMethod adds one row, of the columns that the type has.
func InsertMethod(row *exo.Type, admits exo.Label) *exo.Method {
	return &exo.Method{Name: Insert, Doc: "adds a row, and gives it as it is then", Effect: exo.InUnit, Admits: admits, Sends: true,
		Params: []exo.Param{{Name: "the row", Want: &exo.Term{Con: row}}}, Result: v("row")}
}

// InsertManyMethod adds many.
func InsertManyMethod(row *exo.Type, admits exo.Label) *exo.Method {
	rows := &exo.Type{Name: exo.TypeList, Args: map[string]*exo.Type{"of": row}}
	return &exo.Method{Name: InsertMany, Doc: "adds rows, and gives their number", Effect: exo.InUnit, Admits: admits, Sends: true,
		Params: []exo.Param{{Name: "the rows", Want: &exo.Term{Con: rows}}}, Result: con(exo.TypeInt)}
}

// UpdateMethod changes the rows of a query.
func UpdateMethod(values *exo.Type, admits exo.Label) *exo.Method {
	return &exo.Method{Name: Update, Doc: "changes the rows, and gives their number", Effect: exo.InUnit, Admits: admits, Sends: true,
		Params: []exo.Param{{Name: "the values", Want: &exo.Term{Con: values}, Lambda: v("ns"), Plain: true}}, Result: con(exo.TypeInt)}
}

// DeleteMethod removes the rows of a query.
func DeleteMethod(admits exo.Label) *exo.Method {
	return &exo.Method{Name: Delete, Doc: "deletes the rows, and gives their number", Effect: exo.InUnit, Admits: admits, Sends: true, Result: con(exo.TypeInt)}
}

// AllMethod says that every row is meant.
func AllMethod() *exo.Method {
	return &exo.Method{Name: All, Doc: "all rows, said before update or delete without where", Result: v("self")}
}

// IfUnchangedMethod narrows a query to rows as they were read, of which a change has to find one.
func IfUnchangedMethod() *exo.Method {
	return &exo.Method{Name: IfUnchanged, Doc: "only rows that still have these values; with none, update and delete fail with a conflict",
		Params: []exo.Param{{Name: "the row as it was read", Want: con("Bool"), Lambda: v("ns"), Filter: true}}, Result: v("self")}
}
