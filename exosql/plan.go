package exosql

import (
	"context"
	"errors"
	"slices"
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
	args, err := p.Bind(nil, [][]exo.Value{s.Vals}, utc)
	if err != nil {
		return exo.Value{}, err
	}
	return db.query(ctx, nil, p, args, nil, nil)
}

// answer plans and runs a guest's message.
func (db *DB) answer(ctx context.Context, o *object, m *exo.Message, objs []*object) (exo.Value, error) {
	if err := db.ready(); err != nil {
		return exo.Value{}, err
	}
	var few [4][]exo.Value
	vals := few[:0]
	for _, o := range objs {
		vals = append(vals, o.grant.Vals)
	}
	u, err := o.unitOf(m)
	if err != nil {
		return exo.Value{}, err
	}
	if compile.IsWrite(m) {
		return db.change(ctx, u, m, objs)
	}
	p, err := db.plan(m, objs)
	if err != nil {
		return exo.Value{}, err
	}
	var refused *engine.Refused
	for open := p.Open; open != nil; open = db.guarded(open, refused, m, objs) {
		args, err := open.Bind(m.Args, vals, m.Zone())
		if err != nil {
			return exo.Value{}, err
		}
		v, err := db.query(ctx, u, open, args, m, nil)
		if !errors.As(err, &refused) {
			return v, err
		}
	}
	args, err := p.Bind(m.Args, vals, m.Zone())
	if err != nil {
		return exo.Value{}, err
	}
	return db.query(ctx, u, p, args, m, refused)
}

// guarded finds or makes the open plan to try after one that was refused: conditions on
// the tables of which the engine reads rows out of scope, or better would, are guarded in it. It is nil if
// there is none.
func (db *DB) guarded(open *plan.Plan, refused *engine.Refused, m *exo.Message, objs []*object) *plan.Plan {
	wide, ok := errors.AsType[*engine.OutOfScope](refused.Why)
	if !ok {
		return nil
	}
	var guards, scans []string
	var keys [512]byte
	key := append(keys[:0], "guarded "...)
	for _, t := range open.Tables {
		again := slices.Contains(wide.Aliases, t.Alias)
		if again && (t.Scanned || t.Guarded && !wide.Scan) {
			return nil
		}
		if !t.Guarded && !again {
			continue
		}
		guards, key = append(guards, t.Alias), append(append(key, t.Alias...), ' ')
		if t.Scanned || again && wide.Scan {
			scans, key = append(scans, t.Alias), append(key, "scanned "...)
		}
	}
	key = shapeKey(key, m, objs)
	p, found := db.plans.Get(key)
	if !found {
		p = db.plans.Add(key, compile.Guarded(db.dialect, m, grantsOf(objs), guards, scans))
	}
	if p.Tables == nil {
		return nil
	}
	return p
}

// plan finds or makes the plan of a guest's message.
func (db *DB) plan(m *exo.Message, objs []*object) (*plan.Plan, error) {
	var keys [512]byte
	key := shapeKey(keys[:0], m, objs)
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

// utc is the time zone of what has none, of which statements say nothing.
const utc = "UTC"

// shapeKey is the key of a message's plan: the shapes of its grants, and its own. Which time zone it is
// does not matter, but whether there is one does.
func shapeKey(key []byte, m *exo.Message, objs []*object) []byte {
	if m.Zone() != utc {
		key = append(key, "zoned "...)
	}
	for _, o := range objs {
		key = append(strconv.AppendUint(key, o.grant.Shape, 10), ',')
	}
	return append(append(key, '|'), m.Shape...)
}

func grantsOf(objs []*object) []compile.Prepared {
	out := make([]compile.Prepared, len(objs))
	for i, o := range objs {
		out[i] = o.grant
	}
	return out
}
