package message

// This file writes messages in the canonical encoding of exo/value and reads them.

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/wire"
)

// Each of these bits is set if the node has the part of that name.
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

// These bound one message.
const (
	maxLiterals = 200_000 // how many values and names, of any size, a message may have
	maxArg      = 1 << 20 // the largest index of a parameter
)

var (
	errNode  = errors.New("a message can't be encoded if one of its nodes has a form that no Checker makes")
	errOrder = errors.New("a message can't be encoded unless its nodes are in the order that Node.Expr gives them")
	errLarge = fmt.Errorf("a message can't be encoded if it has more than %d values", maxLiterals)
)

// AppendBinary writes the message in the canonical encoding. It fails if the nodes are not in the
// order of (*Node).Expr: another order would be a second encoding of the message. Labels of values
// are not written, since a guest can't set them.
func (x Expr) AppendBinary(b []byte) ([]byte, error) {
	e := value.Encoder{B: append(b, wire.Encoding)}
	WriteExpr(&e, x)
	return e.B, e.Err()
}

// DecodeExpr reads a message of at most limit nodes that AppendBinary wrote, and nothing else. It
// checks only the form: the gate checks whether a catalogue allows the message. The texts share the
// memory of s.
func DecodeExpr(s string, limit int) (Expr, error) {
	d := value.Decoder{Reader: wire.NewReader(s), Values: maxLiterals}
	d.Version()
	x := ReadExpr(&d, limit)
	return x, value.Malformed("message", d.Done())
}

// WriteExpr writes a message: the number of its nodes, and the nodes in the order of (*Node).Expr.
func WriteExpr(e *value.Encoder, x Expr) {
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

func writeNode(e *value.Encoder, n *WireNode) {
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

func writeName(e *value.Encoder, s string) {
	if !utf8.ValidString(s) {
		e.Refuse(errNode)
	}
	e.B = wire.AppendText(e.B, s)
}

// ordered reports whether the nodes are in the order of (*Node).Expr. Walking from the root,
// receivers first, must meet every node, each after those that it uses. Any other order would be a
// second encoding of the message.
func (x Expr) ordered() bool {
	o := order{nodes: x.Nodes}
	return len(x.Nodes) == 0 || o.visit(int32(len(x.Nodes)-1)) && int(o.next) == len(x.Nodes)
}

// order walks a message. The walk has finished the nodes with indexes below next.
type order struct {
	nodes []WireNode
	next  int32
}

// visit walks node i. As long as the order is right, a node is new if its index is at least next.
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

// ReadExpr reads a message of at most limit nodes, in the order in which (*Node).Expr writes them.
// A message has at most 200,000 values and names.
func ReadExpr(d *value.Decoder, limit int) (x Expr) {
	d.Values = min(d.Values, maxLiterals)
	n := d.Count(2)
	if n > limit {
		d.Fail("more nodes than the limit")
	}
	if d.Err() != nil || n == 0 {
		return Expr{}
	}
	x.Nodes = make([]WireNode, n)
	for i := range x.Nodes {
		if readNode(d, &x.Nodes[i], i, limit); d.Err() != nil {
			return Expr{}
		}
	}
	if !x.ordered() {
		d.Fail("nodes in another order than Node.Expr writes them")
		return Expr{}
	}
	return x
}

func readNode(d *value.Decoder, n *WireNode, i, limit int) {
	n.Op, n.Recv = Op(d.Byte()), -1
	has := d.Byte()
	if has&^hasAll != 0 {
		d.Fail("parts that no node has")
	}
	if has&hasName != 0 {
		n.Name = d.UTF8()
		must(d, n.Name != "")
	}
	if has&hasRecv != 0 {
		n.Recv = earlier(d, i)
	}
	if has&hasArgs != 0 {
		n.Args = make([]int32, countParts(d, limit))
		for a := range n.Args {
			n.Args[a] = earlier(d, i)
		}
	}
	if has&hasNames != 0 {
		n.Names = make([]string, countParts(d, limit))
		for a := range n.Names {
			n.Names[a] = d.UTF8()
		}
	}
	if has&hasLit != 0 {
		n.Lit = d.Value()
	}
	if has&hasRef != 0 {
		n.Ref = uint32(d.UpTo(1<<32 - 1))
		must(d, n.Ref != 0)
	}
	if has&hasArg != 0 {
		n.Arg = d.UpTo(maxArg)
		must(d, n.Arg != 0)
	}
}

// countParts reads how many arguments or names a node has: at most the number of nodes that a message may have.
func countParts(d *value.Decoder, limit int) int {
	n := d.Count(1)
	must(d, n > 0 && n <= limit)
	if d.Err() != nil {
		return 0
	}
	return n
}

// earlier reads the index of a node before node i.
func earlier(d *value.Decoder, i int) int32 {
	u := d.Uint()
	if u >= uint64(i) {
		d.Fail("a node with a part that does not come before it")
		return -1
	}
	return int32(u)
}

// must fails the decoder unless ok: a part that is present but empty would be a second encoding.
func must(d *value.Decoder, ok bool) {
	if !ok {
		d.Fail("an empty part, or one that its node can't have")
	}
}
