package compile

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/scope"
)

// Prepared is a grant as plans are made of it.
type Prepared struct {
	grant scope.Grant // with origin 0; the compiler sets it
	Shape uint64      // equal for grants that differ in values only
	Vals  []exo.Value // what the shape has not
}

// Prepare closes the scopes of what the facet reaches from r, and freezes it all.
func Prepare(fc *decl.Facet, r *decl.Relation) (Prepared, error) {
	reach, err := fc.Close()
	if err != nil {
		return Prepared{}, err
	}
	var links []*decl.Link
	for _, f := range reach {
		f.Table.Freeze()
		for _, l := range f.Links {
			links = append(links, l.L)
		}
	}
	followed, err := scope.Chain(r)
	if err != nil {
		return Prepared{}, err
	}
	ss, err := scope.Close(r.Grant(), r.Table, followed, links)
	if err != nil {
		return Prepared{}, err
	}
	for s := r; s != nil; s = s.Prev {
		for _, by := range s.Order {
			if !by.Col.Label.Public() {
				return Prepared{}, fmt.Errorf("exosql: the relation is sorted by %s.%s, which is labelled: programs would see its order and carry no label", s.Table.Name, by.Col.Name)
			}
		}
	}
	var s shaper
	g := s.grant(reach, r, ss, followed)
	return Prepared{g, shapeID(string(s.key)), s.vals}, nil
}

// shapeIDs numbers the shapes of grants, so that plan keys stay short. It grows
// with the declarations of the program, not with its users or requests: it holds
// structure only, so facets that are built anew for each request have one shape.
var (
	shapeMu   sync.Mutex
	shapeIDs  = map[string]uint64{}
	shapeNext atomic.Uint64
)

func shapeID(s string) uint64 {
	shapeMu.Lock()
	defer shapeMu.Unlock()
	id, ok := shapeIDs[s]
	if !ok {
		id = shapeNext.Add(1)
		shapeIDs[s] = id
	}
	return id
}
