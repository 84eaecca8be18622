package exo

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/exoagent/exoagent/internal/wire"
)

// Parts of a node: which of them follow.
const (
	hasName = 1 << iota
	hasRecv
	hasArgs
	hasNames
	hasLit
	hasRef
	hasArg
	hasAll = 1<<iota - 1
)

// Bounds of a message.
const (
	maxLiterals = 200_000 // values and names in it, however large each may be
	maxArg      = 1 << 20 // the place of a parameter
)

var (
	errNode  = errors.New("a message with a node that no message has has no encoding")
	errOrder = errors.New("a message in another order than that of its nodes when it is walked has no encoding")
	errLarge = fmt.Errorf("a message with more than %d values has no encoding", maxLiterals)
)

// Expr writes a message: a count, and its nodes in the order of (*Node).Expr.
func (e *Encoder) Expr(x Expr) {
	if !x.ordered() {
		e.refuse(errOrder)
	}
	e.plain = true
	e.B = wire.AppendCount(e.B, len(x.Nodes))
	for i := range x.Nodes {
		e.node(&x.Nodes[i])
	}
	if e.Values > maxLiterals {
		e.refuse(errLarge)
	}
}

func (e *Encoder) node(n *WireNode) {
	var has byte
	if n.Name != "" {
		has = hasName
	}
	if n.Recv >= 0 {
		has |= hasRecv
	}
	if len(n.Args) > 0 {
		has |= hasArgs
	}
	if len(n.Names) > 0 {
		has |= hasNames
	}
	if !n.Lit.IsZero() {
		has |= hasLit
	}
	if n.Ref != 0 {
		has |= hasRef
	}
	if n.Arg != 0 {
		has |= hasArg
	}
	if n.Arg < 0 || n.Arg > maxArg || n.Recv < -1 {
		e.refuse(errNode)
	}
	e.B = append(e.B, byte(n.Op), has)
	if has&hasName != 0 {
		e.text(n.Name)
	}
	if has&hasRecv != 0 {
		e.B = wire.AppendCount(e.B, int(n.Recv))
	}
	if has&hasArgs != 0 {
		e.B = wire.AppendCount(e.B, len(n.Args))
		for _, a := range n.Args {
			e.B = wire.AppendCount(e.B, int(a))
		}
	}
	if has&hasNames != 0 {
		e.B = wire.AppendCount(e.B, len(n.Names))
		for _, s := range n.Names {
			e.text(s)
		}
	}
	if has&hasLit != 0 {
		e.Value(n.Lit)
	}
	if has&hasRef != 0 {
		e.B = wire.AppendUint(e.B, uint64(n.Ref))
	}
	if has&hasArg != 0 {
		e.B = wire.AppendCount(e.B, n.Arg)
	}
}

func (e *Encoder) text(s string) {
	if !utf8.ValidString(s) {
		e.refuse(errNode)
	}
	e.B = wire.AppendText(e.B, s)
}

// ordered reports whether the nodes stand as (*Node).Expr puts them: each after what it uses,
// in the order in which a walk from the root, receivers first, meets them, and none
// besides. Any other order would be a second spelling of the message.
func (x Expr) ordered() bool {
	o := order{nodes: x.Nodes}
	return len(x.Nodes) == 0 || o.visit(int32(len(x.Nodes)-1)) && int(o.next) == len(x.Nodes)
}

// order walks a message. The nodes that it has left are those before next.
type order struct {
	nodes []WireNode
	next  int32
}

// visit walks node i. As long as all is in order a node is new if it is not before next.
func (o *order) visit(i int32) bool {
	n := &o.nodes[i]
	if n.Recv >= i || n.Recv >= o.next && !o.visit(n.Recv) {
		return false
	}
	for _, a := range n.Args {
		if a < 0 || a >= i || a >= o.next && !o.visit(a) {
			return false
		}
	}
	o.next++
	return o.next == i+1
}
