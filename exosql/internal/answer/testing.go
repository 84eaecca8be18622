package answer

// This file gives the tests of package exosql two single steps of an answer.

import (
	"context"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/compile"
	"github.com/exoagent/exoagent/exosql/internal/writing"
)

// PlanApart plans a message that reads. With cold it ignores the cached plan.
func PlanApart(ctx context.Context, db *DB, m *exo.Message, cold bool) error {
	objs := make([]*Object, len(m.Objects))
	for i, o := range m.Objects {
		objs[i] = o.(*Object)
		if err := objs[i].Prepare(); err != nil {
			return err
		}
	}
	if cold {
		_, err := compile.Message(db.Engine(ctx), m, grantsOf(objs), nil)
		return err
	}
	_, err := db.plan(ctx, &asked{m: m, objs: objs})
	return err
}

// WriteUnasked plans a message that writes by o without asking the hooks, as a defective code path would.
func WriteUnasked(ctx context.Context, o *Object, m *exo.Message) error {
	if _, err := o.unitOf(ctx, m); err != nil {
		return err
	}
	_, err := o.DB.writing(ctx, &asked{m: m, objs: []*Object{o}, vals: [][]value.Value{o.Ready().Grant.Vals}, given: writing.GivenBy(m)})
	return err
}
