package guest

// This file has the state of a program's side, and what the host knows of it. All files before work with it.

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

// sender is where calls go: see exoeval.Port.
type sender interface {
	Submit(exo.Call) error
}

// holder is a sender that returns rows lazily: see exoeval.Holder.
type holder interface {
	Held(rs *value.Rows) (rows, text int, ok bool)
	Fetch(rs *value.Rows)
}

// Guest is one program in its realm, as far as it holds things: what was granted, what it recorded, what it was given.
type Guest struct {
	realm.Realm
	hint.Hints // with what was granted, and the Checker of it

	Port      sender
	Limits    exo.Limits
	Prog      *front.Program
	MaxResult int // bytes of a result
	MaxDepth  int // nested calls of functions

	IndexOf       func(goja.FunctionCall) goja.Value // of arrays, as the engine made it, where natives are guarded
	plainOps      map[string]goja.Callable
	grants        map[uint32]goja.Value
	recordedProto *goja.Object
	methods       map[methodKey]*method
	rows          map[*goja.Object]*rows // arrays of rows, by the proxies that the program holds
	Frames        []*frame
	HoldsSealed   bool                                   // it was given a sealed value
	grouped       map[*message.Node]bool                 // calls that group by names, where others' libraries go on with an aggregate of each group
	fixed         map[*message.Interface]map[string]bool // see fixedBy
	counted       bool                                   // see guardCounts
	Listens       bool                                   // callbacks of the program are there twice: see hearing
	calculates    goja.Value                             // for a program that checks operands only where there are Decimals: the flag that there are some
	Flagged       bool                                   // functions of the program have two bodies: see recording
	Thrown        map[*goja.Object]thrown
	Fatal         error // a limit that ran out: the program does not go on, caught or not

	lastID   uint64
	Handed   int                     // promises, as unawaited
	Going    map[*Unawaited]struct{} // of those: promises of the program's own code for which nobody waits
	Gathers  bool                    // a function of Promise waits for a list: it calls resolve of its own
	returned *Recorded               // what is sent because the program returned it: the engine itself calls then
	spots    map[spot]fail.Pos       // see place
	Open     map[uint64]openCall
	NoRow    *message.Node // the last call that was answered with null where a row was asked for
	Failed   bool
}

type openCall struct {
	Resolve, Reject func(any) error
	Line, Col       int
	Fixed           map[string]bool // see answer
	Sent            *message.Node
}

// stop ends the program for good: a limit that was caught would be no limit.
func (r *Guest) stop(err error) {
	if r.Fatal == nil {
		r.Fatal = err
	}
	r.VM.Interrupt(err)
}

// Put adds to a map that is made when something is first put into it: most programs need none.
func Put[K comparable, V any](m *map[K]V, k K, v V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[k] = v
}
