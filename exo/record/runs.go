// This file bounds how much memory a record uses for its runs.

package record

import (
	"errors"
	"fmt"

	"github.com/exoagent/exoagent/exo"
)

// maxBegun is the number of begun runs that a record remembers. A host runs for months, so the record can't keep the IDs of all runs.
const maxBegun = 1 << 16

// runs remembers the runs that began last, and how many bytes of details the record has for each.
type runs struct {
	details map[exo.RunID]int
	order   []exo.RunID // the runs in the order in which they began; a ring, once it is full
	next    int
	last    int // how many bytes of details the last line has

	keep *Replies          // the bounds of kept replies; nil: replies are not kept
	kept map[exo.RunID]int // how many bytes of replies each run has; lost: a reply of the run is missing
}

func (r *runs) has(id exo.RunID) bool { _, ok := r.details[id]; return ok }

// begin adds a run, and forgets the run that began maxBegun runs earlier.
func (r *runs) begin(id exo.RunID) {
	if r.details == nil {
		r.details = map[exo.RunID]int{}
	}
	if r.has(id) {
		return
	}
	r.details[id] = 0
	if len(r.order) < maxBegun {
		r.order = append(r.order, id)
		return
	}
	delete(r.details, r.order[r.next])
	delete(r.kept, r.order[r.next])
	r.order[r.next] = id
	r.next = (r.next + 1) % maxBegun
}

// line appends the line of the next entry to b, unless a record can't have the entry.
func (r *runs) line(b []byte, e *exo.Entry) ([]byte, error) {
	switch {
	case e.RunID == exo.RunID{}:
		return b, errors.New("record: the entry has no RunID: set it to the ID of its run")
	case e.Step == exo.Begun && r.has(e.RunID):
		return b, fmt.Errorf("record: run %v has begun before: each run needs an ID of its own", e.RunID)
	}
	line, err := appendLine(b, e, r)
	if err == nil && len(line) > maxLine {
		err = fmt.Errorf("record: the entry has %d bytes; a line may have at most %d", len(line), maxLine)
	}
	return line, err
}

// room returns how many more bytes the details of an entry may have. most is the whole limit, and whose describes in words what it limits.
func (r *runs) room(e *exo.Entry) (room, most int, whose string) {
	if ofChanges(e) {
		return maxImages, maxImages, "of an entry"
	}
	if left := maxRunDetails - r.details[e.RunID]; left < maxDetails {
		return left, maxRunDetails, "of the messages of a run"
	}
	return maxDetails, maxDetails, "of an entry"
}

// appended notes a begun run, or counts the details and the reply of an entry for its run. The entry's line must be the last one that was made.
func (r *runs) appended(e *exo.Entry) {
	if e.Step == exo.Begun {
		r.begin(e.RunID)
	}
	r.spendReply(e)
	if !ofChanges(e) && r.last > 0 && r.has(e.RunID) {
		r.details[e.RunID] += r.last
	}
}

// ofChanges reports whether the details of an entry are the changed rows, before and after, of a run. A run has one such entry.
func ofChanges(e *exo.Entry) bool { return e.Step == exo.Committing || e.Step == exo.Committed }
