// Package reread asks a store, by a context, to read a change set again. exo/review asks so in a run that commits if its change set equals the one
// that a person has seen. exosql then reads even what the statements of the run have returned, since a trigger may have changed it.
package reread

import "context"

type key struct{}

// With returns a context for changeset.Lister.Changes that asks the store to read everything again.
func With(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, true) }

// Asked reports whether ctx, or a context that it was derived from, was made by [With].
func Asked(ctx context.Context) bool { return ctx.Value(key{}) != nil }
