package plan

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/fence"
)

// Keep copies the plan for the cache. Its names are substrings of a program's message, so a name of
// five bytes would keep a frame of 8 MB in memory. (Five such programs used 4 GB.)
func (p *Plan) Keep() (*Plan, int) {
	k := *p
	k.Text, k.Typed, k.Args, k.Cells = strings.Clone(p.Text), strings.Clone(p.Typed), slices.Clone(p.Args), slices.Clone(p.Cells)
	k.Reads = maps.Clone(p.Reads)
	owners := 0
	for _, c := range k.Cells { // the texts of owners belong to declarations, so they are not copied
		if c.Owner != nil {
			owners += size[Owner]() + len(c.Owner.Tags)*size[string]() + len(c.Owner.Cells)*8
		}
	}
	n := size[Plan]() + len(k.Text) + len(k.Typed) + cap(k.Args)*size[Source]() + keepCells(k.Cells) + owners
	for _, cols := range k.Reads { // the names belong to declarations, so they are not copied
		n += mapBytes * (1 + len(cols))
	}
	var shape int
	k.Shape, shape = keepShape(p.Shape)
	k.Bytes = n + shape
	k.Notices = slices.Clone(p.Notices)
	for _, s := range k.Notices {
		k.Bytes += size[string]() + len(s)
	}
	if p.Open != nil {
		var open int
		k.Open, open = p.Open.Keep()
		k.Bytes += open
	}
	k.Tables = slices.Clone(p.Tables) // the names belong to declarations, or are our own aliases
	k.Derived = slices.Clone(p.Derived)
	k.Bytes += len(k.Derived) * (size[string]() + 4)
	for _, t := range k.Tables {
		k.Bytes += size[fence.Table]() + len(t.Alias) + len(t.Scope)*(size[fence.Equality]()+8) + len(t.Links)*(size[fence.Match]()+8) + len(t.Gates)*(size[string]()+4)
	}
	return &k, k.Bytes
}

// mapBytes is the approximate size of one entry of a small map.
const mapBytes = 64

// size returns the bytes of a value of the type, without what it points to.
func size[T any]() int { return int(reflect.TypeFor[T]().Size()) }

func keepShape(s *value.Shape) (*value.Shape, int) {
	if s == nil {
		return nil, 0
	}
	k := &value.Shape{Names: slices.Clone(s.Names), Subs: slices.Clone(s.Subs)}
	n := size[value.Shape]() + cap(k.Names)*size[string]() + cap(k.Subs)*size[*value.Shape]()
	for i := range k.Names {
		k.Names[i] = strings.Clone(k.Names[i])
		n += len(k.Names[i])
	}
	for i := range k.Subs {
		var sub int
		k.Subs[i], sub = keepShape(k.Subs[i])
		n += sub
	}
	return k, n
}
