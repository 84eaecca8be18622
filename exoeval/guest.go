package exoeval

import (
	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval/internal/front"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
)

// What a program holds, and what the host knows of it. All files before work with it.

// sender is where calls go: see exoeval.Port.
type sender interface {
	Submit(exo.Call) error
}

// holder is a sender that returns rows lazily: see exoeval.Holder.
type holder interface {
	Held(rs *exo.Rows) (rows, text int, ok bool)
	Fetch(rs *exo.Rows)
}

// guest is one program in its realm, as far as it holds things: what was granted, what it recorded, what it was given.
type guest struct {
	realm.Realm

	port      sender
	check     *exo.Checker
	granted   []exo.GrantedName
	limits    exo.Limits
	prog      *front.Program
	maxResult int // bytes of a result
	maxDepth  int // nested calls of functions

	indexOf       func(goja.FunctionCall) goja.Value // of arrays, as the engine made it, where natives are guarded
	plainOps      map[string]goja.Callable
	grants        map[uint32]goja.Value
	recordedProto *goja.Object
	methods       map[methodKey]*method
	rows          map[*goja.Object]*rows // arrays of rows, by the proxies that the program holds
	frames        []*frame
	holdsSealed   bool                               // it was given a sealed value
	grouped       map[*exo.Node]bool                 // calls that group by names, where others' libraries go on with an aggregate of each group
	fixed         map[*exo.Interface]map[string]bool // see fixedBy
	counted       bool                               // see guardCounts
	listens       bool                               // callbacks of the program are there twice: see hearing
	flagged       bool                               // functions of the program have two bodies: see recording
	thrown        map[*goja.Object]thrown
	fatal         error // a limit that ran out: the program does not go on, caught or not

	lastID   uint64
	handed   int                     // promises, as unawaited
	going    map[*unawaited]struct{} // of those: promises of the program's own code for which nobody waits
	gathers  bool                    // a function of Promise waits for a list: it calls resolve of its own
	returned *recorded               // what is sent because the program returned it: the engine itself calls then
	spots    map[spot]exo.Pos        // see place
	open     map[uint64]openCall
	noRow    *exo.Node // the last call that was answered with null where a row was asked for
	failed   bool
}

type openCall struct {
	resolve, reject func(any) error
	line, col       int
	fixed           map[string]bool // see answer
	sent            *exo.Node
}

// stop ends the program for good: a limit that was caught would be no limit.
func (r *guest) stop(err error) {
	if r.fatal == nil {
		r.fatal = err
	}
	r.VM.Interrupt(err)
}

// put adds to a map that is made when something is first put into it: most programs need none.
func put[K comparable, V any](m *map[K]V, k K, v V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[k] = v
}
