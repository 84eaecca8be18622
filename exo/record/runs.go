// This file bounds the memory that a record keeps of its runs.

package record

import "github.com/exoagent/exoagent/exo"

// maxBegun is the number of begun runs that a record remembers. A host runs for months, so the record can't keep the IDs of all runs.
const maxBegun = 1 << 16

// runs remembers the runs that began last, with the bytes of details that the record has for each.
type runs struct {
	details map[exo.RunID]int
	order   []exo.RunID // a ring, once it is full
	next    int
	last    int // bytes of details in the line that was made last

	keep *Replies          // nil: replies are not kept
	kept map[exo.RunID]int // bytes of replies of each run; lost: a reply of the run is missing
}

func (r *runs) has(id exo.RunID) bool { _, ok := r.details[id]; return ok }

// begin adds a run, and forgets the one that began maxBegun runs before it.
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

// room returns the number of bytes that the details of an entry may still have. most is the whole limit, and whose is the words for what it limits.
func (r *runs) room(e *exo.Entry) (room, most int, whose string) {
	if ofChanges(e) {
		return maxImages, maxImages, "of an entry"
	}
	if left := maxRunDetails - r.details[e.RunID]; left < maxDetails {
		return left, maxRunDetails, "of the messages of a run"
	}
	return maxDetails, maxDetails, "of an entry"
}

// spend adds the details and the reply of an appended entry to those of its run. The entry's line must be the one that was made last.
func (r *runs) spend(e *exo.Entry) {
	r.spendReply(e)
	if !ofChanges(e) && r.last > 0 && r.has(e.RunID) {
		r.details[e.RunID] += r.last
	}
}

// ofChanges reports whether the details of an entry are images of the rows that a run changes. A run has one such entry.
func ofChanges(e *exo.Entry) bool { return e.Step == exo.Committing || e.Step == exo.Committed }
