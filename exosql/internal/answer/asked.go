package answer

// This file collects the data that the statement of a message needs, and makes the key of its plan.

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

// asked is a program's message, together with all that its statement needs.
type asked struct {
	m    *exo.Message
	objs []*Object
	vals [][]value.Value // vals has, for each grant, the values that its scope binds

	by    *engine.Settings
	unit  *unit.Unit    // unit is the run's unit, if the run can change the database
	given writing.Given // given are the new values, if the message writes

	labelled []*Object // labelled are the objects of the same programs with labelled columns, if the message writes
	beside   []*Object // beside are other objects of the same programs; a write must bring no rows into their scopes, and vals has their values too

	hooked *decl.Facet // hooked is the facet through which the message writes, set when the hooks of its table are called; nil: none was called

	again, probe bool // again: the query runs a second time, since rows were sorted by a stored value that does not fit its column; probe: the statement only looks for such a value (see expr.Engine)

	page  *page // page is set if the message asks for a page
	after []value.Value
}

// utc is the default time zone, in which statements mention no zone.
const utc = "UTC"

// shapeKey appends the key of a message's plan: the shapes of its grants and of the message, which are all but their values. The plan
// depends on whether the time zone is UTC, but not on which other zone it is.
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

// page is a page of rows: its number of rows, and the sort values at which it begins and ends.
type page struct {
	size int64
	from []value.Value // from has the sort values after which the page begins; nil for the first page
	next []value.Value // next has the last row's values, at which the next page begins; nil for the last page
}

func newPage(size int64) (*page, error) {
	if size < 1 {
		return nil, fail.Errorf(fail.Invalid, "page", "the number of rows of a page must be at least 1; got %d", size)
	}
	return &page{size: size}, nil
}

// positionOf returns those properties of a cursor's values that the statement of its page depends on. It returns nil for the first page.
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

// appendPosition adds the position to the key of a plan.
func appendPosition(key []byte, after []value.Value) []byte {
	if after == nil {
		return key
	}
	return append(append(append(key, "after "...), positionOf(after)...), ' ')
}
