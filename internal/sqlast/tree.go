package sqlast

import (
	"errors"
	"fmt"

	sq "github.com/Masterminds/squirrel"
)

// Recursion is the rows of First and, repeatedly, the rows that Next reaches from them. In both selects, the first Keys outputs identify a
// row, and the last output is the row's depth. As a source, a Recursion has each row once: its keys, and its least depth under the last
// output's name. Next reads the previous step's rows once, as a source with the Recursion's alias as Step. Next must bound the depth, because
// a cycle in the data would never end.
type Recursion struct {
	First, Next *Select // both have the same output names, and neither has an order or a limit
	Keys        int
}

// TreePrefix begins the name of a Recursion's rows in a statement. No table of a statement may have such a name, because within the Recursion
// it would mean the rows.
const TreePrefix = "exo_tree_"

func treeName(alias string) string { return TreePrefix + alias }

// steps are the recursions with a Next under check, and how often each Next has read the previous rows.
type steps map[string]*stepOf

type stepOf struct {
	outputs map[string]extent
	read    int
}

// recursion checks the two selects of a Recursion, and returns its outputs.
func (c *checker) recursion(src Source, outer *scope) (map[string]extent, error) {
	r := src.Recursion
	if r.First == nil || r.Next == nil || r.Keys < 1 || r.Keys >= len(r.First.Columns) || len(r.First.Columns) != len(r.Next.Columns) {
		return nil, errors.New("a recursion needs First and Next with the same number of outputs: at least one key, and a depth")
	}
	if err := checkIdent(treeName(src.Alias)); err != nil {
		return nil, err
	}
	for i, arm := range []*Select{r.First, r.Next} {
		if len(arm.OrderBy)+len(arm.Limit)+len(arm.Offset)+arm.Group+len(arm.Windows) > 0 {
			return nil, at("arm", i, errors.New("an arm can't be sorted, limited or grouped, or have windows"))
		}
		for k, o := range arm.Columns {
			if o.As != r.First.Columns[k].As {
				return nil, fmt.Errorf("arm[%d]: output %q must have the name %q", i, o.As, r.First.Columns[k].As)
			}
		}
	}
	outputs, err := c.query(r.First, outer)
	if err != nil {
		return nil, at("arm", 0, err)
	}
	step := &stepOf{outputs: map[string]extent{}}
	for name := range outputs { // these were computed before; the source only reads them
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
		return nil, errors.New("the Next of a recursion must read the rows of the previous step exactly once, by a Source with Step")
	}
	out := map[string]extent{}
	for k, o := range r.First.Columns {
		if k < r.Keys || k == len(r.First.Columns)-1 {
			out[o.As] = extent{1, 1}
		}
	}
	return out, nil
}

// step returns the outputs of a source that has the previous rows.
func (c *checker) step(src Source) (map[string]extent, error) {
	s := c.steps[src.Step]
	if s == nil {
		return nil, fmt.Errorf("the Step %q names no recursion around its select", src.Step)
	}
	s.read++
	return s.outputs, nil
}

// tree writes the select of a Recursion, with a WITH clause before it.
func tree(src Source, d Dialect) sq.SelectBuilder {
	r, name := src.Recursion, treeName(src.Alias)
	f := newFragment(d).write("WITH RECURSIVE ").name(name).write(" (")
	for i, o := range r.First.Columns {
		f.sep(i, ", ").name(o.As)
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
