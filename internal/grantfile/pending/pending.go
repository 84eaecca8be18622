// Package pending opens the change sets of a grant file.
package pending

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/internal/grantfile"
)

// Sets are the change sets of a file, with the store in which they wait.
type Sets struct {
	*review.Keeper
	Store store.Store
	Key   []byte // encrypts the change sets
}

// Close closes the store. For nil Sets it does nothing.
func (k *Sets) Close() error {
	if k == nil {
		return nil
	}
	return k.Store.Close()
}

// Open opens the store of a file's change sets. It returns nil if no change waits for a person. notify hears of each new change set, and may be nil.
func Open(ctx context.Context, f *grantfile.File, notify func(review.ChangeSet)) (*Sets, error) {
	if !f.Approves() {
		return nil, nil
	}
	key, err := f.ApprovalKey()
	if err != nil {
		return nil, fmt.Errorf("approvals: %w", err)
	}
	k := &Sets{Key: key}
	if k.Store, err = f.Approvals.Open(ctx, os.Getenv); err != nil {
		return nil, fmt.Errorf("approvals: %w", err)
	}
	opt := review.Options{Store: k.Store, Key: key, Wait: f.Approvals.Wait, Notify: notify}
	if at := f.Approvals.Link.Text; at != "" {
		opt.Link = func(id string) string { return at + "/" + id }
	}
	if k.Keeper, err = review.New(opt); err != nil {
		return nil, errors.Join(err, k.Close())
	}
	return k, nil
}
