// This file bounds what a terminal keeps of the program that ran last: it keeps what it can show.

package screen

import (
	"fmt"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
)

// MaxKept is how many bytes of queries a terminal keeps, statements and values together.
const MaxKept = 4 << 20

// Kept is what a terminal keeps of the entries of a run.
type Kept struct {
	Queries []exosql.Query
	More    int           // queries besides, which were too large to be kept
	took    time.Duration // of those
	Bytes   int
	Events  []exo.Entry // of messages, without the messages
	changes []exosql.Changes
	Admits  value.Label // what the screen may show
	secret  uint64      // the first call by which the program read what its result may not carry; 0: none
}

// Add keeps an entry. Messages hold a program's constants, and a run may send megabytes of them, so none is kept. Nor is what the
// program did after it had read what its result may not carry: the labels that are admitted hold for the screen as for a model,
// and by its later calls a program would show a secret there. The record has them (-trace).
func (k *Kept) Add(e exo.Entry, admits value.Label) {
	k.Admits = admits
	if k.secret == 0 && (e.Step == exo.Intent || e.Step == exo.Refused) && !e.Label.Secrecy().FlowsTo(admits) {
		k.secret = e.Call
	}
	if k.secret != 0 && e.Call > k.secret {
		return
	}
	for _, d := range e.Details {
		switch d := d.(type) {
		case exosql.Query:
			if k.secret != 0 && e.Call == k.secret { // how many there are may be the secret, and what was bound is
				d.Rows, d.Args = -1, nil
			}
			k.query(d)
		case exosql.Changes:
			k.changes = append(k.changes, d)
		}
	}
	if e.Call == 0 || e.Call == k.secret || e.Step == exo.Intent || e.Step == exo.Acting { // its outcome follows
		return
	}
	shown := exo.Entry{Step: e.Step, Call: e.Call, Op: e.Op, Pos: e.Pos, State: e.State, Took: e.Took, Label: e.Label}
	if e.Err != nil {
		shown.Err = &fail.Error{Kind: fail.KindOf(e.Err)}
	}
	k.Events = append(k.Events, shown)
}

func (k *Kept) query(q exosql.Query) {
	size := len(q.SQL) + len(q.Fenced) + value.List(q.Args...).Bytes()
	if k.Bytes+size > MaxKept {
		k.More++
		k.took += q.Took
		return
	}
	k.Bytes += size
	k.Queries = append(k.Queries, q)
}

// Asked is how many queries there were, and how long they took.
func (k *Kept) Asked() (n int, took time.Duration) {
	took = k.took
	for _, q := range k.Queries {
		took += q.Took
	}
	return len(k.Queries) + k.More, took
}

// left says which queries are not shown.
func (k *Kept) left() string {
	if k.More == 0 {
		return ""
	}
	return fmt.Sprintf("%d of the queries are not shown: a terminal keeps %d MiB of them; .trace on writes each", k.More, MaxKept>>20)
}
