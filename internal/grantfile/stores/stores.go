// Package stores opens what a grant file keeps in stores, for every command that runs programs: the changes that wait for a person, what was used of
// budgets, and the principals that are revoked.
package stores

import (
	"context"
	"errors"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/budget"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/revoke"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/grantfile/pending"
)

// Stores are those of one file. Each is nil if the file has none.
type Stores struct {
	Pending *pending.Sets
	Budgets *budget.Set
	Revoked *revoke.List

	closing []func() error
}

// Open opens the stores of a file. notify hears of each change that begins to wait, and may be nil.
func Open(ctx context.Context, f *grantfile.File, notify func(review.ChangeSet)) (_ *Stores, err error) {
	s := &Stores{}
	s.Pending, err = pending.Open(ctx, f, notify)
	s.closing = append(s.closing, s.Pending.Close)
	var closing func() error
	if err == nil {
		s.Budgets, closing, err = f.OpenBudgets(ctx)
		s.closing = append(s.closing, closing)
	}
	if err == nil {
		s.Revoked, closing, err = f.Access.Open(ctx)
		s.closing = append(s.closing, closing)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Into gives the stores to the tools that are made with o.
func (s *Stores) Into(o *codemode.Options) {
	if s.Pending != nil {
		o.Review = s.Pending.Keeper
	}
	if s.Budgets != nil {
		o.Budgets = s.Budgets
	}
	o.Revoked = s.Revoked
}

// Close closes the stores. For nil Stores it does nothing.
func (s *Stores) Close() error {
	if s == nil {
		return nil
	}
	var all []error
	for _, f := range s.closing {
		all = append(all, f())
	}
	return errors.Join(all...)
}
