package message

// This file writes an expression as a message, and checks a message that a guest sent, which is the checker's last step.

import (
	"slices"
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Expr is an expression as a message: a flat list, in which each node follows the nodes that it
// uses, and the root is last. A guest sends it to the host, which does not trust it.
type Expr struct{ Nodes []WireNode }

// WireNode is one node of an Expr. Recv and Args are indexes of earlier nodes; Recv is -1 if the
// node has no receiver.
type WireNode struct {
	Op    Op
	Name  string
	Names []string
	Recv  int32
	Args  []int32
	Lit   value.Value
	Ref   uint32
	Arg   int
}

// Expr writes n, and all nodes that it uses, as a message.
func (n *Node) Expr() Expr {
	f := flattener{order: make([]*Node, 0, min(int(n.size), few))} // n.size counts the nodes of the tree, in which shared nodes count again, so it may exceed the number of nodes
	f.visit(n)
	nodes := make([]WireNode, len(f.order))
	for i, n := range f.order {
		w := &nodes[i]
		*w = WireNode{Op: n.Op, Name: n.Name, Names: n.Names, Lit: n.Lit, Ref: n.Ref, Arg: n.Arg, Recv: -1}
		if n.Recv != nil {
			w.Recv = f.at(n.Recv)
		}
		if len(n.Args) > 0 {
			w.Args = make([]int32, len(n.Args))
			for k, a := range n.Args {
				w.Args[k] = f.at(a)
			}
		}
	}
	return Expr{nodes}
}

// flattener puts nodes in order, each after the nodes that it uses.
type flattener struct {
	order []*Node
	index map[*Node]int32 // the index of each node in order; nil while there are few nodes
}

// few is the largest number of nodes for which a search is quicker than a map.
const few = 48

// at returns the index of n in f.order, or -1.
func (f *flattener) at(n *Node) int32 {
	if f.index == nil {
		return int32(slices.Index(f.order, n))
	}
	if i, ok := f.index[n]; ok {
		return i
	}
	return -1
}

func (f *flattener) visit(n *Node) { // this recursion is bounded, since nodes have a depth limit
	if n == nil || f.at(n) >= 0 {
		return
	}
	f.visit(n.Recv)
	for _, a := range n.Args {
		f.visit(a)
	}
	f.order = append(f.order, n)
	if f.index == nil && len(f.order) > few {
		f.index = make(map[*Node]int32, 4*few)
		for i, x := range f.order {
			f.index[x] = int32(i)
		}
	} else if f.index != nil {
		f.index[n] = int32(len(f.order) - 1)
	}
}

// Checked is a message that a catalogue allows. Its constants are replaced by indexes: two messages of one Shape differ in Args only.
type Checked struct {
	Root    *Node         // an OpCall of a method that sends
	Shape   string        // the message without its arguments, which is the key of plan caches
	Args    []value.Value // the literals of the message, in the order of their nodes
	Refs    []uint32      // the objects of the message, each once, in the order of their nodes
	Label   value.Label   // the joined label of everything that the message mentions
	Catalog Catalog
}

// Check makes a message from an expression that a guest sent. It makes every node again, with the
// same code as the recorder, so a guest that bypasses the recorder gains nothing. Texts are copied,
// so that the message does not keep the memory of x.
func (c *Checker) Check(x Expr) (*Checked, error) {
	if len(x.Nodes) == 0 {
		return nil, fail.Errorf(fail.Invalid, "", "the message has no nodes")
	}
	if len(x.Nodes) > c.Bounds.Nodes {
		return nil, fail.Errorf(fail.Limit, "", "the expression is too large: it has more than %d names, calls and values", c.Bounds.Nodes)
	}
	// Most messages are short, so these arrays, which only the check needs, stay on the stack.
	var fewNodes [32]*Node
	var fewUsed [32]bool
	nodes, used := fewNodes[:], fewUsed[:]
	if len(x.Nodes) > len(fewNodes) {
		nodes, used = make([]*Node, len(x.Nodes)), make([]bool, len(x.Nodes))
	}
	nodes, used = nodes[:len(x.Nodes)], used[:len(x.Nodes)]
	for i := range x.Nodes {
		w := &x.Nodes[i]
		get := func(j int32) *Node {
			if j < 0 || int(j) >= i {
				return nil
			}
			used[j] = true
			return nodes[j]
		}
		// A node with more parts than a whole tree may have is refused before its parts are compared with each
		// other, which would cost time.
		if l := c.Bounds.Nodes; len(w.Args) > l || len(w.Names) > l {
			return nil, fail.Errorf(fail.Limit, "", "the expression is too large: it has more than %d names, calls and values", l)
		}
		recv := get(w.Recv)
		if w.Recv != -1 && recv == nil {
			return nil, badMessage(i, "refers to a node that is not before it in the message")
		}
		args := make([]*Node, 0, len(w.Args))
		for _, j := range w.Args {
			a := get(j)
			if a == nil {
				return nil, badMessage(i, "refers to a node that is not before it in the message")
			}
			args = append(args, a)
		}
		n, err := c.remake(i, w, recv, args)
		if err != nil {
			return nil, err
		}
		nodes[i] = n
	}
	for i := range used[:len(used)-1] {
		// Refuse a node that the root does not use, since its label and its cost would not be counted.
		if !used[i] {
			return nil, badMessage(i, "is not used")
		}
	}
	root := nodes[len(nodes)-1]
	if !root.sends {
		return nil, badMessage(len(nodes)-1, "does not send anything")
	}
	if !root.Closed() {
		return nil, badMessage(len(nodes)-1, "depends on a callback")
	}
	out := &Checked{Root: root, Label: root.label, Catalog: c.Catalog}
	s := shaper{out: out, b: make([]byte, 0, 32*len(nodes))}
	s.node(root)
	out.Shape = string(s.b)
	return out, nil
}

// MapLiterals copies m and applies f to each literal. The copy has no Shape, since a Shape contains static literals.
func (m *Checked) MapLiterals(f func(value.Value) value.Value) Checked {
	c := *m
	c.Shape, c.Root, c.Args = "", m.Root.mapLiterals(f, map[*Node]*Node{}), slices.Clone(m.Args)
	for i, v := range c.Args {
		c.Args[i] = f(v)
	}
	return c
}

func (n *Node) mapLiterals(f func(value.Value) value.Value, done map[*Node]*Node) *Node {
	if n == nil || done[n] != nil {
		return done[n]
	}
	c := *n
	done[n] = &c
	c.Lit, c.Recv, c.Args = f(n.Lit), n.Recv.mapLiterals(f, done), slices.Clone(n.Args)
	for i, a := range c.Args {
		c.Args[i] = a.mapLiterals(f, done)
	}
	return &c
}

func badMessage(i int, why string) *fail.Error {
	return fail.Errorf(fail.Invalid, "", "bad message: node %d %s", i, why)
}

// remake makes node w again. Fields that a node of its kind doesn't use must be empty. Otherwise
// equal messages would have different plan keys, and unused fields could carry unchecked data.
func (c *Checker) remake(i int, w *WireNode, recv *Node, args []*Node) (*Node, error) {
	if w.Op != OpLit && !w.Lit.IsZero() || w.Op != OpRef && w.Ref != 0 || w.Op != OpParam && w.Arg != 0 ||
		w.Op != OpRecord && len(w.Names) != 0 || (recv != nil) != (w.Op == OpField || w.Op == OpCall || w.Op == OpParam || w.Op == OpLambda) {
		return nil, badMessage(i, "has a part that a node of its kind can't have")
	}
	if (w.Op == OpField || w.Op == OpCall || w.Op == OpParam) != (w.Name != "") ||
		len(args) > 0 && (w.Op == OpRef || w.Op == OpLit || w.Op == OpField) {
		return nil, badMessage(i, "has a part that a node of its kind can't have")
	}
	if w.Op == OpField || w.Op == OpCall {
		if recv.sends {
			return nil, badMessage(i, "follows a call that was sent")
		}
	}
	for _, a := range args {
		if a.sends {
			return nil, badMessage(i, "has a call that is sent as an argument")
		}
		if a.Op == OpParam && w.Op != OpCall && w.Op != OpRecord && w.Op != OpList && w.Op != OpLambda && w.Op != OpParam {
			return nil, badMessage(i, "has the parameter of a callback where none can be")
		}
	}
	switch w.Op {
	case OpRef:
		return c.MakeRef(w.Ref)
	case OpLit:
		n, err := c.MakeLit(w.Lit)
		if err == nil {
			n.Lit = n.Lit.Clone()
		}
		return n, err
	case OpParam:
		return c.MakeParam(recv, w.Name, w.Arg, append([]*Node(nil), args...))
	case OpField:
		n, err := c.MakeField(recv, w.Name)
		if err == nil {
			n.Name = strings.Clone(n.Name)
		}
		return n, err
	case OpCall:
		return c.MakeCall(recv, w.Name, args)
	case OpLambda:
		if len(args) != 1 {
			return nil, badMessage(i, "is a callback that does not have exactly one result")
		}
		return c.MakeLambda(recv, args[0])
	case OpRecord:
		return c.MakeRecord(cloneNames(w.Names), append([]*Node(nil), args...))
	case OpList:
		return c.MakeList(append([]*Node(nil), args...))
	}
	return nil, badMessage(i, "is of no known kind")
}

// shaper writes the shape of a checked message. It walks the checked nodes, not the received ones:
// a call may have replaced a literal by a converted copy.
type shaper struct {
	out *Checked
	b   []byte
	n   int32 // the number of nodes written so far
}

func (s *shaper) node(n *Node) {
	if n == nil {
		s.b = append(s.b, '_')
		return
	}
	if n.written > 0 {
		s.b = append(s.b, '^')
		s.b = strconv.AppendInt(s.b, int64(n.written-1), 10)
		s.b = append(s.b, ';')
		return
	}
	s.n++
	n.written = s.n
	s.b = append(s.b, "?rlpfcLRA"[n.Op])
	switch n.Op {
	case OpRef:
		n.Slot = -1
		for i, r := range s.out.Refs {
			if r == n.Ref {
				n.Slot = i
			}
		}
		if n.Slot < 0 {
			n.Slot = len(s.out.Refs)
			s.out.Refs = append(s.out.Refs, n.Ref)
		}
		s.b = strconv.AppendInt(s.b, int64(n.Slot), 10)
		s.b = append(s.b, ';')
		return
	case OpLit:
		s.lift(n)
		return
	case OpParam:
		s.node(n.Recv)
		s.text(n.Name)
		s.b = strconv.AppendInt(s.b, int64(n.Arg), 10)
		s.b = append(s.b, ';')
		return // the other arguments of the call are written with the call
	case OpRecord:
		for _, name := range n.Names {
			s.text(name)
		}
	case OpField, OpCall:
		s.text(n.Name)
	}
	s.node(n.Recv)
	s.b = append(s.b, '(')
	for i, a := range n.Args {
		if n.Op == OpCall && n.method.Params[i].Static {
			// A static literal becomes part of the shape itself.
			s.static(a.Lit)
			continue
		}
		s.node(a)
	}
	s.b = append(s.b, ')')
}

// lift replaces a literal by an argument of the message. The shape keeps what the plan depends on: the literal's kind,
// whether it is null, whether a text has the digits of a wide number, and a class of a list's length.
func (s *shaper) lift(n *Node) {
	n.Slot = len(s.out.Args)
	s.out.Args = append(s.out.Args, n.Lit)
	s.literal(n.Lit, 0)
}

func (s *shaper) literal(v value.Value, depth int) {
	s.b = append(s.b, "?nbiftTlrwRS"[v.Kind()])
	switch v.Kind() {
	case value.KindText:
		if scalar.Wide(v.Text()) { // a text of many digits may be meant as a number, so it has another shape than other texts
			s.b = append(s.b, '+')
		}
	case value.KindList:
		items := v.Items()
		kinds := uint32(0)
		for _, x := range items {
			kinds |= 1 << x.Kind()
			if x.Kind() == value.KindText && scalar.Wide(x.Text()) {
				kinds |= 1 << 31
			}
		}
		s.b = strconv.AppendInt(s.b, int64(scalar.ListClass(len(items))), 10)
		s.b = append(s.b, ',')
		s.b = strconv.AppendInt(s.b, int64(kinds), 10)
		s.b = append(s.b, ';')
		if kinds&(1<<value.KindList|1<<value.KindRecord) != 0 {
			// The names of records are part of the shape, so each item is written.
			s.b = strconv.AppendInt(s.b, int64(len(items)), 10)
			s.b = append(s.b, ';')
			for _, x := range items {
				s.literal(x, depth+1)
			}
		}
	case value.KindSealed:
		s.text(v.SealedType())
	case value.KindRecord:
		for _, f := range v.FieldList() {
			s.text(f.Name)
			s.literal(f.Value, depth+1)
		}
		s.b = append(s.b, ';')
	}
}

// static writes the whole value into the shape. An alias, for instance, decides what names in the message mean.
func (s *shaper) static(v value.Value) {
	s.literal(v, 0)
	b, _ := v.AppendJSON(nil) // no error: a literal is always plain data
	s.text(string(b))
}

func (s *shaper) text(t string) {
	s.b = strconv.AppendInt(s.b, int64(len(t)), 10)
	s.b = append(s.b, ':')
	s.b = append(s.b, t...)
}

// cloneNames copies names.
func cloneNames(ns []string) []string {
	ns = slices.Clone(ns)
	for i := range ns {
		ns[i] = strings.Clone(ns[i])
	}
	return ns
}

// Cost is how many bytes each part of a message counts for, in addition to its texts and values.
type Cost struct{ node, arg, name, tag int }

// tagBytes is how many bytes each tag of a sealed value counts for, whatever its length. A tag contains the id of a
// row, and a limit must not reveal the length of that id. An id of 200 bytes takes up to 600 in an entry of the record.
const tagBytes = 600

var (
	AsNodes = Cost{256, 12, 48, tagBytes} // AsNodes estimates the memory of a checked node, with its lists of arguments and names
	Encoded = Cost{8, 4, 4, tagBytes}     // Encoded is at least the size of the canonical encoding
)

// BytesUpTo returns the size of a message. It stops counting above limit.
func (x Expr) BytesUpTo(limit int, of Cost) int {
	n := 0
	for i := 0; i < len(x.Nodes) && n <= limit; i++ {
		w := &x.Nodes[i]
		n += of.node + len(w.Name) + of.arg*len(w.Args)
		for _, name := range w.Names {
			n += of.name + len(name)
		}
		n += w.Lit.BytesUpTo(max(0, limit-n), of.tag)
	}
	return n
}
