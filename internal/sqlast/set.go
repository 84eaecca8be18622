package sqlast

import (
	"errors"
	"fmt"

	sq "github.com/Masterminds/squirrel"
)

var sets = [numSets]constant{Union: "UNION ", UnionAll: "UNION ALL ", Intersect: "INTERSECT ", Except: "EXCEPT "}

// arms checks the two selects of a set, and returns the outputs of the set.
func (c *checker) arms(src Source, outer *scope) (map[string]extent, error) {
	if src.Set == NoSet || src.Set >= numSets || src.Sub == nil || src.With == nil {
		return nil, errors.New("a set needs Sub, With, and one of the operators")
	}
	outputs := map[string]extent{}
	for i, arm := range []*Select{src.Sub, src.With} {
		if len(arm.OrderBy)+len(arm.Limit)+len(arm.Offset) > 0 {
			return nil, at("arm", i, errors.New("an arm can't have an order, a limit or an offset: SQL would apply it to the whole set"))
		}
		if len(arm.Columns) != len(src.Sub.Columns) {
			return nil, errors.New("the arms have different numbers of columns")
		}
		of, err := c.query(arm, outer)
		if err != nil {
			return nil, at("arm", i, err)
		}
		for k, o := range arm.Columns {
			if o.As != src.Sub.Columns[k].As {
				return nil, fmt.Errorf("arm[%d]: output %q must have the name %q", i, o.As, src.Sub.Columns[k].As)
			}
			// The planner may move an outer condition into both arms. It then copies the condition, so both sizes count.
			outputs[o.As] = extent{outputs[o.As].nodes + of[o.As].nodes, max(outputs[o.As].height, of[o.As].height)}
		}
	}
	return outputs, nil
}

// derived builds the select of a source, or both selects of a set.
func derived(src Source, d Dialect) sq.SelectBuilder {
	if src.Recursion != nil {
		return tree(src, d)
	}
	b := build(src.Sub, d)
	if src.Set == NoSet {
		return b
	}
	f := newFragment(d).write(sets[src.Set])
	text, args, err := build(src.With, d).ToSql()
	f.err, f.slots = err, args
	f.text.WriteString(text)
	return b.SuffixExpr(f)
}
