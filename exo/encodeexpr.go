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

// AppendBinary writes the message in the canonical encoding. It fails for a message that
// is not in the order in which (*Node).Expr writes it: another order would be a second
// spelling of it. Labels of its values are not the guest's and are not written.
func (x Expr) AppendBinary(b []byte) ([]byte, error) {
	e := Encoder{B: append(b, wire.Encoding)}
	WriteExpr(&e, x)
	return e.B, e.Err()
}

// DecodeExpr reads what AppendBinary wrote and nothing else, of at most limit nodes.
// That a catalogue allows it is the gate's to see; here it is only well formed. Its
// texts are parts of s.
func DecodeExpr(s string, limit int) (Expr, error) {
	d := Decoder{Reader: wire.NewReader(s), Values: maxLiterals}
	d.Version()
	x := ReadExpr(&d, limit)
	return x, Malformed("message", d.Done())
}

// WriteExpr writes a message: a count, and its nodes in the order of (*Node).Expr.
func WriteExpr(e *Encoder, x Expr) {
	if !x.ordered() {
		e.Refuse(errOrder)
	}
	e.Plain = true
	e.B = wire.AppendCount(e.B, len(x.Nodes))
	for i := range x.Nodes {
		writeNode(e, &x.Nodes[i])
	}
	if e.Values > maxLiterals {
		e.Refuse(errLarge)
	}
}

func writeNode(e *Encoder, n *WireNode) {
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
		e.Refuse(errNode)
	}
	e.B = append(e.B, byte(n.Op), has)
	if has&hasName != 0 {
		writeName(e, n.Name)
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
			writeName(e, s)
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

func writeName(e *Encoder, s string) {
	if !utf8.ValidString(s) {
		e.Refuse(errNode)
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
