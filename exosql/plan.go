package exosql

import (
	"context"
	"errors"
	"strconv"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/compile"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
)

// relation answers a chain of typed calls.
func (db *DB) relation(ctx context.Context, r *decl.Relation, kind plan.RunKind) (exo.Value, error) {
	if r.Err != nil {
		return exo.Value{}, r.Err
	}
	if err := db.ready(); err != nil {
		return exo.Value{}, err
	}
	ss, err := scope.Chain(r)
	if err != nil {
		return exo.Value{}, &exo.Error{Op: r.Table.Name, Kind: exo.Denied, Err: err}
	}
	s := compile.NewChain(r, ss, kind)
	p, ok := db.plans.Get(s.Key)
	if !ok {
		if p, err = s.Compile(db.dialect); err != nil {
			return exo.Value{}, err
		}
		p = db.plans.Add(s.Key, p)
	}
	args, err := p.Bind(nil, [][]exo.Value{s.Vals})
	if err != nil {
		return exo.Value{}, err
	}
	return db.query(ctx, p, args, nil, nil)
}

// answer plans and runs a guest's message.
func (db *DB) answer(ctx context.Context, m *exo.Message, objs []*object) (exo.Value, error) {
	if err := db.ready(); err != nil {
		return exo.Value{}, err
	}
	var few [4][]exo.Value
	vals := few[:0]
	for _, o := range objs {
		vals = append(vals, o.grant.Vals)
	}
	p, err := db.plan(m, objs)
	if err != nil {
		return exo.Value{}, err
	}
	var refused *engine.Refused
	if p.Open != nil {
		args, err := p.Open.Bind(m.Args, vals)
		if err != nil {
			return exo.Value{}, err
		}
		v, err := db.query(ctx, p.Open, args, m, nil)
		if !errors.As(err, &refused) {
			return v, err
		}
	}
	args, err := p.Bind(m.Args, vals)
	if err != nil {
		return exo.Value{}, err
	}
	return db.query(ctx, p, args, m, refused)
}

// plan finds or makes the plan of a guest's message.
func (db *DB) plan(m *exo.Message, objs []*object) (*plan.Plan, error) {
	var keys [512]byte
	key := keys[:0]
	for _, o := range objs {
		key = append(strconv.AppendUint(key, o.grant.Shape, 10), ',')
	}
	key = append(append(key, '|'), m.Shape...)
	p, ok := db.plans.Get(key)
	if !ok {
		var err error
		if p, err = compile.Message(db.dialect, m, grantsOf(objs)); err != nil {
			return nil, err
		}
		p = db.plans.Add(key, p)
	}
	return p, nil
}

func grantsOf(objs []*object) []compile.Prepared {
	out := make([]compile.Prepared, len(objs))
	for i, o := range objs {
		out[i] = o.grant
	}
	return out
}
