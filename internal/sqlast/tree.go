package sqlast

import (
	"errors"
	"fmt"

	sq "github.com/Masterminds/squirrel"
)

// Recursion is the rows of First and those that Next reaches from them, again and again. The first Keys outputs of
// both tell rows apart, the last is the depth of a row. As a source it has each row once: its keys and, under the
// name of the last output, its least depth. Next reads the rows before it as the source whose Step is the Recursion's
// alias, once; it has to bound the depth, or a cycle in the data goes on for ever.
type Recursion struct {
	First, Next *Select // of equal outputs by name; neither has an order or a limit
	Keys        int
}

// TreePrefix begins the name that the rows of a Recursion have in a statement. No table that a statement reads
// may have such a name: within the Recursion it would be taken for the rows.
const TreePrefix = "exo_tree_"

func treeName(alias string) string { return TreePrefix + alias }

// steps are the recursions whose Next is being checked, and how often it has read the rows before.
type steps map[string]*stepOf

type stepOf struct {
	outputs map[string]extent
	read    int
}

// recursion checks the two arms of a source, and returns its outputs.
func (c *checker) recursion(src Source, outer *scope) (map[string]extent, error) {
	r := src.Recursion
	if r.First == nil || r.Next == nil || r.Keys < 1 || r.Keys >= len(r.First.Columns) || len(r.First.Columns) != len(r.Next.Columns) {
		return nil, errors.New("a recursion has two arms, of equal outputs: keys, and a depth")
	}
	if err := checkIdent(treeName(src.Alias)); err != nil {
		return nil, err
	}
	for i, arm := range []*Select{r.First, r.Next} {
		if len(arm.OrderBy)+len(arm.Limit)+len(arm.Offset)+arm.Group+len(arm.Windows) > 0 {
			return nil, at("arm", i, errors.New("it is sorted, limited or grouped"))
		}
		for k, o := range arm.Columns {
			if o.As != r.First.Columns[k].As {
				return nil, fmt.Errorf("arm[%d]: output %q stands beside %q", i, o.As, r.First.Columns[k].As)
			}
		}
	}
	outputs, err := c.query(r.First, outer)
	if err != nil {
		return nil, at("arm", 0, err)
	}
	step := &stepOf{outputs: map[string]extent{}}
	for name := range outputs { // computed before, and read from there
		step.outputs[name] = extent{1, 1}
	}
	if c.steps == nil {
		c.steps = steps{}
	}
	c.steps[src.Alias] = step
	_, err = c.query(r.Next, outer)
	delete(c.steps, src.Alias)
	if err != nil {
		return nil, at("arm", 1, err)
	}
	if step.read != 1 {
		return nil, errors.New("the second arm of a recursion reads the rows before it once")
	}
	out := map[string]extent{}
	for k, o := range r.First.Columns {
		if k < r.Keys || k == len(r.First.Columns)-1 {
			out[o.As] = extent{1, 1}
		}
	}
	return out, nil
}

// step is a source of the rows before.
func (c *checker) step(src Source) (map[string]extent, error) {
	s := c.steps[src.Step]
	if s == nil {
		return nil, errors.New("it is in no recursion of this name")
	}
	s.read++
	return s.outputs, nil
}

// tree is the select of a Recursion, with what it reads in front.
func tree(src Source, d Dialect) sq.SelectBuilder {
	r, name := src.Recursion, treeName(src.Alias)
	f := newFragment(d).write("WITH RECURSIVE ").name(name).write(" (")
	for i, o := range r.First.Columns {
		if i > 0 {
			f.write(", ")
		}
		f.name(o.As)
	}
	f.write(") AS (").arm(r.First).write(" UNION ").arm(r.Next).write(")")
	b := sq.SelectBuilder{}.PlaceholderFormat(sq.Question).PrefixExpr(f).From(quote(name))
	for i, o := range r.First.Columns[:r.Keys] {
		b = b.Column(quote(o.As)).GroupBy(fmt.Sprint(i + 1))
	}
	depth := quote(r.First.Columns[len(r.First.Columns)-1].As)
	return b.Column("MIN(" + depth + ") AS " + depth)
}

// arm appends a select without parentheses.
func (f *fragment) arm(s *Select) *fragment {
	text, args, err := build(s, f.dialect).ToSql()
	f.err = errors.Join(f.err, err)
	f.text.WriteString(text)
	f.slots = append(f.slots, args...)
	return f
}
