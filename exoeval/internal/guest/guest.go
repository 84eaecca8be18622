package guest

// This file has the state of the program's side, which the other files use.

import (
	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval/internal/front"
	"github.com/exoagent/exoagent/exoeval/internal/guest/hint"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
)

// sender sends the program's calls to the host: see exoeval.Port.
type sender interface {
	Submit(exo.Call) error
}

// holder is a sender that may leave rows in the host until they are read: see exoeval.Holder.
type holder interface {
	Held(rs *value.Rows) (rows, text int, ok bool)
	Fetch(rs *value.Rows)
}

// Guest is the state of one program in its realm: its grants, its recorded expressions, and the data that it got.
type Guest struct {
	realm.Realm
	hint.Hints // hints know the grants and their Checker

	Port      sender
	Limits    exo.Limits
	Prog      *front.Program
	MaxResult int // the most bytes of a result
	MaxDepth  int // the most nested calls of functions

	IndexOf       func(goja.FunctionCall) goja.Value // indexOf of arrays, as the engine made it; nil unless natives are guarded
	plainOps      map[string]goja.Callable
	grants        map[uint32]goja.Value
	recordedProto *goja.Object
	methods       map[methodKey]*method
	rows          map[*goja.Object]*rows // the rows of replies, by the proxy that the program has
	Frames        []*frame
	HoldsSealed   bool                                   // set when the program gets a sealed value
	grouped       map[*message.Node]bool                 // calls that group by names of fields: an aggregate right after such a call is an error, since it could mean the number of groups
	fixed         map[*message.Interface]map[string]bool // the results of fixedBy, by interface
	counted       bool                                   // guardCounts has run
	Listens       bool                                   // some callbacks of the program have two bodies: see Hearing
	watched       map[string]bool                        // the interfaces that watch has seen
	calculates    goja.Value                             // the function that turns on the program's checks of operands; nil after its call, or if the program has none
	Flagged       bool                                   // some functions of the program have two bodies: see Recording
	Thrown        map[*goja.Object]thrown
	Fatal         error // an exceeded limit: the program ends, even if it catches the error

	lastID   uint64
	Handed   int                     // the number of promises that the program got as Unawaited
	Going    map[*Unawaited]struct{} // promises of the program's own code that nothing waits for
	Gathers  bool                    // Promise.all or its like is calling Promise.resolve for the items of a list
	returned *Recorded               // the described thing that the program returned, while it is sent; an error gets the place where the thing was made
	spots    map[spot]fail.Pos       // the results of place, by the engine's position
	Open     map[uint64]openCall
	NoRow    *message.Node // the last call that asked for a row and got null
	Failed   bool
}

type openCall struct {
	Resolve, Reject func(any) error
	Line, Col       int
	Fixed           map[string]bool // fields that can't be assigned in the reply: see Answer
	Sent            *message.Node
}

// stop ends the program with an error that it can't catch. A limit that a program can catch would not bound it.
func (r *Guest) stop(err error) {
	if r.Fatal == nil {
		r.Fatal = err
	}
	r.VM.Interrupt(err)
}

// Put adds to a map. It makes a nil map first, because most programs need none.
func Put[K comparable, V any](m *map[K]V, k K, v V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[k] = v
}
