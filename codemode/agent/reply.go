package agent

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// reply asks the model once, with several tries if necessary. No call runs
// before the whole reply has arrived, so a try repeats only the request.
func (r *run) reply(ctx context.Context, last bool) (*ModelReply, error) {
	for try := 1; ; {
		if ctx.Err() != nil {
			return nil, stopped(ctx)
		}
		out, err := r.once(ctx, last)
		if err == nil && out == nil {
			err = &ModelError{Kind: Malformed, Model: r.model, Msg: "the model gave neither a reply nor an error: this is a fault of the type that implements agent.Model"}
		}
		if err == nil {
			r.count(out.Usage)
			return out, nil
		}
		if ctx.Err() != nil {
			return nil, stopped(ctx)
		}
		var e *ModelError
		if !errors.As(err, &e) {
			return nil, &ModelError{Model: r.model, Err: err}
		}
		r.count(e.Usage)
		if e.Kind == TooLong {
			if n := r.chat.makeRoom(); n > 0 {
				r.on(MadeRoom{n})
				continue // this loop ends, since each time a result is dropped
			}
			return nil, &ModelError{Kind: TooLong, Model: r.model, Status: e.Status, Err: err,
				Msg: "the conversation is too long for the model, and no result is left that could be dropped: begin a new conversation, ask for less, or take a model with a larger context"}
		}
		wait := r.wait(e, try)
		if !e.retryable() || try == r.limits.Tries || wait > r.limits.Wait {
			return nil, err
		}
		try++
		r.on(Waiting{Err: err, Wait: wait})
		if !sleep(ctx, wait) {
			return nil, stopped(ctx)
		}
	}
}

// once sends one request. An endpoint that sends a little at a time would stay within the bounds of
// silence and of bytes for days. So the whole request has a time limit, too, which is here so that
// it applies to every Model.
func (r *run) once(outer context.Context, last bool) (*ModelReply, error) {
	late := &ModelError{Kind: Malformed, Model: r.model, Msg: "the reply was not complete after " + r.limits.Reply.String() + ": ask for less, or allow more (QuestionLimits.Reply)"}
	ctx, cancel := context.WithTimeoutCause(outer, r.limits.Reply, late)
	defer cancel()
	out, err := r.Model.Reply(ctx, r.request(last), func(s string) { r.on(TextDelta(s)) })
	if err == nil || ctx.Err() == nil || outer.Err() != nil {
		return out, err
	}
	var e *ModelError
	if errors.As(err, &e) {
		late.Usage = e.Usage
	}
	return nil, late
}

func (r *run) count(u Usage) {
	r.used = r.used.Add(u)
	r.chat.used(r.model, u)
}

// wait returns the wait that the endpoint asked for, or else a backoff. The backoff doubles with
// each try, and a random part of it, at least half, is used. So clients that were refused together
// do not try again together.
func (r *run) wait(e *ModelError, try int) time.Duration {
	if e.RetryAfter > 0 {
		return e.RetryAfter
	}
	d := r.limits.Backoff
	for ; try > 1 && d < r.limits.Wait; try-- {
		d *= 2
	}
	d = min(d, r.limits.Wait)
	return d - time.Duration(rand.Int64N(int64(d)/2+1))
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (r *run) request(last bool) *ModelRequest {
	req := &ModelRequest{
		System: system, Messages: r.chat.Messages, NoCalls: last,
		MaxTokens: r.limits.Tokens, MaxBytes: r.limits.Bytes, Silence: r.limits.Silence,
	}
	if r.System != "" {
		req.System += "\n\n" + r.System
	}
	if last {
		req.System += lastStep
	}
	for _, t := range r.Tools {
		req.Tools = append(req.Tools, ToolSpec{Name: t.Name(), Description: t.Description(), Schema: t.InputSchema()})
	}
	return req
}
