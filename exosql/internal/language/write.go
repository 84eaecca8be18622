package language

import (
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// These methods change rows. A facet has those that its rights allow. admits are the labels of values that may be written to its rows.
const (
	Insert     = "insert"
	InsertMany = "insertMany"
	Update     = "update"
	Delete     = "delete"
	All        = "all"

	IfUnchanged = "ifUnchanged"
)

// InsertMethod returns the method that inserts one row; row is the type with its columns. others are the integrity tags of the new row's values that the
// program does not write itself.
func InsertMethod(row *message.Type, admits, others value.Label) *message.Method {
	return &message.Method{Name: Insert, Doc: "adds a row, and gives it as it is then", Effect: message.InUnit, Admits: admits, Reply: others, Fresh: true, Sends: true,
		Params: []message.Param{{Name: "the row", Want: &message.Term{Con: row}}}, Result: v("row")}
}

// InsertManyMethod returns the method that inserts several rows.
func InsertManyMethod(row *message.Type, admits value.Label) *message.Method {
	rows := &message.Type{Name: value.TypeList, Args: map[string]*message.Type{"of": row}}
	return &message.Method{Name: InsertMany, Doc: "adds rows, and gives their number", Effect: message.InUnit, Admits: admits, Sends: true,
		Params: []message.Param{{Name: "the rows", Want: &message.Term{Con: rows}}}, Result: con(value.TypeInt)}
}

// UpdateMethod returns the method that changes the rows of a query.
func UpdateMethod(values *message.Type, admits value.Label) *message.Method {
	return &message.Method{Name: Update, Doc: "changes the rows, and gives their number", Effect: message.InUnit, Admits: admits, Sends: true,
		Params: []message.Param{{Name: "the values", Want: &message.Term{Con: values}, Lambda: v("ns"), Plain: true}}, Result: con(value.TypeInt)}
}

// DeleteMethod returns the method that deletes the rows of a query.
func DeleteMethod(admits value.Label) *message.Method {
	return &message.Method{Name: Delete, Doc: "deletes the rows, and gives their number", Effect: message.InUnit, Admits: admits, Sends: true, Result: con(value.TypeInt)}
}

// AllMethod returns the method that lets an update or a delete change every row.
func AllMethod() *message.Method {
	return &message.Method{Name: All, Doc: "all rows, said before update or delete without where", Result: v("self")}
}

// IfUnchangedMethod returns the method that narrows a query to rows with the values that were read. A change then must find a row.
func IfUnchangedMethod() *message.Method {
	return &message.Method{Name: IfUnchanged, Doc: "only rows that still have these values; with none, update and delete fail with a conflict",
		Params: []message.Param{{Name: "the row as it was read", Want: con("Bool"), Lambda: v("ns"), Filter: true}}, Result: v("self")}
}
