// This file limits what a terminal keeps about the last program.

package screen

import (
	"fmt"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
)

// MaxKept limits the bytes of statements and values that a terminal keeps.
const MaxKept = 4 << 20

// Kept has the entries of a run that a terminal keeps.
type Kept struct {
	Queries []exosql.Query
	More    int           // how many queries were too large to keep
	took    time.Duration // how long these queries took
	Bytes   int
	Events  []exo.Entry // the entries about messages, without the messages themselves
	changes []exosql.Changes
	Admits  value.Label // labels that the screen may show
	secret  uint64      // the first call with which the program read a value that its result may not carry; 0: none
}

// Add keeps an entry without its message, since a run may send megabytes. It keeps no entry after the program has read a value that its result may
// not carry: later calls could show that secret on the screen, which may show only what a model may read. The record has all entries (-trace).
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
			if k.secret != 0 && e.Call == k.secret { // left out, since the number of rows or a bound value may be the secret
				d.Rows, d.Args = -1, nil
			}
			k.query(d)
		case exosql.Changes:
			k.changes = append(k.changes, d)
		}
	}
	if e.Call == 0 || e.Call == k.secret || e.Step == exo.Intent || e.Step == exo.Acting { // skipped: its outcome comes in a later entry
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

// Asked returns the number of queries, and how long they took.
func (k *Kept) Asked() (n int, took time.Duration) {
	took = k.took
	for _, q := range k.Queries {
		took += q.Took
	}
	return len(k.Queries) + k.More, took
}

// left returns a text about the queries that are not shown, or "" if all are.
func (k *Kept) left() string {
	if k.More == 0 {
		return ""
	}
	return fmt.Sprintf("%d of the queries are not shown: a terminal keeps %d MiB of them; .trace on writes each", k.More, MaxKept>>20)
}
