package answer

// This file finds what the statement of a message needs, and makes the key of its plan.

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

// asked is a program's message with what its statement needs.
type asked struct {
	m    *exo.Message
	objs []*Object
	vals [][]value.Value // of the grants

	by    *engine.Settings
	unit  *unit.Unit    // of the run, if the run can change the database
	given writing.Given // the new values of a message that writes

	labelled []*Object // of a write: the objects of the same programs that have labelled columns
	beside   []*Object // other objects of the same programs; a write must not bring rows into their scopes; vals has their values, too

	hooked *decl.Facet // the facet with the written rows, if the hooks of its table were asked

	again, probe bool // again: rows sorted by stored values had a misfit; probe: the statement only looks for one: see expr.Engine

	page  *page // of the page, if the message asks for one
	after []value.Value
}

// utc is the default time zone. Statements in it don't mention a zone.
const utc = "UTC"

// shapeKey appends the key of a message's plan: the shapes of its grants, and its own. The plan
// depends on whether there is a time zone other than UTC, and not on which.
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

// page is the number of rows of a page, and the values at its ends.
type page struct {
	size int64
	from []value.Value // the values at which it begins; nil: it is the first page
	next []value.Value // the values of its last row, at which the next page begins; nil: it is the last page
}

func newPage(size int64) (*page, error) {
	if size < 1 {
		return nil, fail.Errorf(fail.Invalid, "page", "the number of rows of a page must be at least 1; got %d", size)
	}
	return &page{size: size}, nil
}

// positionOf returns what a statement depends on in the values of a cursor.
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
