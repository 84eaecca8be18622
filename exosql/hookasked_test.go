package exosql_test

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// forgetful plans what programs write without asking the hooks.
type forgetful struct{ exo.Object }

func (f forgetful) UnitKey() any { return f.Object.(exo.Transactional).UnitKey() }

func (f forgetful) Eval(_ context.Context, m *exo.Message) (value.Value, error) {
	if err := exosql.WriteUnasked(f.Object, m); err != nil {
		return value.Value{}, err
	}
	return value.Int(0), nil
}

// TestHooksAreAsked: a way to write that forgot the hooks of the table would be refused. Of a table without hooks nothing is asked.
func TestHooksAreAsked(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, _, _ := kit.OpenHooked(t, e)
		for _, c := range []struct {
			d    *kit.Hooked
			want string
		}{{kit.DeclareHooked(), "0"}, {kit.DeclareHooked().Usual(), "!internal"}} {
			grants := c.d.Grants(db, 1)
			grants["pages"] = forgetful{grants["pages"]}
			got, err := kit.RunHooked(t, grants, `return pages.where({ id: 1 }).update({ points: 7 })`)
			if err != nil {
				if got = "!" + fail.KindOf(err).String(); !strings.Contains(err.(*fail.Error).Err.Error(), "were not called") {
					t.Error(err.(*fail.Error).Err)
				}
			}
			if got != c.want {
				t.Errorf("%s (%v), want %s", got, err, c.want)
			}
		}
	})
}

// TestPoliciesOfHooks: the role may write the columns that hooks fill, and no program may; Go code writes by the policies of its grant.
func TestPoliciesOfHooks(t *testing.T) {
	e, ctx := tu.Postgres, t.Context()
	url, name := e.URL(t), kit.NewRole(t)
	owner := e.OpenURL(t, url, &exosql.OpenOptions{Setup: e.Exec(strings.ReplaceAll(strings.Join(kit.HookedDDL, "; "), "{serial}", "bigserial PRIMARY KEY"))})
	d := kit.DeclareHooked().Usual()
	g := d.Grants(owner, 1)
	script, err := exosql.Policies(ctx, name, g["books"], g["pages"])
	if err != nil {
		t.Fatal(err)
	}
	raw, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.Exec(script); err != nil {
		t.Fatal(err)
	}
	db := e.OpenURL(t, tu.AsUser(t, url, name), &exosql.OpenOptions{RowSecurity: true})
	for program, want := range map[string]string{
		`return pages.insert({ title: "n", points: null }).then(p => p.author)`: `"by ann"`,
		`return pages.where({ id: 1 }).update({ points: 7 })`:                   "1",
		`return pages.where({ id: 3 }).update({ points: 7 })`:                   "0",
		`return pages.insert({ title: "n", odd: "x" })`:                         "!pages.insert: there is no field `odd`",
	} {
		if got, err := kit.RunHooked(t, d.Grants(db, 1), program); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s %v, want %s", program, got, err, want)
		}
	}
	pages := exosql.Grant(db, d.Pages, d.Book.Eq(1))
	// Insert gives the whole row, of which the role may see the columns of the facets; nothing of it is kept.
	if row, err := pages.Insert(ctx, d.Title.Set("whole"), d.Points.SetNull()); err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("%+v, %v", row, err)
	}
	if n, err := pages.InsertMany(ctx, []exosql.Assignment[kit.HookedPage]{d.Title.Set("go"), d.Points.SetNull()}); n != 1 || err != nil {
		t.Error(n, err)
	}
	if got := kit.Cells(t, raw, "SELECT book_id, odd, touched IS NOT NULL FROM pages WHERE title IN ('go', 'whole')"); got != "1|none|true" {
		t.Errorf("the new row: %s", got)
	}
	for id, want := range map[int64]int64{2: 1, 3: 0} {
		if n, err := pages.Where(d.ID.Eq(id)).Update(ctx, d.Points.Set(8)); n != want || err != nil {
			t.Errorf("row %d: %d, %v", id, n, err)
		}
	}
	if n, err := pages.Where(d.ID.Eq(2)).Delete(ctx); n != 1 || err != nil {
		t.Error(n, err)
	}
	if got := kit.Cells(t, raw, "SELECT id, points, odd FROM pages WHERE book_id = 2 ORDER BY id"); got != "3|3|-" {
		t.Errorf("rows of the other: %s", got)
	}
}
