package language_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestRowsInCallbacks: some and every of rows that were read make a condition, and what can't names the some that asks the same.
// The twin is the list of ids.
func TestRowsInCallbacks(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := tu.NewRunner(t, tu.Tenant(e.Open(t), tu.Acme), exo.Limits{})
		const read = "const list = await tasks.where(t => t.priority > 3); return await tasks.where(t => "
		want := r.Run(t, read+"list.map(x => x.id).includes(t.id)).count()")
		none := r.Run(t, read+"!list.map(x => x.id).includes(t.id)).count()")
		if want.Kind != 0 || none.Kind != 0 || want.JSON == none.JSON {
			t.Fatalf("%s %s", want, none)
		}
		if o := r.Run(t, read+"list.some(x => x.id === t.id)).count()"); o.JSON != want.JSON {
			t.Errorf("some: %s, want %s", o, want)
		}
		if o := r.Run(t, read+"list.every(x => x.id !== t.id)).count()"); o.JSON != none.JSON {
			t.Errorf("every: %s, want %s", o, none)
		}
		for _, form := range []string{"list.find(x => x.id === t.id)", "list.filter(x => x.id === t.id)", "list.findIndex(x => x.id === t.id)"} {
			o := r.Run(t, read+form+").count()")
			if o.Kind != fail.Invalid {
				t.Fatalf("%s: %s", form, o)
			}
			_, some, _ := strings.Cut(o.Message, "write ")
			some, _, _ = strings.Cut(some, " alone")
			if o := r.Run(t, read+some+").count()"); o.JSON != want.JSON {
				t.Errorf("%s, as the error names it, %s: %s, want %s", form, some, o, want)
			}
		}
	})
}

// TestOrderAfterDistinctBy: an order after distinctBy sorts the rows that it kept.
func TestOrderAfterDistinctBy(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := tu.NewRunner(t, tu.Tenant(e.Open(t), tu.Acme), exo.Limits{})
		kept := r.Run(t, "const rows = await tasks.orderBy(t => t.priority.desc()).distinctBy(t => t.status).select(t => t.id); return rows.sort((a, b) => b - a)")
		if o := r.Run(t, "return await tasks.orderBy(t => t.priority.desc()).distinctBy(t => t.status).orderBy(t => t.id.desc()).select(t => t.id)"); o.Kind != 0 || o.JSON != kept.JSON {
			t.Errorf("%s, want %s", o, kept)
		}
	})
}
