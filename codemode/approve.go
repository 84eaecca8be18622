package codemode

// This file has the decisions of a person about the tool's changes (exo/review).

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/internal/scalar"
)

var errNoReview = errors.New("codemode: this tool was made without Options.Review, so no change waits for a person: set that option")

// Pending returns the change sets of the tool's principal that wait for a person, the oldest first. One that can't be read has the State Unreadable.
func (t *Tool) Pending(ctx context.Context) ([]review.ChangeSet, error) {
	if t == nil || t.review == nil {
		return nil, errNoReview
	}
	return t.review.PendingOf(ctx, t.principal)
}

// Waiting returns the change set that a run of this tool has left for a person. link is the address of its page, or "" if the host has none.
func (t *Tool) Waiting(ctx context.Context, r *Result) (w review.ChangeSet, link string, err error) {
	all, err := t.Pending(ctx)
	for _, w := range all {
		if w.Run == r.ID {
			return w, t.review.Link(w.ID), nil
		}
	}
	if err == nil {
		err = fmt.Errorf("codemode: no change set of run %s waits for a person: call Tool.Pending for those that wait", r.ID)
	}
	return w, "", err
}

// Apply applies a change set that a person has agreed to: its program runs again, and commits only if it does exactly what the person saw. seen is
// the review.ChangeSet.Digest of what the person saw. If several processes call Apply, only one runs the program. An error without a Result means
// that nothing was run. An error with a Result means that the store could not note the outcome. Then the change set stays Applying until
// Keeper.Reconcile settles it. The Result is for the host, not for a model: its Err has Kind Conflict and a *review.DiffersError if the program would
// now do something else.
func (t *Tool) Apply(ctx context.Context, id, seen string, by review.Approver) (*Result, error) {
	if err := t.mayDecide(ctx, id); err != nil {
		return nil, err
	}
	if err := t.CheckAccess(ctx); err != nil { // first: a change set of a revoked principal goes on waiting
		return nil, err
	}
	a, err := t.review.Approve(ctx, id, seen, by)
	if err != nil {
		return nil, err
	}
	res := t.run(ctx, a.Program, a.Job())
	if err := a.Done(context.WithoutCancel(ctx), outcome(res.Effects), res.Err); err != nil {
		return res, fmt.Errorf("codemode: the program of change set %s ran, but its outcome could not be stored: call Reconcile of the review.Keeper to settle the change set: %w", a.ID, err)
	}
	if res.Err == nil { // a run that changes nothing is never reviewed
		res.Err = a.Conflict()
	}
	return res, nil
}

// outcome derives the outcome of a change set from the effects of its run, for the news that the model reads. A mail that is known to have
// failed counts as not done, unless its values were sealed.
func outcome(effects []exo.Effect) (out review.Outcome) {
	for _, e := range effects {
		switch e = e.Outward(); {
		case e.State == exo.StateUnknown && e.Mode == message.InUnit:
			return review.KeptUnknown
		case e.State == exo.StateUnknown:
			out = review.SendUnknown
		case e.State == exo.StateApplied && out == review.NotKept:
			out = review.Kept
		}
	}
	return out
}

// Reject refuses a change set. The next call of the principal's tool reports the refusal and the reason why.
func (t *Tool) Reject(ctx context.Context, id, why string, by review.Approver) error {
	if err := t.mayDecide(ctx, id); err != nil {
		return err
	}
	return t.review.Reject(ctx, id, why, by)
}

// mayDecide refuses a change set of another principal, since its program would run with the grants of this tool's principal.
func (t *Tool) mayDecide(ctx context.Context, id string) error {
	if t == nil || t.review == nil {
		return errNoReview
	}
	w, err := t.review.Get(ctx, id)
	if err == nil && w.Principal != t.principal {
		err = fmt.Errorf("codemode: change set %s was prepared for the principal %q, and this tool is for %q: use a tool for %[2]q", w.ID, w.Principal, t.principal)
	}
	return err
}

// news adds to a result the news about the principal's change sets.
func (t *Tool) news(ctx context.Context, res *Result) {
	if t.review == nil || t.principal == "" {
		return
	}
	all, err := t.review.News(ctx, t.principal)
	if err != nil {
		all = append(all, "the host can't read what became of earlier change sets")
	}
	if len(all) > 0 {
		res.Notice = scalar.Shorten(strings.TrimSpace(strings.Join(all, "; ")+". "+res.Notice), maxNotice)
	}
}
