package exosql

import (
	"context"
	"strconv"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/compile"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
)

// relation answers a chain of typed calls.
func (db *DB) relation(ctx context.Context, r *decl.Relation, kind plan.RunKind) (exo.Value, error) {
	if r.Err != nil {
		return exo.Value{}, r.Err
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
	return db.query(ctx, p, args, nil)
}

// answer plans and runs a guest's message.
func (db *DB) answer(ctx context.Context, m *exo.Message, objs []*object) (exo.Value, error) {
	p, args, err := db.plan(m, objs)
	if err != nil {
		return exo.Value{}, err
	}
	return db.query(ctx, p, args, m)
}

// plan finds or makes the plan of a guest's message, and the values of its placeholders.
func (db *DB) plan(m *exo.Message, objs []*object) (*plan.Plan, []exo.Value, error) {
	var keys [512]byte
	var few [4][]exo.Value
	key, vals := keys[:0], few[:0]
	for _, o := range objs {
		key = append(strconv.AppendUint(key, o.grant.Shape, 10), ',')
		vals = append(vals, o.grant.Vals)
	}
	key = append(append(key, '|'), m.Shape...)
	p, ok := db.plans.Get(key)
	if !ok {
		var err error
		if p, err = compile.Message(db.dialect, m, grantsOf(objs)); err != nil {
			return nil, nil, err
		}
		p = db.plans.Add(key, p)
	}
	args, err := p.Bind(m.Args, vals)
	return p, args, err
}

func grantsOf(objs []*object) []compile.Prepared {
	out := make([]compile.Prepared, len(objs))
	for i, o := range objs {
		out[i] = o.grant
	}
	return out
}
