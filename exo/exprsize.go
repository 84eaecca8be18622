package exo

// Cost is what a part of a message takes besides its texts and values, in bytes.
type Cost struct{ node, arg, name, tag int }

// tagBytes is what each tag of a sealed value in a message counts, however long it is: its length is that of an id in a row, which is
// nothing for a limit to show. An id of 200 bytes has up to 600 in an entry of the record.
const tagBytes = 600

var (
	AsNodes = Cost{256, 12, 48, tagBytes} // a node that was checked, and the lists of its arguments and names
	Encoded = Cost{8, 4, 4, tagBytes}     // no less than in its canonical encoding
)

// BytesUpTo is the size of a message, counted no further than limit.
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
