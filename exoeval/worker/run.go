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

// run is the host's side of one program. It passes messages to the session and replies to the worker, and watches the limits.
type run struct {
	w       *proc
	stay    *stay // this program's use of the pool
	again   bool  // another program may follow in w
	pool    *Pool
	s       *exo.Session
	limits  exo.Limits
	bounds  exoeval.Bounds
	catalog message.Catalog // used for error texts
	calls   chan struct{}   // gets one value for each message that was submitted

	writing sync.Mutex

	mu     sync.Mutex
	sent   frame.RowsLog    // the rows that the worker has
	failed map[uint64]error // the causes of refusals, by message; the worker has only the number, and the result may refer to it
	open   int              // the number of messages without a reply
	over   bool

	submitted uint64 // the number of submitted messages
	answered  uint64 // the number of replies that were written, or are about to be written
	said      uint64 // the number of the last reply that the worker reported to wait for
	parked    bool   // the worker is stopped and has no place

	cancelled bool // a message failed with the Kind Cancelled

	watch watch
}

// give sends the worker its job. Nothing runs until the whole job has arrived, so after an error nothing has run.
func (r *run) give(ctx context.Context, job []byte) error {
	if err := r.w.end.limit(r.w.p, r.w.size, r.bounds.Memory, r.bounds.CPU, r.pool.programsLeft(r.w)); err != nil {
		return err
	}
	// A worker that does not read its job must not block the host.
	late := time.AfterFunc(startTime, func() { r.w.kill(&Death{Event: Stopped, Detail: "the process did not read its program in time"}) })
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
		return errors.New("worker: the process did not read its program in time")
	}
	return err
}

// run follows the program to its end and returns its result. Then no message of the program can come: the worker is gone or ending, or it is
// stopped. rests reports a stopped worker, which the caller must keep or discard.
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
		stopReplies() // the worker reads no more replies; calls without a reply are settled later
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

// receive reads frames until the program has ended. ended is false if the worker was lost before it reported the end.
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
				// Served claims that the worker waits for no reply, so none reaches the next program. If no next program may come, Served is a breach.
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
			// An honest worker keeps the limits itself, and sends only frames that decode: a program may have taken over this worker.
			r.w.kill(&Death{Event: ProtocolBreach, Detail: err.Error()})
			return out, false
		}
	}
}

func (r *run) submit(s string) error {
	if len(s) > frame.MaxCall {
		return frame.ErrMalformed // only the frame of a result may be larger
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
	r.calls <- struct{}{} // calls has room for as many messages as the session takes
	return nil
}

// log passes a logged line on, in order with the messages.
func (r *run) log(s string) error {
	l, err := frame.DecodeConsole(s, r.limits)
	if err != nil {
		return err
	}
	return r.s.Log(l)
}

// fetch sends the cells of rows to a worker that has only their number.
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
	_ = r.write(frame.AppendCells(nil, rows)) // a failure shows when the worker's next frame does not come
	return nil
}

// write sends a frame. Two goroutines use it: one for replies, one for cells.
func (r *run) write(b []byte) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	_, err := r.w.end.conn.Write(b)
	return err
}

// done reads how the program ended. If a failure of the host ended it, done returns the host's own error: the worker never had its text.
func (r *run) done(s string) (exoeval.ProgramResult, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o, err := frame.DecodeDone(s, &r.sent, r.bounds)
	if err != nil {
		return exoeval.ProgramResult{}, err
	}
	if fail.KindOf(o.Err) == fail.Cancelled && !r.cancelled {
		return exoeval.ProgramResult{}, frame.ErrMalformed // no context ends in a worker: an honest one knows this Kind only from a reply
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

// reply sends replies to the worker, in the order of the calls, until the run is over.
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
			continue // the worker is gone; the calls that it sent still happen
		}
		r.mu.Lock()
		r.open--
		r.mu.Unlock()
	}
}
