package sqlast

import "errors"

// These bound a tree. A tree may share branches, and then be exponentially larger than its memory, or contain itself. Engines have their own
// bounds, which show only when the statement is prepared, or not at all. Both engines replace a derived table's column by its expression, so a
// sum x+x over a sum x+x doubles with each layer. SQLite took 12 seconds for 22 layers, and no limit stopped it. maxNodes counts the tree
// after the replacement.
//
// SQLite refuses an expression deeper than 1000, and adds up the depths of the expressions around a nested select, so 43 nested selects are
// too many.
const (
	maxNodes = 50_000
	maxDepth = 400
	maxSum   = 900
)

// Render returns these errors for a tree that is too large for an engine; errors.Is finds them.
var (
	ErrLarge = errors.New("the statement is too large for the database")
	ErrDeep  = errors.New("the statement is nested too deeply for the database")
)

// size measures a tree during the walk.
type size struct {
	nodes   int
	depth   int // the depth of the present node
	deepest int // the greatest depth in the present root
	sum     int // the sum of the heights of nested roots, below the present root
}

// extent is the size that an expression adds where an engine puts it.
type extent struct{ nodes, height int }

// enter counts a node that is n levels high. leave(n) goes back up.
func (z *size) enter(n int) error {
	z.depth += n
	z.nodes++
	z.deepest = max(z.deepest, z.depth)
	switch {
	case z.depth > maxDepth:
		return ErrDeep
	case z.nodes > maxNodes:
		return ErrLarge
	}
	return nil
}

func (z *size) leave(n int) { z.depth -= n }

// stand counts an expression that an engine will put in this place.
func (z *size) stand(e extent) error {
	defer z.leave(e.height)
	z.nodes += e.nodes
	return z.enter(e.height)
}

// root measures an expression that is not part of another one in its Select.
func (z *size) root(walk func() error) (extent, error) {
	nodes, deepest, sum := z.nodes, z.deepest, z.sum
	z.deepest, z.sum = z.depth, 0
	if err := walk(); err != nil {
		return extent{}, err
	}
	height := z.deepest - z.depth
	z.sum += height
	if z.sum > maxSum {
		return extent{}, ErrDeep
	}
	z.deepest, z.sum = max(deepest, z.deepest), max(sum, z.sum)
	return extent{z.nodes - nodes, height}, nil
}

// levels returns how many levels SQLite's parser makes of a node. A chain of n operands has n-1 levels. NOT IN is a NOT over an IN, and a
// single query in a list has a sign before it.
func levels(e Expr) int {
	switch e := e.(type) {
	case Call:
		return max(1, len(e.Args)-1)
	case In:
		n := 1
		if e.Not {
			n++
		}
		if e.alone() {
			n++
		}
		return n
	case Exists:
		if e.Not {
			return 2
		}
	}
	return 1
}
