package language

import (
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// Recursive follows a link from a table to itself again and again.
const Recursive = "recursive"

// Depth is what the depth of a row of a tree is called in programs, and otherDepth where the row has something of that name.
const (
	Depth      = "depth"
	otherDepth = "treeDepth"
)

// DepthName is what the depth is called in rows of which some names are taken. It is "" if both are.
func DepthName(taken func(string) bool) string {
	for _, name := range []string{Depth, otherDepth} {
		if !taken(name) {
			return name
		}
	}
	return ""
}

// Tree is the method of a query of rows that have a link to the same kind of rows.
func Tree(result *message.Type) *message.Method {
	return &message.Method{Name: Recursive, Doc: "right behind a link to the same table: also theirs, and so on; each row once, with its depth, from 1",
		Params: []message.Param{{Name: "the depth", Want: con(value.TypeInt), Count: true, Opt: true}}, Result: &message.Term{Con: result}}
}

// DepthType is the depth in a callback.
func DepthType() *message.Type { return whole.Con }
