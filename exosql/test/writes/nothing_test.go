package writes_test

// A change that came to nothing is told from one that took place.

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestChangedNothing: what a model reads says of each change whether a row was changed.
func TestChangedNothing(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		f := kit.ThingFacet().AllowInsert(kit.ThingID, kit.ThingBig).AllowUpdate(kit.ThingN).AllowDelete()
		tool, err := codemode.New(codemode.Grants{"things": f.Of(exosql.Grant(kit.OpenThings(t, e), kit.Things, exosql.AllRows[kit.Thing]()))}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
		if err != nil {
			t.Fatal(err)
		}
		const none = "changed no row: no row that is granted here meets all conditions of that query"
		for _, c := range []struct{ program, note, never string }{
			{"return api.things.where({ id: 4711 }).update({ n: 1 })", "things.where(…).update " + none, "took effect"},
			{"return api.things.where({ id: 4711 }).delete()", "things.where(…).delete " + none, "took effect"},
			{"await api.things.where({ id: 4711 }).delete(); return api.things.where({ id: 4712 }).delete()", "things.where(…).delete (2 times) " + none, "took effect"},
			{"await api.things.insert({ id: 500, big: 1 }); return api.things.where({ id: 4711 }).update({ n: 1 })", "things.insert took effect and will not be undone; things.where(…).update " + none, "Do not"},
			{"return api.things.where({ id: 500 }).update({ n: 7 })", "things.where(…).update took effect and will not be undone", none},
			{"await api.things.where({ id: 4711 }).update({ n: 1 }); throw new Error('no')", "none: nothing took effect", none},
			{"return api.things.where({ id: 500 }).delete()", "things.where(…).delete took effect and will not be undone", none},
		} {
			r := tool.Run(t.Context(), c.program)
			if note := r.EffectsNote(); !strings.HasPrefix(note, c.note) || strings.Contains(note, c.never) {
				t.Errorf("%s: %q, %v", c.program, note, r.Err)
			}
		}
	})
}
