package worker

import (
	"encoding/binary"

	"github.com/exoagent/exoagent/exo"
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

// maxLiterals bounds the values in one message, however large each may be.
const maxLiterals = 200_000

// appendCall writes a message. items is how many values it holds.
func appendCall(b []byte, c exo.Call) (_ []byte, items int) {
	b = begin(b, frameCall)
	b = binary.AppendUvarint(b, c.ID)
	b = appendCount(b, len(c.Expr.Nodes))
	w := valueWriter{b: b}
	for i := range c.Expr.Nodes {
		w.node(&c.Expr.Nodes[i])
	}
	return end(w.b), w.items
}

func (w *valueWriter) node(n *exo.WireNode) {
	var has byte
	for _, p := range [...]struct {
		bit   byte
		there bool
	}{{hasName, n.Name != ""}, {hasRecv, n.Recv >= 0}, {hasArgs, len(n.Args) > 0}, {hasNames, len(n.Names) > 0},
		{hasLit, n.Lit.Kind() != exo.NoValue}, {hasRef, n.Ref != 0}, {hasArg, n.Arg != 0}} {
		if p.there {
			has |= p.bit
		}
	}
	w.b = append(w.b, byte(n.Op), has)
	if has&hasName != 0 {
		w.b = appendText(w.b, n.Name)
	}
	if has&hasRecv != 0 {
		w.b = appendCount(w.b, int(n.Recv))
	}
	if has&hasArgs != 0 {
		w.b = appendCount(w.b, len(n.Args))
		for _, a := range n.Args {
			w.b = appendCount(w.b, int(a))
		}
	}
	if has&hasNames != 0 {
		w.b = appendCount(w.b, len(n.Names))
		for _, s := range n.Names {
			w.b = appendText(w.b, s)
		}
	}
	if has&hasLit != 0 {
		w.value(&n.Lit)
	}
	if has&hasRef != 0 {
		w.b = binary.AppendUvarint(w.b, uint64(n.Ref))
	}
	if has&hasArg != 0 {
		w.b = appendCount(w.b, n.Arg)
	}
}

// decodeCall reads a message of at most nodes nodes. That the catalogue allows
// it is the gate's to see; here it is only well formed.
func decodeCall(s string, nodes int) (c exo.Call, err error) {
	defer recovered(&err)
	r := valueReader{decoder: &decoder{s: s, items: maxLiterals}, sent: &rowsLog{}}
	r.back = true // no rows in a message, neither new ones nor old
	c.ID = r.uint()
	c.Expr.Nodes = make([]exo.WireNode, min(r.count(2), nodes+1))
	if len(c.Expr.Nodes) > nodes {
		r.fail("more nodes than the limit")
	}
	for i := range c.Expr.Nodes {
		if r.err != nil {
			break
		}
		r.node(&c.Expr.Nodes[i], i, nodes)
	}
	return c, r.done()
}

func (r *valueReader) node(n *exo.WireNode, i, nodes int) {
	n.Op, n.Recv = exo.Op(r.byte()), -1
	has := r.byte()
	if has&^hasAll != 0 {
		r.fail("parts that no node has")
	}
	if has&hasName != 0 {
		n.Name = r.utf8()
		r.must(n.Name != "")
	}
	if has&hasRecv != 0 {
		n.Recv = r.earlier(i)
	}
	if has&hasArgs != 0 {
		k := r.count(1)
		r.must(k > 0 && k <= nodes)
		if r.err != nil {
			return
		}
		n.Args = make([]int32, k)
		for a := range n.Args {
			n.Args[a] = r.earlier(i)
		}
	}
	if has&hasNames != 0 {
		k := r.count(1)
		r.must(k > 0 && k <= nodes)
		if r.err != nil {
			return
		}
		n.Names = make([]string, k)
		for a := range n.Names {
			n.Names[a] = r.utf8()
		}
	}
	if has&hasLit != 0 {
		n.Lit = r.value(0)
	}
	if has&hasRef != 0 {
		n.Ref = uint32(r.upTo(1<<32 - 1))
		r.must(n.Ref != 0)
	}
	if has&hasArg != 0 {
		n.Arg = r.upTo(1 << 20)
		r.must(n.Arg != 0)
	}
}

// earlier is the place of a node before node i.
func (r *valueReader) earlier(i int) int32 {
	u := r.uint()
	if u >= uint64(i) {
		r.fail("a node that does not come before it")
		return -1
	}
	return int32(u)
}

// must refuses a second spelling: a part that is there and says nothing.
func (r *valueReader) must(ok bool) {
	if !ok {
		r.fail("an empty part, or one too many")
	}
}

// appendReply writes the answer to a call. Of an error only what a guest may
// read crosses: no text of the host is ever in a worker's memory.
func appendReply(b []byte, p exo.Reply, sent *rowsLog, typ func(uint32) *exo.Type) []byte {
	b = begin(b, frameReply)
	b = binary.AppendUvarint(b, p.ID)
	if p.Err != nil {
		e := asError(p.Err)
		msg, kind := e.Message(), e.Kind
		if kind == exo.Internal || kind == exo.Other {
			msg, kind = "", exo.Internal // not classified: the guest reads that it is ours
		}
		b = append(b, 0, byte(kind))
		b = appendText(appendText(b, e.Op), msg)
		return end(b)
	}
	w := valueWriter{b: append(b, 1), sent: sent, typ: typ, types: appendType}
	w.value(&p.Value)
	return end(w.b)
}

// decodeReply is the worker's. cause stands in errors for what only the host knows.
func decodeReply(s string, sent *rowsLog, typed func(uint32, *exo.Type)) (p exo.Reply, err error) {
	r := valueReader{decoder: &decoder{s: s, items: 1 << 40}, sent: sent, typed: typed}
	if p.ID = r.uint(); r.bool() {
		p.Value = r.value(0)
	} else {
		e := &exo.Error{Kind: exo.Kind(r.byte()), Err: cause(p.ID)}
		e.Op, e.Msg = r.text(), r.text()
		p.Err = e
	}
	return p, r.done()
}
