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
// does not happen: if it refuses the beginning of a run, the run does not begin; if it refuses
// an intent, the message does not act; if it refuses Committing, no change is committed.
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
	_                 Step = iota // of no entry
	Begun                         // a run begins: Start
	Refused                       // the gate refused a message, and nothing of it happened: Err
	Intent                        // a message is about to act: Message
	Outcome                       // the message acted, and may have failed: Err, State, Digest, Rows, Details, Took
	Withheld                      // the message acted, but the budget for reading was empty: the program did not get the reply
	Released                      // it was decided whether the result leaves: Err is why it does not; Digest of the result
	Committing                    // the units of work are prepared, and held effects are due: the next steps can't be undone
	Committed                     // the outcome of the commit: State
	AfterCommitFailed             // a unit of work failed in AfterCommit: Err; its name in the record is "settled". The changes are kept as the entry Committed has it
	Acting                        // a held effect is about to act
	Acted                         // the outcome of the held effect: State, Err
	Ended                         // the run is over: Err
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

	Start *Start // at Begun

	Call    uint64             // the number of the message; 0: the entry is about the run
	Op      string             // what was asked, as the program wrote it, shortened
	Pos     fail.Pos           // the place in the program that the guest reports, without Text; zero: it reported none, or an impossible one
	Effect  message.EffectMode // the effect of the message
	Message []byte             // at Intent and Refused: the exact message, in its canonical encoding; nil if it was malformed, larger than its run may send, or Omitted
	// Constants are the large constants of the message; Message has null in their places. Omitted is set if the rest is
	// too large, too, and is left out. So an entry shows a bounded part of a message.
	Constants []Constant
	Omitted   *Omitted

	// Label is the label of the run when the message has been admitted. At Outcome it is the most that
	// the reply may carry. Neither depends on how fast anything was.
	Label   value.Label
	Digest  value.Digest  // the digest of the reply or the result
	Rows    int           // the number of rows of the reply
	Details []any         // what the object added: see (*Message).AddDetail; at Committing, and at Committed of a Preview, the lists of ChangeListers
	Took    time.Duration // how long the message acted, without the wait for its turn
	State   State         // at Outcome, Committed and Acted
	Err     error

	Prepared *Prepared // at Committing

	Raw  RawReply // at Outcome, for Recorders that keep replies
	Kept *Kept    // what a record has of Raw: see package record; nil: nothing
}

// RawReply is the reply of an object as the object gave it, before the gate sealed values. It may refer to objects.
type RawReply struct {
	Value       value.Value     // zero: the object gave no reply
	Types       []*message.Type // of the objects in Value, in their order
	Rows, Bytes int             // what the object counted with (*Message).Spend
}

// String hides the reply: it has values that the gate seals, and hosts log entries.
func (RawReply) String() string { return "(hidden)" }

// GoString hides the reply, as String does.
func (RawReply) GoString() string { return "(hidden)" }

// MarshalJSON hides the reply, as String does.
func (RawReply) MarshalJSON() ([]byte, error) { return []byte(`"(hidden)"`), nil }

// Kept is a RawReply that was recorded. From its replies a run can be replayed.
type Kept struct {
	Value       []byte // its canonical encoding, with NumberedRef(0) in the place of each object
	Types       []byte // those of the objects, as coding.PackTypes writes them; nil: Value has no object
	Rows, Bytes int
	Lost        string // why Value is missing; "": it is there, or the object gave no reply
}

// Start is how a run began.
type Start struct {
	Principal Principal
	Program   string
	Label     value.Label
	Clock     time.Time
	Seed      uint64
	Zone      string // the zone of local time; "": UTC
	Limits    Limits
	Bounds    map[string]int64 // limits that the evaluator enforces, by their names, times in nanoseconds; other runs share the map
	Granted   value.Digest     // the digest of the catalogue and the granted names
	Admits    value.Label      // labels that the result may carry
	Preview   bool             // see Run.Preview
	Judged    []string         // the granted names with a policy that looks at sealed values
	Module    string           // the version of exoagent, as `exo version` prints it
	Encoding  int              // the version of the canonical encoding; 0: the entry is older than this field
	Grants    func() []byte    `json:"-"` // the granted names and the catalogue, as coding.PackGrants writes them; nil: a record that was read does not have them
}

// digestOf returns the digest of a reply or a result; zero if there is no record, or if the
// value has no digest.
func (s *Session) digestOf(v value.Value) value.Digest {
	if s.gate.record == nil || v.IsZero() {
		return value.Digest{}
	}
	d, _ := v.Digest()
	return d
}

// debts has the entries that a Recorder refused although they report what has happened already. It
// belongs to a Recorder, not to a gate: the tools of a host have a gate each, and one record.
// It exists only while an entry is owed.
type debts struct {
	mu   sync.Mutex
	owed []Entry
	paid bool // all are appended, and the Recorder has no debts any more: an entry that is owed later goes into new debts
}

var owing struct {
	n  atomic.Int64 // how many Recorders are in by
	mu sync.Mutex
	by map[any]*debts
}

// debts returns the debts of the gate's Recorder. If there are none, it makes them if make is true, and else returns nil.
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

// add keeps an entry that could not be appended. There are at most a few for each run that
// was active when the Recorder began to fail: while entries are owed, no run begins and no effect is admitted. add returns false if the debts were paid meanwhile: an entry added then would never be appended.
func (d *debts) add(e Entry) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.paid {
		d.owed = append(d.owed, e)
	}
	return !d.paid
}

// pay appends the entries that are owed, or returns why it can't. Until they are appended no run begins and no effect
// is admitted: otherwise the record would show a state of the world that never existed.
func (g *Gate) pay(ctx context.Context) (err error) {
	d := g.debts(false)
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	defer func() {
		if p := recover(); p != nil { // the entry is of another run: this run gets an error
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

// note appends an entry of the run, after the entries that are owed, so that the entries of a run are in order. If it fails, the run can't
// commit, and the caller must not let the event happen. After a callback of the host has panicked, note appends only entries about what has
// happened already, and refuses the others.
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

// tellsOfTheDone reports whether an entry is about something that can't be undone any more.
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

// noteMessage appends an entry about message e. Digests and names are computed only if there is a record.
func (s *Session) noteMessage(e *pending, en Entry) error {
	if s.gate.record == nil {
		return s.note(en)
	}
	en.Call, en.Op, en.Pos, en.Effect = e.id, s.opName(e.root), e.pos, e.effect
	return s.note(en)
}

// callbackFailed stops a run after a callback of the host has panicked with p: nothing more begins, and
// nothing is committed. Effects that have happened are recorded.
func (s *Session) callbackFailed(p any) {
	s.mu.Lock()
	if s.panicked == nil {
		s.panicked = p
	}
	s.mu.Unlock()
	s.Abandon() // effects that were recorded go on, as ever
}

// Panicked returns what the first of the host's callbacks panicked with, or nil. It is
// final when Finish has returned. The evaluator that ended the session panics with the same value,
// on a goroutine where the host can recover: a run that was not recorded has no result.
func (s *Session) Panicked() any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.panicked
}
