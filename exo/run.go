package exo

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/internal/within"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/buildinfo"
	"github.com/exoagent/exoagent/internal/wire"
)

// RunID names one run. It can't be guessed, and no two runs of one record have the same RunID:
// it is part of the Key of a held effect. The zero RunID names no run.
type RunID [16]byte

// NewRunID makes a fresh RunID of 128 random bits.
func NewRunID() RunID {
	var id RunID
	rand.Read(id[:]) // rand.Read never returns an error
	return id
}

// ParseRunID reads what String wrote: 32 hexadecimal digits in lower case.
func ParseRunID(s string) (RunID, error) {
	var id RunID
	if n, err := hex.Decode(id[:], []byte(s[:min(len(s), 2*len(id))])); err != nil || n != len(id) || id.String() != s {
		return RunID{}, fmt.Errorf("exo: %.40q is not the ID of a run: want 32 hexadecimal digits in lower case", s)
	}
	return id, nil
}

func (id RunID) String() string { return hex.EncodeToString(id[:]) }

// KeyOf returns the Key of a message of the run. call is the number of its call in the record.
func (id RunID) KeyOf(call uint64) string { return fmt.Sprintf("%s-%d", id, call) }

// MarshalText returns the ID as String writes it.
func (id RunID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (id *RunID) UnmarshalText(b []byte) (err error) {
	*id, err = ParseRunID(string(b))
	return err
}

// Run has the ID of a run, its principal, and everything that its program finds in addition to the
// grants. Given a Run and the replies in call order, a program is deterministic.
type Run struct {
	ID           RunID       // zero: WithDefaults makes a new one
	Principal    Principal   // the user for whom the program runs; it grants nothing
	Label        value.Label // the label of the values that the program was written from, with which the run begins
	Conversation string      // the conversation whose budgets the run uses; "": the conversation without a name
	Clock        time.Time   // the time that the program reads, in milliseconds, which does not advance; zero: the present
	Seed         uint64      // the seed of Math.random; 0: WithDefaults makes a random one

	// Preview makes the run undo its units of work at the point where it would commit them. The entry Committed then lists the changes,
	// and the Err of each effect is ErrPreview. A method that acts outside of a unit of work is refused.
	Preview bool
}

// ErrPreview is the error of the effects of a run with Preview: nothing of them was kept.
var ErrPreview = fail.Named("exo: the run was a preview, so its changes were undone")

// WithDefaults sets the fields ID, Clock and Seed if they are zero.
func (r Run) WithDefaults(now time.Time) Run {
	if r.ID == (RunID{}) {
		r.ID = NewRunID()
	}
	if r.Clock.IsZero() {
		r.Clock = now
	}
	r.Clock = r.Clock.UTC().Truncate(time.Millisecond)
	if r.Seed == 0 {
		var b [8]byte
		rand.Read(b[:])
		r.Seed = binary.LittleEndian.Uint64(b[:]) | 1
	}
	return r
}

// Begin begins a run of program and records that, after the entries that are owed. If an entry can't be appended, there is no run. bounds are the
// limits that the evaluator enforces, for the record; several runs may share the map, so it must not change. The caller must end the run with
// Finish, and then panic with Panicked if that is not nil. If Config.Record panics, Begin panics with the same value.
func (g *Gate) Begin(ctx context.Context, run Run, program string, bounds map[string]int64) (*Session, error) {
	if !g.made() {
		return nil, errZeroGate
	}
	run = run.WithDefaults(g.now())
	run.Label = run.Label.Merged() // Merged joins the labels of all values that the program was written from
	s := &Session{gate: g, run: run, length: len(program), label: run.Label, turns: within.NewTurns(g.limits.ConcurrentCalls), wake: make(chan struct{}, 1), over: make(chan struct{})}
	if g.budgets != nil {
		s.purse = g.budgets.Begin(run, g.limits)
	}
	if g.review != nil {
		s.program = program
	}
	s.withhold(0, fail.Pos{})
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	s.caller = ctx
	s.ref, s.show = s.refType, s.refName
	s.objects = append(s.objects, g.objects...)
	s.types = make([]*message.Type, 0, len(g.granted)+4)
	for i := range g.granted {
		s.types = append(s.types, g.granted[i].Type)
	}
	if g.record != nil {
		start := &Start{Principal: run.Principal, Program: program, Label: run.Label, Clock: run.Clock, Seed: run.Seed, Zone: g.recordedZone(), Limits: g.limits, Bounds: bounds, Granted: g.digest(), Admits: g.admits, Preview: run.Preview, Judged: g.judged, Module: buildinfo.Version(), Encoding: wire.Encoding, Grants: g.packed}
		if err := s.note(Entry{Step: Begun, Label: run.Label, Start: start}); err != nil {
			s.cancel(err)
			if p := s.Panicked(); p != nil {
				panic(p)
			}
			return nil, &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("exo: the run did not begin, because its beginning can't be recorded: %w", err)}
		}
	}
	return s, nil
}

// serve makes the contexts of messages and of units of work. It is called at the first message, since many
// programs send none. s.mu is held, and Finish has not begun.
func (s *Session) serve() {
	if s.reads != nil {
		return
	}
	ctx := s.caller
	s.reads, s.abandon = context.WithCancel(s.ctx)
	s.work, s.drop = context.WithCancelCause(context.WithoutCancel(ctx))
	s.keep = context.AfterFunc(ctx, func() { s.drop(context.Cause(ctx)) })
}

// Run returns the session's run, with all fields set.
func (s *Session) Run() Run { return s.run }

// errRecord is the error of a run when its record can't be kept.
var errRecord = fail.Named("exo: the run was stopped, because its record can't be written or a function of the host panicked")
