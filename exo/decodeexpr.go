package exo

// ReadExpr reads a message of at most limit nodes, in the order in which (*Node).Expr writes
// them. It holds at most 200,000 values and names.
func ReadExpr(d *Decoder, limit int) (x Expr) {
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
		d.Fail("nodes in another order than that of the message")
		return Expr{}
	}
	return x
}

func readNode(d *Decoder, n *WireNode, i, limit int) {
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

// countParts reads how many arguments or names a node has: no more than a message has nodes.
func countParts(d *Decoder, limit int) int {
	n := d.Count(1)
	must(d, n > 0 && n <= limit)
	if d.Err() != nil {
		return 0
	}
	return n
}

// earlier is the place of a node before node i.
func earlier(d *Decoder, i int) int32 {
	u := d.Uint()
	if u >= uint64(i) {
		d.Fail("a node that does not come before it")
		return -1
	}
	return int32(u)
}

// must refuses a second spelling: a part that is there and says nothing.
func must(d *Decoder, ok bool) {
	if !ok {
		d.Fail("an empty part, or one too many")
	}
}
