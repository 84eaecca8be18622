package repl

import (
	"slices"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
)

// withheld leaves of what the terminal keeps of a run what the program decided before it had read what its result may not carry: Options.Admits holds
// for the screen as for a model, and by its later statements a program would show a secret there. The record has them (-trace).
func (r *ran) withheld(tool *codemode.Tool) {
	at := slices.IndexFunc(r.events, func(e exo.Entry) bool {
		return (e.Step == exo.Intent || e.Step == exo.Refused) && !e.Label.Secrecy().FlowsTo(tool.Admits())
	})
	if at < 0 {
		return
	}
	last := r.events[at].Call
	r.queries = nil
	for _, e := range r.events {
		for _, d := range e.Details {
			if q, ok := d.(exosql.Query); ok && e.Call <= last {
				if e.Call == last { // how many there are may be the secret
					q.Rows = -1
				}
				r.queries = append(r.queries, q)
			}
		}
	}
	r.events = slices.DeleteFunc(r.events, func(e exo.Entry) bool { return e.Call >= last })
}
