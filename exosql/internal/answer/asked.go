package answer

// This file has a message with what its statement needs, and the key of its plan.

import (
	"strconv"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/compile"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/shape"
	"github.com/exoagent/exoagent/exosql/internal/unit"
	"github.com/exoagent/exoagent/exosql/internal/writing"
)

// asked is a guest's message with what its statement needs.
type asked struct {
	m    *exo.Message
	objs []*Object
	vals [][]value.Value // of the grants

	by    *engine.Settings
	unit  *unit.Unit    // of work, where the run can change the database
	given writing.Given // of a message that writes

	labelled []*Object // of the same programs, with labelled columns; of a write
	beside   []*Object // of the same programs, against whose scopes it is held; vals has their values, too

	hooked *decl.Facet // whose rows it writes, where hooks of its table were asked

	again, probe bool // rows that are sorted as columns are stored had a misfit, or are looked through for one: see expr.Engine

	page  *page // of a page, or nil
	after []value.Value
}

// utc is the time zone of what has none, of which statements say nothing.
const utc = "UTC"

// shapeKey is the key of a message's plan: the shapes of its grants, and its own. Which time zone it is
// does not matter, but whether there is one does.
func shapeKey(key []byte, a *asked) []byte {
	if a.m.Zone() != utc {
		key = append(key, "zoned "...)
	}
	if a.again {
		key = append(key, "again "...)
	}
	if a.probe {
		key = append(key, "probe "...)
	}
	key = appendPosition(key, a.after)
	for _, o := range a.objs {
		key = append(strconv.AppendUint(key, o.Ready().Grant.Shape, 10), ',')
	}
	return append(append(key, '|'), a.m.Shape...)
}

func grantsOf(objs []*Object) []shape.Prepared {
	out := make([]shape.Prepared, len(objs))
	for i, o := range objs {
		out[i] = o.Ready().Grant
	}
	return out
}

// page is how many rows a page has, and what is told of it.
type page struct {
	size int64
	from []value.Value // the values by which it begins; nil: it is the first one
	next []value.Value // the values of its last row by which the next page begins; nil: it is the last one
}

func newPage(size int64) (*page, error) {
	if size < 1 {
		return nil, fail.Errorf(fail.Invalid, "page", "the number of rows of a page must be at least 1; got %d", size)
	}
	return &page{size: size}, nil
}

// positionOf is what a statement depends on in the values of a cursor.
func positionOf(after []value.Value) compile.Position {
	if after == nil {
		return nil
	}
	at := make(compile.Position, len(after))
	for i, v := range after {
		switch at[i] = compile.AtValue; v.Type() {
		case value.TypeNull:
			at[i] = compile.AtNull
		case value.TypeList:
			at[i] = compile.AtCell
		}
	}
	return at
}

// appendPosition adds the same to the key of a plan.
func appendPosition(key []byte, after []value.Value) []byte {
	if after == nil {
		return key
	}
	return append(append(append(key, "after "...), positionOf(after)...), ' ')
}
