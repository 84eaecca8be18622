// This file bounds what a terminal keeps of the program that ran last: it keeps what it can show.

package repl

import (
	"fmt"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
)

// maxKept is how many bytes of queries a terminal keeps, statements and values together.
const maxKept = 4 << 20

// kept is what a terminal keeps of the entries of a run.
type kept struct {
	queries []exosql.Query
	more    int           // queries besides, which were too large to be kept
	took    time.Duration // of those
	bytes   int
	events  []exo.Entry // of messages, without the messages
	changes []exosql.Changes
	admits  value.Label // what the screen may show
	secret  uint64      // the first call by which the program read what its result may not carry; 0: none
}

// add keeps an entry. Messages hold a program's constants, and a run may send megabytes of them, so none is kept. Nor is what the
// program did after it had read what its result may not carry: the labels that are admitted hold for the screen as for a model,
// and by its later calls a program would show a secret there. The record has them (-trace).
func (k *kept) add(e exo.Entry, admits value.Label) {
	k.admits = admits
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
	k.events = append(k.events, shown)
}

func (k *kept) query(q exosql.Query) {
	size := len(q.SQL) + len(q.Fenced) + value.List(q.Args...).Bytes()
	if k.bytes+size > maxKept {
		k.more++
		k.took += q.Took
		return
	}
	k.bytes += size
	k.queries = append(k.queries, q)
}

// asked is how many queries there were, and how long they took.
func (k *kept) asked() (n int, took time.Duration) {
	took = k.took
	for _, q := range k.queries {
		took += q.Took
	}
	return len(k.queries) + k.more, took
}

// left says which queries are not shown.
func (k *kept) left() string {
	if k.more == 0 {
		return ""
	}
	return fmt.Sprintf("%d of the queries are not shown: a terminal keeps %d MiB of them; .trace on writes each", k.more, maxKept>>20)
}
