// Package pending opens the change sets of a grant file.
package pending

import (
	"context"
	"errors"

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

// Open opens the store of a file's change sets. It returns nil if no change waits for a person. It calls the function notify, which may be nil, for each new change set.
func Open(ctx context.Context, f *grantfile.File, notify func(review.ChangeSet)) (*Sets, error) {
	if !f.Approves() {
		return nil, nil
	}
	at, key, err := f.OpenApprovals(ctx, nil)
	if err != nil {
		return nil, err
	}
	k := &Sets{Store: at, Key: key}
	opt := review.Options{Store: at, Key: key, Wait: f.Approvals.Wait, Notify: notify}
	if page := f.Approvals.Link.Text; page != "" {
		opt.Link = func(id string) string { return page + "/" + id }
	}
	if k.Keeper, err = review.New(opt); err != nil {
		return nil, errors.Join(err, k.Close())
	}
	return k, nil
}
