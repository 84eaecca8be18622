package exo

import (
	"context"
	"fmt"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"reflect"
	"sync"
	"sync/atomic"
	"time"
)

// Recorder keeps the record of what happened, for the host alone. An event that it can't append
// does not happen. If it refuses Begun, the run does not begin; if it refuses an Intent, the
// message does not act; if it refuses Committing, no change is committed.
type Recorder interface {
	// Record appends e, or fails. It is called from several goroutines and must return
	// soon, since a run waits for it; it must not call into a run. The context does not end
	// with the run's. If Record panics, that run ends, undoes what it can, and panics with the
	// same value where the host can recover.
	Record(ctx context.Context, e Entry) error
}

// RecordFunc makes a Recorder of a function, which it calls once at a time. For a nil function it returns nil,
// so that a gate that needs a record refuses a host that forgot the function.
func RecordFunc(f func(Entry) error) Recorder {
	if f == nil {
		return nil
	}
	return &recordFunc{f: f}
}

type recordFunc struct {
	mu sync.Mutex
	f  func(Entry) error
}

func (r *recordFunc) Record(_ context.Context, e Entry) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.f(e)
}

// Unrecorded is the Recorder that keeps nothing. If a granted object can change something, a host
// that wants no record must set it.
var Unrecorded Recorder = unrecorded{}

type unrecorded struct{}

func (unrecorded) Record(context.Context, Entry) error { return nil }

// Step is the kind of event that an Entry reports.
type Step uint8

const (
	_                 Step = iota // no entry has the zero Step
	Begun                         // a run begins; the entry has Start
	Refused                       // the gate refused a message, so the message did not act; the entry has Err
	Intent                        // a message is about to act; the entry has Message
	Outcome                       // the message acted, and may have failed; the entry has Err, State, Digest, Rows, Details and Took
	Withheld                      // the message acted, but the budget for reading was spent, so the program did not get the reply
	Released                      // it was decided whether the result leaves; the entry has the result's Digest, or Err if it does not leave
	Committing                    // the units of work are prepared, and held effects are due: the next steps can't be undone
	Committed                     // the commit has ended; the entry has its State
	AfterCommitFailed             // a unit of work failed in AfterCommit, and the entry has Err; records call it "settled". The changes stay as Committed reports them
	Acting                        // a held effect is about to act
	Acted                         // the held effect has ended; the entry has State and Err
	Ended                         // the run is over; the entry has Err if it failed
	steps
)

var stepNames = [...]string{"none", Begun: "begun", Refused: "refused", Intent: "intent", Outcome: "outcome", Withheld: "withheld",
	Released: "released", Committing: "committing", Committed: "committed", AfterCommitFailed: "settled", Acting: "acting", Acted: "acted", Ended: "ended"}

func (s Step) String() string {
	if s >= steps {
		return fmt.Sprintf("step(%d)", uint8(s))
	}
	return stepNames[s]
}

// Entry is one line of the record. Entries of different messages of a run are in no fixed order,
// since calls act at the same time. The call numbers give the order in which they were sent.
type Entry struct {
	RunID RunID
	Step  Step
	At    time.Time

	Start *Start // set at Begun

	Call    uint64             // the number of the message; 0 if the entry is about the whole run
	Op      string             // the operation as the program wrote it, shortened
	Pos     fail.Pos           // the place in the program, as the guest reports it, without Text; zero if it reported none, or an impossible one
	Effect  message.EffectMode // the effect of the message
	Message []byte             // at Intent and Refused, the exact message in its canonical encoding; nil if it was malformed or too large, or is Omitted
	// Constants are the large constants of the message; Message has null in their places. If the message is still too large without
	// them, Message is nil, and Omitted is set. So an entry never has more than a bounded part of a message.
	Constants []Constant
	Omitted   *Omitted

	// Label is the label of the run right after the message was admitted. At Outcome it is the most labels
	// that the reply may carry. Neither label depends on how fast calls are.
	Label   value.Label
	Digest  value.Digest  // the digest of the reply or of the result
	Rows    int           // the number of rows of the reply
	Details []any         // what the object added with (*Message).AddDetail; at Committing, and at Committed of a Preview, the lists of ChangeListers
	Took    time.Duration // how long the message acted, not counting the wait for its turn
	State   State         // set at Outcome, Committed and Acted
	Err     error

	Prepared *Prepared // set at Committing

	Raw  RawReply // set at Outcome, for Recorders that keep replies
	Kept *Kept    // the part of Raw that a record keeps (see package record); nil: none
}

// RawReply is the reply of an object as the object gave it, before the gate sealed values. It may refer to objects.
type RawReply struct {
	Value       value.Value     // zero if the object gave no reply
	Types       []*message.Type // the types of the objects in Value, in their order
	Rows, Bytes int             // the counts that the object passed to (*Message).Spend
}

// String hides the reply, which has values that the gate seals, because hosts log entries.
func (RawReply) String() string { return "(hidden)" }

// GoString hides the reply, for the same reason as String.
func (RawReply) GoString() string { return "(hidden)" }

// MarshalJSON hides the reply, for the same reason as String.
func (RawReply) MarshalJSON() ([]byte, error) { return []byte(`"(hidden)"`), nil }

// Kept is a RawReply that was recorded. A run can be replayed from its Kept replies.
type Kept struct {
	Value       []byte // the canonical encoding of the reply, with NumberedRef(0) in place of each object
	Types       []byte // the types of the objects in Value, as coding.PackTypes writes them; nil: Value has no object
	Rows, Bytes int
	Lost        string // why Value is missing; "": it is not missing, or the object gave no reply
}

// Start describes how a run began.
type Start struct {
	Principal Principal
	Program   string
	Label     value.Label
	Clock     time.Time
	Seed      uint64
	Zone      string // the time zone for local time in the program; "": UTC
	Limits    Limits
	Bounds    map[string]int64 // limits that the evaluator enforces, by name, with times in nanoseconds; runs share the map
	Granted   value.Digest     // the digest of the catalogue and the granted names
	Admits    value.Label      // the labels that the result may carry
	Preview   bool             // the run is a preview: see Run.Preview
	Judged    []string         // the names of the grants with a policy that looks at sealed values
	Module    string           // the version of exoagent that `exo version` prints
	Encoding  int              // the version of the canonical encoding; 0 if the entry is older than this field
	Grants    func() []byte    `json:"-"` // returns the granted names and the catalogue, as coding.PackGrants writes them; nil in entries that were read from a record
}

// digestOf returns the digest of a reply or a result. It is zero if there is no record, or if the
// value has no digest.
func (s *Session) digestOf(v value.Value) value.Digest {
	if s.gate.record == nil || v.IsZero() {
		return value.Digest{}
	}
	d, _ := v.Digest()
	return d
}

// debts has the entries that a Recorder refused although they report what has already happened.
// Such entries are owed. debts belongs to a Recorder, not to a gate: a host has many gates and one
// record. It exists only while an entry is owed.
type debts struct {
	mu   sync.Mutex
	owed []Entry
	paid bool // all entries are appended and the Recorder has no debts any more, so an entry that is owed later needs new debts
}

var owing struct {
	n  atomic.Int64 // how many Recorders have debts
	mu sync.Mutex
	by map[any]*debts
}

// debts returns the debts of the gate's Recorder. If there are none, it returns new debts if make is true, and nil otherwise.
func (g *Gate) debts(make bool) *debts {
	if !make && owing.n.Load() == 0 {
		return nil
	}
	var key any = g.record
	if !reflect.ValueOf(key).Comparable() {
		key = g
	}
	owing.mu.Lock()
	defer owing.mu.Unlock()
	d := owing.by[key]
	if d == nil && make {
		if owing.by == nil {
			owing.by = map[any]*debts{}
		}
		d = &debts{}
		owing.by[key] = d
		owing.n.Add(1)
	}
	return d
}

// add keeps an entry that could not be appended. There are only a few for each active run: while entries are owed, no run begins and
// no effect is admitted. add returns false if the debts were paid meanwhile, since an entry added then would never be appended.
func (d *debts) add(e Entry) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.paid {
		d.owed = append(d.owed, e)
	}
	return !d.paid
}

// pay appends the entries that are owed, or returns why it can't. Until they are appended, no run begins and no
// effect is admitted: otherwise the record would have a gap.
func (g *Gate) pay(ctx context.Context) (err error) {
	d := g.debts(false)
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	defer func() {
		if p := recover(); p != nil { // the entry belongs to another run, but this run gets the error
			err = fmt.Errorf("%w: panic: %v", errRecord, p)
		}
	}()
	if d.paid {
		return nil
	}
	for len(d.owed) > 0 {
		if err := g.record.Record(context.WithoutCancel(ctx), d.owed[0]); err != nil {
			return fmt.Errorf("%w: %w", errRecord, err)
		}
		d.owed = d.owed[1:]
	}
	d.paid = true
	owing.mu.Lock()
	defer owing.mu.Unlock()
	for key, o := range owing.by {
		if o == d {
			delete(owing.by, key)
			owing.n.Add(-1)
		}
	}
	return nil
}

// note appends an entry of the run, after the entries that are owed, so that the entries of a run are in order. If note fails, the run can't
// commit, and the caller must not let the event happen. After a callback of the host has panicked, note appends only entries about what has
// already happened, and refuses all other entries.
func (s *Session) note(e Entry) error {
	if s.Panicked() != nil && !e.tellsOfTheDone() {
		return &fail.Error{Kind: fail.Internal, Err: errRecord}
	}
	if s.gate.record == nil {
		return nil
	}
	e.RunID, e.At = s.run.ID, s.gate.now()
	p, err := any(nil), s.gate.pay(s.ctx)
	if err == nil {
		p, err = s.append(e)
	}
	if err == nil {
		return nil
	}
	s.mu.Lock()
	s.unrecorded = true
	s.mu.Unlock()
	if e.tellsOfTheDone() {
		for !s.gate.debts(true).add(e) {
		}
	}
	if p != nil {
		s.callbackFailed(p)
	}
	return &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("%w: %w", errRecord, err)}
}

// tellsOfTheDone reports whether an entry is about something that has happened and can't be undone.
func (e *Entry) tellsOfTheDone() bool {
	switch e.Step {
	case Committed, AfterCommitFailed, Acted, Ended:
		return true
	case Outcome:
		return e.Effect == message.Immediate
	}
	return false
}

func (s *Session) append(e Entry) (panicked any, err error) {
	defer func() {
		if panicked = recover(); panicked != nil {
			err = fmt.Errorf("panic: %v", panicked)
		}
	}()
	return nil, s.gate.record.Record(context.WithoutCancel(s.ctx), e)
}

// noteMessage appends an entry about message e. Without a record it computes no digest and no name.
func (s *Session) noteMessage(e *pending, en Entry) error {
	if s.gate.record == nil {
		return s.note(en)
	}
	en.Call, en.Op, en.Pos, en.Effect = e.id, s.opName(e.root), e.pos, e.effect
	return s.note(en)
}

// callbackFailed stops a run after a callback of the host has panicked with p. No message begins any
// more, and nothing more is committed. Effects that have happened are recorded.
func (s *Session) callbackFailed(p any) {
	s.mu.Lock()
	if s.panicked == nil {
		s.panicked = p
	}
	s.mu.Unlock()
	s.Abandon() // messages with a recorded effect still run to their end
}

// Panicked returns the value of the first panic of a callback of the host, or nil. It is final when
// Finish has returned. The evaluator that ended the session panics with the same value, on a
// goroutine where the host can recover: a run that was not recorded has no result.
func (s *Session) Panicked() any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.panicked
}
