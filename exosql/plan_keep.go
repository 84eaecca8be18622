package exosql

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo"
)

// Keep copies the plan for the cache. The names in it are a program's: cut out of its
// message, one of five bytes keeps a frame of 8 MB (five such programs made 4 GB).
func (p *plan) Keep() (*plan, int) {
	k := *p
	k.text, k.args, k.cells = strings.Clone(p.text), slices.Clone(p.args), slices.Clone(p.cells)
	k.reads = maps.Clone(p.reads)
	n := size[plan]() + len(k.text) + cap(k.args)*size[argSource]() + cap(k.cells)*size[cell]()
	for i := range k.cells {
		k.cells[i].name = strings.Clone(k.cells[i].name)
		n += len(k.cells[i].name)
	}
	for _, cols := range k.reads { // the names are those of declarations
		n += mapBytes * (1 + len(cols))
	}
	var shape int
	k.shape, shape = keepShape(p.shape)
	k.bytes = n + shape
	return &k, k.bytes
}

// mapBytes is roughly what one entry of a small map takes.
const mapBytes = 64

// size is how many bytes a value of the type has, without what it points to.
func size[T any]() int { return int(reflect.TypeFor[T]().Size()) }

func keepShape(s *exo.Shape) (*exo.Shape, int) {
	if s == nil {
		return nil, 0
	}
	k := &exo.Shape{Names: slices.Clone(s.Names), Subs: slices.Clone(s.Subs)}
	n := size[exo.Shape]() + cap(k.Names)*size[string]() + cap(k.Subs)*size[*exo.Shape]()
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
