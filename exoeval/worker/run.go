package worker

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker/internal/frame"
)

// run is the host's side of one program: it passes messages to the session and
// answers to the worker, and watches.
type run struct {
	w       *proc
	stay    *stay // in the pool, of this program
	again   bool  // another one may follow it in w
	pool    *Pool
	s       *exo.Session
	limits  exo.Limits
	bounds  exoeval.Bounds
	catalog message.Catalog // what errors say
	calls   chan struct{}   // one for each message that was submitted

	writing sync.Mutex

	mu     sync.Mutex
	sent   frame.RowsLog    // rows that the worker has
	failed map[uint64]error // by message, the causes of its refusals: they stay here, and the result names one by its number
	open   int              // messages without an answer
	over   bool

	submitted uint64 // messages
	answered  uint64 // answers that were written, or are about to be
	said      uint64 // it has said that it waits for an answer before this one
	parked    bool   // it is stopped, and has no place

	cancelled bool // a message was

	watch watch
}

// give hands the worker its job. Until all of it has arrived nothing runs, and if
// there is an error, nothing has come of it.
func (r *run) give(ctx context.Context, job []byte) error {
	if err := r.w.end.limit(r.w.p, r.w.size, r.bounds.Memory, r.bounds.CPU, r.pool.programsLeft(r.w)); err != nil {
		return err
	}
	// A worker that does not read must not hold us.
	late := time.AfterFunc(startTime, func() { r.w.kill(&Death{Event: Stopped, Detail: "it did not take its job in time"}) })
	stop := context.AfterFunc(ctx, func() { r.w.kill(&Death{Event: Stopped}) })
	if r.w.reused.programs > 1 {
		if err := proceed(r.w.p); err != nil {
			return err
		}
	}
	r.beforeJob()
	_, err := r.w.end.conn.Write(job)
	inTime := late.Stop()
	if !stop() || !inTime {
		return errors.New("worker: it did not take its job in time")
	}
	return err
}

// run follows the program to its end and says what became of it. When it
// returns, no message of it can come any more: the worker is gone or on its way, or it is
// stopped and rests, and the caller must keep or discard it.
func (r *run) run(ctx context.Context) (out exoeval.ProgramResult, rests bool) {
	stop := context.AfterFunc(ctx, func() { r.w.kill(&Death{Event: Stopped}) })
	replies, stopReplies := context.WithCancel(ctx)
	r.startWatch()
	replied := make(chan struct{})
	go func() {
		defer close(replied)
		r.reply(replies)
	}()
	ended := false
	defer func() {
		undisturbed := stop()
		r.stopWatch()
		close(r.calls)
		stopReplies() // who would read them is gone; what is open is settled after this
		switch {
		case !ended:
			out = exoeval.ProgramResult{Err: r.w.verdict().verdict(r.bounds, r.catalog)}
			r.pool.part(r.stay)
		case undisturbed && r.rest(replied):
			rests = true
		default:
			r.pool.discard(r.w)
		}
		<-replied
	}()
	out, ended = r.receive()
	return out, false
}

// receive takes frames until the program has ended. ended is false when the
// worker was lost before it could say how.
func (r *run) receive() (out exoeval.ProgramResult, ended bool) {
	for {
		kind, s, err := r.w.in.Read(max(frame.MaxCall, frame.MaxDone(r.bounds)))
		if err != nil && !errors.Is(err, frame.ErrMalformed) {
			return out, false
		}
		if err == nil {
			switch kind {
			case frame.KindCall:
				err = r.submit(s)
			case frame.KindConsole:
				err = r.log(s)
			case frame.KindFetch:
				err = r.fetch(s)
			case frame.KindWaiting:
				err = r.park(s)
			case frame.KindDone, frame.KindServed:
				// Without an answer that it waits for, none comes to the program after it.
				if r.again = r.again && kind == frame.KindServed; kind == frame.KindServed && !r.again {
					err = frame.ErrMalformed
				} else if out, err = r.done(s); err == nil {
					return out, true
				}
			default:
				err = frame.ErrMalformed
			}
		}
		if err != nil {
			// An honest worker counts its calls itself, so whatever the session or a decoder
			// refuses was never sent by one.
			r.w.kill(&Death{Event: ProtocolBreach, Detail: err.Error()})
			return out, false
		}
	}
}

func (r *run) submit(s string) error {
	if len(s) > frame.MaxCall {
		return frame.ErrMalformed // one of a result may be larger
	}
	c, err := frame.DecodeCall(s, r.limits.MessageNodes)
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.open++
	r.submitted++
	r.mu.Unlock()
	if err := r.s.Submit(c); err != nil {
		return err
	}
	r.calls <- struct{}{} // there is room for as many as the session takes
	return nil
}

// log hands on a line, between the messages that came before and after it.
func (r *run) log(s string) error {
	l, err := frame.DecodeConsole(s, r.limits)
	if err != nil {
		return err
	}
	return r.s.Log(l)
}

// fetch sends the cells of rows that the worker has without them.
func (r *run) fetch(s string) error {
	n, err := frame.DecodeFetch(s)
	if err != nil {
		return err
	}
	r.mu.Lock()
	rows, ok := r.sent.Release(n)
	r.mu.Unlock()
	if !ok {
		return frame.ErrMalformed
	}
	_ = r.write(frame.AppendCells(nil, rows)) // when it is gone, the next frame of it does not come
	return nil
}

// write sends a frame. Replies and cells come from two goroutines.
func (r *run) write(b []byte) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	_, err := r.w.end.conn.Write(b)
	return err
}

// done reads how the program ended. A failure of the host keeps the host's own text, which the
// worker never had.
func (r *run) done(s string) (exoeval.ProgramResult, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o, err := frame.DecodeDone(s, &r.sent, r.bounds)
	if err != nil {
		return exoeval.ProgramResult{}, err
	}
	if fail.KindOf(o.Err) == fail.Cancelled && !r.cancelled {
		return exoeval.ProgramResult{}, frame.ErrMalformed // no context of its own ends: it has that word from a reply only
	}
	if o.Cause != 0 {
		failed, ok := r.failed[o.Cause]
		if !ok {
			return exoeval.ProgramResult{}, frame.ErrMalformed
		}
		o.Failed.Err = failed
	}
	return o.ProgramResult, nil
}

// reply passes answers to the worker, in call order, until the run is over.
func (r *run) reply(ctx context.Context) {
	var b []byte
	typ := r.s.Checker().Ref
	for range r.calls {
		p, ok, err := r.s.Next(ctx)
		if !ok || err != nil {
			return
		}
		r.mu.Lock()
		if !r.resume(ctx) {
			r.mu.Unlock()
			return
		}
		r.answered++
		if p.Err != nil {
			if r.failed == nil {
				r.failed = map[uint64]error{}
			}
			r.failed[p.ID] = errors.Unwrap(p.Err)
			r.cancelled = r.cancelled || fail.KindOf(p.Err) == fail.Cancelled
		}
		over := r.over
		if !over {
			b = frame.AppendReply(b[:0], p, &r.sent, typ)
		}
		r.mu.Unlock()
		if over {
			continue
		}
		if r.write(b) != nil {
			continue // it is gone; what it had sent happens
		}
		r.mu.Lock()
		r.open--
		r.mu.Unlock()
	}
}
