package outbox

// This file delivers messages: by one attempt for a message, by one pass over all due messages, and by the repeated passes of a process.

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/aead"
)

// Kept reports whether the changes of a run that began before a time were kept. It returns exo.StateApplied if they were, exo.StateRolledBack if they
// were not and never will be, and otherwise exo.StateUnknown.
type Kept func(ctx context.Context, run exo.RunID, before time.Time) (exo.State, error)

// refused begins the reason of a message that its receiver has refused.
const refused = "refused: "

// elsewhere is the reason in Item.Why of a message that this process leaves to another one.
const elsewhere = "the message was left for another place: the service has this name in another grant file, or in an earlier one. That place may still get the message; -retry delivers it here"

// Try makes one attempt to deliver a waiting message that is due, unless another process is delivering it or is to deliver it. An error is the reason why the message was not delivered.
// If the receiver refused the message, the error wraps ErrRefused, and there are no more attempts.
func (o *Outbox) Try(ctx context.Context, key string) error {
	var x item
	taken := false
	err := o.change(ctx, key, func(y *item, has bool) (bool, time.Time, error) {
		now := o.opt.Now().UTC()
		if taken = has && y.State == Waiting && !now.Before(y.Next); !taken {
			return false, now, nil
		}
		if own := o.targetOf(y.To); own != "" && y.Target != "" && own != y.Target {
			taken = false
			was := y.Why
			y.Why = elsewhere
			return was != elsewhere, now.Add(o.opt.For + keptRest), nil
		}
		y.Tries++
		y.Next, x = now.Add(lease), *y
		return true, now.Add(o.opt.For + keptRest), nil
	})
	if err != nil || !taken {
		return err
	}
	sent := o.attempt(ctx, x)
	return errors.Join(sent, o.tried(context.WithoutCancel(ctx), x, sent))
}

// Leave puts a message, makes the first attempt at once, and waits for it for up to 5 seconds. If runs have already waited too long for the receiver in
// this minute, Leave does not wait, and Run makes the attempt. If Leave returns nil, the message is delivered, or waits in the outbox. An error that wraps
// ErrRefused means that the receiver has refused the message. After store.ErrUnknown the message may be in the outbox; after any other error it is not.
func (o *Outbox) Leave(ctx context.Context, to, key string, body []byte) error {
	if err := o.add(ctx, waiting(to, key), body); err != nil {
		return err
	}
	left := o.patience(to, 0)
	if left <= 0 { // waiting for many messages to a slow receiver would use up the time that a run has for its held effects
		o.awake()
		return nil
	}
	began := time.Now()
	defer func() { o.patience(to, time.Since(began)) }()
	select {
	case err := <-o.start(ctx, key):
		if errors.Is(err, ErrRefused) {
			return err
		}
	case <-time.After(left):
	case <-ctx.Done():
	}
	return nil
}

// waited is how long runs have waited for a receiver since the time since.
type waited struct {
	since time.Time
	took  time.Duration
}

// patience adds took to the time that runs have waited for a receiver, and returns how long they may still wait within the minute.
func (o *Outbox) patience(to string, took time.Duration) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	w, now := o.waited[to], o.opt.Now()
	if now.Sub(w.since) >= attempt {
		w = waited{since: now}
	}
	if w.took += took; took > quick {
		w.took = moment
	}
	o.waited[to] = w
	return moment - w.took
}

// Begin puts a message, makes the first attempt at once, and does not wait for it.
func (o *Outbox) Begin(ctx context.Context, to, key string, body []byte) error {
	err := o.add(ctx, waiting(to, key), body)
	if err == nil {
		o.start(ctx, key)
	}
	return err
}

func (o *Outbox) start(ctx context.Context, key string) <-chan error {
	tried := make(chan error, 1)
	o.flying.Go(func() { tried <- o.Try(context.WithoutCancel(ctx), key) })
	return tried
}

// Wait waits up to 5 seconds for attempts that have begun. Call it before the process ends.
func (o *Outbox) Wait() {
	if o.none() {
		return
	}
	landed := make(chan struct{})
	go func() { o.flying.Wait(); close(landed) }()
	select {
	case <-landed:
	case <-time.After(moment):
	}
}

// attempt decrypts a message and delivers it once.
func (o *Outbox) attempt(ctx context.Context, x item) error {
	ctx, cancel := context.WithTimeout(ctx, attempt)
	defer cancel()
	o.mu.Lock()
	send := o.send[x.To]
	o.mu.Unlock()
	if send == nil {
		return fmt.Errorf("outbox: no service of this process delivers messages to %q: add that service again, or drop the message", x.To)
	}
	box, err := aead.New(o.opt.Key, "exo/outbox 1", x.Key)
	if err != nil {
		return err
	}
	body, err := box.Open(x.Sealed, []byte(x.To))
	if err != nil {
		return errChanged
	}
	return send(ctx, x.Key, body)
}

// tried stores the outcome of an attempt: failed is its error.
func (o *Outbox) tried(ctx context.Context, was item, failed error) error {
	var now item
	err := o.change(ctx, was.Key, func(x *item, has bool) (put bool, until time.Time, err error) {
		at := o.opt.Now().UTC()
		if !has || x.State != Waiting || x.Tries != was.Tries { // the message was dropped meanwhile, or another attempt has begun
			return false, until, nil
		}
		until = at.Add(keptRest)
		switch {
		case failed == nil:
			x.State, x.Why, x.Sealed, x.Next, until = Sent, "", nil, time.Time{}, at.Add(keptSent)
		case errors.Is(failed, ErrRefused):
			x.State, x.Why, x.Next = Failed, refused+reason(failed), time.Time{}
		case at.Sub(x.At) >= o.opt.For:
			x.State, x.Why, x.Next = Failed, "no attempt succeeded in time; the last: "+reason(failed), time.Time{}
		default:
			x.Why, x.Next = reason(failed), at.Add(pause(x.Tries))
			until = at.Add(o.opt.For + keptRest)
		}
		now = *x
		return true, until, nil
	})
	if err == nil && now.State == Failed {
		o.mu.Lock()
		report := o.report
		o.mu.Unlock()
		if o.opt.Failed != nil {
			o.opt.Failed(now.Item)
		}
		if report != nil {
			report(fmt.Errorf("outbox: the message %s to %s could not be delivered: %s", now.Key, now.To, now.Why))
		}
	}
	return err
}

// pause returns the time until the next attempt: 10 s after the first, twice as long after each further one, and at most an hour.
func pause(tries int) time.Duration { return min(10*time.Second<<min(tries-1, 10), time.Hour) }

// reason returns the text of an error, shortened. A Send must put no secret, and no part of a message, into its errors.
func reason(err error) string {
	text := strings.TrimPrefix(err.Error(), ErrRefused.Error()+": ")
	return text[:min(len(text), 300)]
}

// Pass decides about messages of runs whose process is gone, and makes an attempt for each message that is due. After ctx has ended, Pass makes no new
// attempt, but lets a running one end. Its error is about the store or a database; the error of an attempt is in the List.
func (o *Outbox) Pass(ctx context.Context) error {
	all, err := o.pass(ctx)
	all.Wait()
	return err
}

// pass does not wait for the attempts. Each receiver has its own goroutine, so that a receiver that hangs delays no other.
func (o *Outbox) pass(ctx context.Context) (*sync.WaitGroup, error) {
	all, due, failed := new(sync.WaitGroup), map[string][]string{}, []error{}
	if o.none() {
		return all, errZero
	}
	err := o.each(ctx, func(x item) {
		now := o.opt.Now()
		if x.State == Staged && o.opt.Kept != nil && now.Sub(x.At) >= cutOff {
			yes, err := o.decide(ctx, x)
			if failed = append(failed, err); !yes {
				return
			}
		} else if x.State != Waiting || now.Before(x.Next) {
			return
		}
		due[x.To] = append(due[x.To], x.Key)
	})
	o.mu.Lock()
	defer o.mu.Unlock()
	for to, keys := range due {
		if _, at := o.lists[to]; at {
			o.lists[to] = true
			continue
		}
		o.lists[to] = false
		all.Add(1)
		o.flying.Go(func() {
			defer all.Done()
			o.list(ctx, to, keys)
		})
	}
	return all, errors.Join(append(failed, err)...)
}

// list makes an attempt for each message to a receiver, one after the other.
func (o *Outbox) list(ctx context.Context, to string, keys []string) {
	for _, key := range keys {
		if ctx.Err() == nil {
			_ = o.Try(context.WithoutCancel(ctx), key) // the error is in the List. If ctx ended the attempt, the message could be delivered twice
		}
	}
	o.mu.Lock()
	more := o.lists[to]
	delete(o.lists, to)
	o.mu.Unlock()
	if more {
		o.awake()
	}
}

// decide releases or drops a staged message, depending on whether the databases kept its run. It returns true if the message is to be delivered.
func (o *Outbox) decide(ctx context.Context, x item) (bool, error) {
	state := exo.StateUnknown
	if x.Witnessed {
		run, err := exo.ParseRunID(x.Run)
		if err == nil {
			state, err = o.opt.Kept(ctx, run, x.At)
		}
		if err != nil {
			return false, err
		}
	}
	if state == exo.StateRolledBack {
		return false, o.Forget(ctx, x.Key)
	}
	yes := state == exo.StateApplied
	return yes, o.change(ctx, x.Key, func(y *item, has bool) (bool, time.Time, error) {
		switch has = has && y.State == Staged; {
		case has && yes:
			y.State = Waiting
		case has:
			y.State, y.Why = Unknown, "its process was stopped while its run committed, and no store knows whether the run was kept: find that out, and then retry or drop the message"
		}
		return has, o.opt.Now().Add(o.opt.For + keptRest), nil
	})
}

// Run makes passes until ctx ends: when a message is put, and each minute for messages of other processes. Call Wait after it, for attempts that have
// begun. Run calls failed, if it is not nil, with errors of passes, and for each message that has failed for good.
func (o *Outbox) Run(ctx context.Context, failed func(error)) {
	if o.none() {
		return
	}
	o.mu.Lock()
	o.report = failed
	o.mu.Unlock()
	every := time.NewTicker(time.Minute)
	defer every.Stop()
	for swept := (time.Time{}); ctx.Err() == nil; {
		if now := o.opt.Now(); now.Sub(swept) > time.Hour {
			swept = now
			_, _ = o.opt.Store.Sweep(ctx) // an entry that could not be removed has ended all the same, so it counts as absent
		}
		if _, err := o.pass(ctx); err != nil && ctx.Err() == nil && failed != nil {
			failed(err)
		}
		select {
		case <-ctx.Done():
		case <-o.wake:
		case <-every.C:
		}
	}
}
