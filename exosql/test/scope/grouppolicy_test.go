package scope_test

import (
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/policy"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestOnlyReachesGroups: an object that may only count has groups that may only be counted, and those work.
func TestOnlyReachesGroups(t *testing.T) {
	acme := tu.Tenant(tu.Open(t), tu.Acme)
	r := tu.NewRunner(t, map[string]exo.Object{"tasks": policy.Only(acme["tasks"], "groupBy", "select", "execute", "count")}, exo.Limits{})
	if o := r.Run(t, "return await tasks.groupBy(t => t.done).select(g => ({ d: g.done, n: g.count() }))"); o.JSON != `[{"d":false,"n":4},{"d":true,"n":1}]` {
		t.Error(o)
	}
	for _, call := range []string{"sum(t => t.priority)", "max(t => t.title)", "where(t => t.done).count()"} {
		if o := r.Run(t, "return await tasks.groupBy(t => t.done).select(g => ({ x: g."+call+" }))"); o.Kind != fail.Denied {
			t.Errorf("%s: %s", call, o)
		}
	}
}
