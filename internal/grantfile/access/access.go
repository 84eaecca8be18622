// Package access reads where a grant file keeps the list of principals whose access was revoked.
package access

import (
	"context"
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/exo/revoke"
	"github.com/exoagent/exoagent/internal/grantfile/identity"
	"github.com/exoagent/exoagent/internal/grantfile/strict"
)

// Access is what a grant file writes under `access`. The zero Access has no list, so no principal can be revoked.
type Access struct {
	Store strict.Secret
	strict.Pos
}

// Missing is the error of a command that needs the list, for a file that keeps none.
const Missing = "%s keeps no list of revoked principals: add the line `access: { store: access }`, with a folder, and start its servers again; for several machines `{ store: env:NAME }`, with the URL of a PostgreSQL database"

// Read reads `access` of a file.
func Read(r *strict.Reader, e strict.Entry) (out Access) {
	out.Pos = e.Pos()
	r.Fields(e, "access", out.keys(r))
	return out
}

// Form makes the schema of `access`.
func Form() strict.Node { return strict.FormOf(new(Access).keys, &strict.Reader{})() }

func (a *Access) keys(r *strict.Reader) []strict.Key {
	return []strict.Key{strict.NewKey("store", r.StoreTo(&a.Store), "a folder, or where the URL of a PostgreSQL database is: env:NAME or file:PATH").Must("write `store: access` for a folder, or `store: env:NAME` with the URL of a PostgreSQL database")}
}

// Lines adds the line of `exo show`.
func (a *Access) Lines(add func(of, what, format string, args ...any)) {
	if a.Store.Kind != "" {
		add("access", "store", "%s", strings.TrimPrefix(a.Store.String(), "folder:"))
	}
}

// Fits returns an error that says why the store can't be opened, or nil.
func (a *Access) Fits(ctx context.Context) error {
	if a.Store.Kind == "" {
		return nil
	}
	return a.Store.StoreFits(ctx)
}

// Open opens the list, and returns a function that closes its store. The list is nil if the file keeps none.
func (a *Access) Open(ctx context.Context) (list *revoke.List, closing func() error, err error) {
	closing = func() error { return nil }
	if a.Store.Kind == "" {
		return nil, closing, nil
	}
	s, err := a.Store.OpenStore(ctx, nil)
	if err != nil {
		return nil, closing, fmt.Errorf("access: %w", err)
	}
	return revoke.In(s, identity.Match), s.Close, nil
}
