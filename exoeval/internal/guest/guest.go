package guest

// This file has the state of a program's side, and what the host knows about it. The other files use it.

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

// sender receives the calls: see exoeval.Port.
type sender interface {
	Submit(exo.Call) error
}

// holder is a sender that may leave rows in the host until they are read: see exoeval.Holder.
type holder interface {
	Held(rs *value.Rows) (rows, text int, ok bool)
	Fetch(rs *value.Rows)
}

// Guest is the state of one program in its realm: its grants, what it recorded, and what it got.
type Guest struct {
	realm.Realm
	hint.Hints // with the grants and their Checker

	Port      sender
	Limits    exo.Limits
	Prog      *front.Program
	MaxResult int // bytes that a result may have
	MaxDepth  int // nested calls of functions that are allowed

	IndexOf       func(goja.FunctionCall) goja.Value // of arrays, as the engine made it; set if natives are guarded
	plainOps      map[string]goja.Callable
	grants        map[uint32]goja.Value
	recordedProto *goja.Object
	methods       map[methodKey]*method
	rows          map[*goja.Object]*rows // arrays of rows, by the proxy that the program has
	Frames        []*frame
	HoldsSealed   bool                                   // the program got a sealed value
	grouped       map[*message.Node]bool                 // calls that group by names; other libraries continue with an aggregate of each group
	fixed         map[*message.Interface]map[string]bool // see fixedBy
	counted       bool                                   // see guardCounts
	Listens       bool                                   // callbacks of the program have two bodies: see hearing
	calculates    goja.Value                             // if the program checks operands only when there are Decimals: the function that sets this flag
	Flagged       bool                                   // functions of the program have two bodies: see Recording
	Thrown        map[*goja.Object]thrown
	Fatal         error // a limit that was exceeded: the program ends, even if it catches the error

	lastID   uint64
	Handed   int                     // promises that were handed out as Unawaited
	Going    map[*Unawaited]struct{} // promises of the program's own code for which nobody waits
	Gathers  bool                    // a function of Promise waits for a list: it calls its own resolve
	returned *Recorded               // it is sent because the program returned it: the engine itself calls then
	spots    map[spot]fail.Pos       // see place
	Open     map[uint64]openCall
	NoRow    *message.Node // the last call that asked for a row and got null
	Failed   bool
}

type openCall struct {
	Resolve, Reject func(any) error
	Line, Col       int
	Fixed           map[string]bool // see Answer
	Sent            *message.Node
}

// stop ends the program, which can't catch the error: a limit that can be caught would not hold.
func (r *Guest) stop(err error) {
	if r.Fatal == nil {
		r.Fatal = err
	}
	r.VM.Interrupt(err)
}

// Put adds to a map, and makes the map first if it is nil: most programs need none.
func Put[K comparable, V any](m *map[K]V, k K, v V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[k] = v
}
