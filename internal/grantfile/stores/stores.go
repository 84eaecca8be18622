// Package stores opens the stores of a grant file, for every command that runs programs: the changes that wait for a person, the used amounts of
// budgets, and the revoked principals.
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

// Stores are the open stores of one file. A field is nil if the file does not declare that store.
type Stores struct {
	Pending *pending.Sets
	Budgets *budget.Set
	Revoked *revoke.List

	closing []func() error
}

// Open opens the stores of a file. It calls the function notify, which may be nil, for each change that begins to wait.
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

// Into adds the stores to the options of a tool.
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
