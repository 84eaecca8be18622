package language

import (
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// Recursive follows a link from a table to itself again and again.
const Recursive = "recursive"

// Depth is the program's name for the depth of a row in a tree. If the row has a member of that name, the name is otherDepth.
const (
	Depth      = "depth"
	otherDepth = "treeDepth"
)

// DepthName returns a name for the depth that is not taken yet, or "" if both names are.
func DepthName(taken func(string) bool) string {
	for _, name := range []string{Depth, otherDepth} {
		if !taken(name) {
			return name
		}
	}
	return ""
}

// Tree returns the method of a query with a link back to the same kind of rows.
func Tree(result *message.Type) *message.Method {
	return &message.Method{Name: Recursive, Doc: "right behind a link to the same table: also theirs, and so on; each row once, with its depth, from 1",
		Params: []message.Param{{Name: "the depth", Want: con(value.TypeInt), Count: true, Opt: true}}, Result: &message.Term{Con: result}}
}

// DepthType returns the type of the depth in a callback.
func DepthType() *message.Type { return whole.Con }
