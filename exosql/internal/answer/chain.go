package answer

// This file answers chains of typed calls that read.

import (
	"context"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/compile"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/rowsec"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/exosql/internal/unit"
)

// scopesOf returns the scopes of the tables of a chain. It fails if the chain has an error or the database is not open.
func (db *DB) scopesOf(r *decl.Relation) (scope.Scopes, error) {
	if r.Err != nil {
		return nil, r.Err
	}
	if err := db.Ready(); err != nil {
		return nil, err
	}
	ss, err := scope.Chain(r)
	if err != nil {
		return nil, &fail.Error{Op: r.Table.Name, Kind: fail.Denied, Err: err}
	}
	return ss, nil
}

// Read answers a chain of typed calls that reads.
func (db *DB) Read(ctx context.Context, tx *unit.Tx, r *decl.Relation, kind plan.RunKind) (value.Value, error) {
	ss, err := db.scopesOf(r)
	if err != nil {
		return value.Value{}, err
	}
	s := compile.NewChain(r, ss, kind)
	p, err := db.chain(ctx, s.Key, &s, nil)
	if err != nil {
		return value.Value{}, err
	}
	args, err := p.Bind(nil, [][]value.Value{s.Vals}, nil, utc)
	if err != nil {
		return value.Value{}, err
	}
	by, err := db.settings(rowsec.Settings(s.Grant(), s.Vals))
	if err != nil {
		return value.Value{}, err
	}
	var v value.Value
	err = db.Units.InTx(ctx, tx, func(u *unit.Unit) (err error) {
		v, err = db.query(ctx, u, p, args, by, nil, nil, nil)
		return err
	})
	return v, err
}

// chain finds or makes the plan of a chain of typed calls.
func (db *DB) chain(ctx context.Context, key []byte, s interface {
	Compile(expr.Engine, compile.Position) (*plan.Plan, error)
}, after compile.Position) (*plan.Plan, error) {
	if p, ok := db.Plans.Get(key); ok {
		return p, nil
	}
	p, err := s.Compile(db.Engine(ctx), after)
	if err != nil {
		return nil, err
	}
	return db.Plans.Add(key, p), nil
}

// Page answers a chain of typed calls that reads a page.
func (db *DB) Page(ctx context.Context, tx *unit.Tx, r *decl.Relation, size int64, text string) (_ value.Value, next string, err error) {
	ss, err := db.scopesOf(r)
	if err != nil {
		return value.Value{}, "", err
	}
	of, err := newPage(size)
	if err != nil {
		return value.Value{}, "", err
	}
	s := compile.NewChain(r, ss, plan.RunPage, value.Int(size))
	p, err := db.chain(ctx, s.Key, &s, nil)
	if err != nil {
		return value.Value{}, "", err
	}
	vals := [][]value.Value{s.Vals}
	bound, err := p.Bind(nil, vals, nil, utc)
	if err != nil {
		return value.Value{}, "", err
	}
	use := db.use("typed", "", p, bound)
	if text != "" {
		at, err := db.openCursor(use, text, p.After)
		if err != nil {
			return value.Value{}, "", err
		}
		of.from = at
		if p, err = db.chain(ctx, appendPosition(s.Key, at), &s, positionOf(at)); err != nil {
			return value.Value{}, "", err
		}
		if bound, err = p.Bind(nil, vals, at, utc); err != nil {
			return value.Value{}, "", err
		}
	}
	by, err := db.settings(rowsec.Settings(s.Grant(), s.Vals))
	if err != nil {
		return value.Value{}, "", err
	}
	var v value.Value
	err = db.Units.InTx(ctx, tx, func(u *unit.Unit) (err error) {
		v, err = db.query(ctx, u, p, bound, by, nil, nil, of)
		return err
	})
	if err != nil {
		return value.Value{}, "", err
	}
	next, err = db.sealCursor(use, of.next)
	return v, next, err
}
