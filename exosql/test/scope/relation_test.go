package scope_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

func taskID(x tu.Task) int64     { return x.ID }
func memberID(x tu.Member) int64 { return x.ID }

// acme is the tasks of one tenant, in order.
func acme(t *testing.T, e tu.Engine) exosql.Relation[tu.Task] {
	return exosql.Follow(exosql.Follow(tu.OrgOf(e.Open(t), tu.Acme), tu.OrgProjects), tu.ProjectTasks).OrderBy(tu.TaskID.Asc())
}

func TestTypedPredicates(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		due := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		r := acme(t, e)
		for name, c := range map[string]struct {
			p    exosql.Predicate[tu.Task]
			want []int64
		}{
			"eq":             {tu.TaskID.Eq(1001), []int64{1001}},
			"eq foreign":     {tu.TaskID.Eq(2001), nil},
			"ne":             {tu.TaskPriority.Ne(5), []int64{1001, 1003, 1090}},
			"lt":             {tu.TaskPriority.Lt(2), []int64{1003}},
			"le":             {tu.TaskPriority.Le(2), []int64{1003, 1090}},
			"gt":             {tu.TaskPriority.Gt(3), []int64{1002, 1004}},
			"ge":             {tu.TaskPriority.Ge(3), []int64{1001, 1002, 1004}},
			"in":             {tu.TaskID.In(1001, 1003, 2001), []int64{1001, 1003}},
			"in none":        {tu.TaskID.In(), nil},
			"bool":           {tu.TaskDone.Eq(true), []int64{1003}},
			"text":           {tu.TaskTitle.Eq("ACME draw"), []int64{1001}},
			"text injection": {tu.TaskTitle.Eq("' OR '1'='1"), nil},
			"time":           {tu.TaskDue.Eq(due), []int64{1001, 1002}},
			"time before":    {tu.TaskDue.Lt(due), []int64{1004}},
			"is null":        {tu.TaskDue.IsNull(), []int64{1003}},
			"is not null":    {tu.TaskAssignee.IsNotNull(), []int64{1001, 1002, 1004, 1090}},
			"ne and null":    {tu.TaskAssignee.Ne(11), []int64{1002, 1004, 1090}},
			"not":            {exosql.Not(tu.TaskPriority.Gt(3)), []int64{1001, 1003, 1090}},
			"not of null":    {exosql.Not(tu.TaskAssignee.Eq(11)), []int64{1002, 1004, 1090}},
			"and":            {exosql.And(tu.TaskDone.Eq(false), tu.TaskPriority.Eq(5)), []int64{1002, 1004}},
			"or":             {exosql.Or(tu.TaskDone.Eq(true), tu.TaskPriority.Eq(3)), []int64{1001, 1003}},
			"or in and":      {exosql.And(exosql.Or(tu.TaskID.Eq(1001), tu.TaskID.Gt(0)), tu.TaskDone.Eq(true)), []int64{1003}},
			"all rows":       {exosql.AllRows[tu.Task](), []int64{1001, 1002, 1003, 1004, 1090}},
			"not all rows":   {exosql.Not(exosql.AllRows[tu.Task]()), nil},
		} {
			t.Run(name, func(t *testing.T) {
				q := r.Where(c.p)
				if got := kit.IDs(t, q, taskID); !slices.Equal(got, c.want) {
					t.Errorf("got %v, want %v", got, c.want)
				}
				if n, err := q.Count(t.Context()); err != nil || n != int64(len(c.want)) {
					t.Errorf("count %d %v, want %d", n, err, len(c.want))
				}
				first, ok, err := q.First(t.Context())
				if err != nil || ok != (len(c.want) > 0) || ok && first.ID != c.want[0] {
					t.Errorf("first %v %v %v", first, ok, err)
				}
			})
		}
	})
}

func TestTypedRowsAreWhole(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		row, ok, err := acme(t, e).Where(tu.TaskID.Eq(1002)).First(t.Context())
		if err != nil || !ok {
			t.Fatal(err)
		}
		if row.ProjectID != 101 || *row.AssigneeID != 12 || row.Title != "ACME build" || row.Status != "doing" || row.Done || row.Priority != 5 || !row.DueAt.Equal(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)) {
			t.Errorf("%+v", row)
		}
		row, _, _ = acme(t, e).Where(tu.TaskID.Eq(1003)).First(t.Context())
		if row.AssigneeID != nil || row.DueAt != nil || !row.Done {
			t.Errorf("%+v", row)
		}
	})
}

func TestOrderLimitOffset(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := acme(t, e)
		unordered := exosql.Follow(exosql.Follow(tu.OrgOf(e.Open(t), tu.Acme), tu.OrgProjects), tu.ProjectTasks)
		for name, c := range map[string]struct {
			q    exosql.Relation[tu.Task]
			want []int64
		}{
			"ties by key":        {unordered.OrderBy(tu.TaskPriority.Desc()).Limit(2), []int64{1004, 1002}},
			"no order":           {unordered.Limit(3), []int64{1001, 1002, 1003}},
			"two orders":         {unordered.OrderBy(tu.TaskStatus.Asc()).OrderBy(tu.TaskID.Desc()), []int64{1002, 1003, 1090, 1004, 1001}},
			"null first":         {unordered.OrderBy(tu.TaskDue.Asc()).Limit(1), []int64{1003}},
			"null last":          {unordered.OrderBy(tu.TaskDue.Desc()).Offset(4), []int64{1003}},
			"least limit":        {r.Limit(4).Limit(2), []int64{1001, 1002}},
			"least limit, again": {r.Limit(2).Limit(4), []int64{1001, 1002}},
			"offsets add":        {r.Offset(1).Offset(2), []int64{1004, 1090}},
			"page":               {r.Offset(1).Limit(2), []int64{1002, 1003}},
			"where after limit":  {r.Limit(2).Where(tu.TaskDone.Eq(true)), nil},
			"order after limit":  {r.Limit(2).OrderBy(tu.TaskID.Desc()), []int64{1001, 1002}},
			"limit zero":         {r.Limit(0), nil},
			"offset after limit": {r.Limit(2).Offset(1), []int64{1002}}, // within what Limit left: methods only narrow
			"limit after offset": {r.Offset(2).Limit(2), []int64{1003, 1004}},
		} {
			t.Run(name, func(t *testing.T) {
				got := kit.IDs(t, c.q, taskID)
				if !slices.Equal(got, c.want) {
					t.Errorf("got %v, want %v", got, c.want)
				}
			})
		}
	})
}

// Follow keeps one row for each child, however many parents reach it, and
// drops what crosses to another tenant.
func TestFollow(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t)
		org := tu.OrgOf(db, tu.Acme)
		tasks := exosql.Follow(exosql.Follow(org, tu.OrgProjects), tu.ProjectTasks)
		members := exosql.Follow(tasks, tu.TaskAssigned).OrderBy(tu.MemberID.Asc())
		if got := kit.IDs(t, members, memberID); !slices.Equal(got, []int64{11, 12}) {
			t.Errorf("assignees %v", got)
		}
		back := exosql.Follow(members, tu.MemberTasks).OrderBy(tu.TaskID.Asc())
		if got := kit.IDs(t, back, taskID); !slices.Equal(got, []int64{1001, 1002, 1004}) {
			t.Errorf("tasks of the assignees %v", got)
		}
		shared := exosql.Follow(exosql.Follow(exosql.Follow(exosql.Follow(tasks, tu.TaskLabels), tu.TaskTagName), tu.TagTasks), tu.TaskTagOf).OrderBy(tu.TaskID.Asc())
		if got := kit.IDs(t, shared, taskID); !slices.Equal(got, []int64{1001, 1002}) {
			t.Errorf("tasks of the shared tags %v", got)
		}
		limited := exosql.Follow(tasks.OrderBy(tu.TaskID.Desc()).Limit(2), tu.TaskAssigned)
		if got := kit.IDs(t, limited, memberID); !slices.Equal(got, []int64{12}) {
			t.Errorf("assignees of two tasks %v", got)
		}
		// The twin: without scopes, links alone lead out.
		open := exosql.Grant(db, tu.Orgs, tu.OrgID.Eq(tu.Acme))
		out := exosql.Follow(exosql.Follow(exosql.Follow(open, tu.OrgProjects), tu.ProjectTasks), tu.TaskAssigned)
		if got := kit.IDs(t, out.OrderBy(tu.MemberID.Asc()), memberID); !slices.Contains(got, 21) {
			t.Errorf("the twin stays inside: %v", got)
		}
	})
}

func TestZeroValuesRefuse(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		ctx := context.Background()
		db := e.Open(t)
		var zero exosql.Relation[tu.Task]
		if _, err := zero.All(ctx); !errors.Is(err, fail.ErrDenied) {
			t.Errorf("All of the zero Relation: %v", err)
		}
		if _, _, err := zero.Where(tu.TaskDone.Eq(true)).OrderBy(tu.TaskID.Asc()).Limit(1).Offset(1).First(ctx); !errors.Is(err, fail.ErrDenied) {
			t.Errorf("First of the zero Relation: %v", err)
		}
		if _, err := exosql.Follow(zero, tu.TaskOf).Count(ctx); !errors.Is(err, fail.ErrDenied) {
			t.Errorf("Count of what follows it: %v", err)
		}
		if _, err := exosql.Follow(acme(t, e), exosql.Link[tu.Task, tu.Project]{}).All(ctx); !errors.Is(err, fail.ErrDenied) {
			t.Errorf("the zero Link: %v", err)
		}
		if _, err := exosql.Grant(db, tu.Orgs, exosql.Predicate[tu.Org]{}).All(ctx); !errors.Is(err, fail.ErrDenied) {
			t.Errorf("the zero scope: %v", err)
		}
		for _, r := range []exosql.Relation[tu.Org]{exosql.Grant(nil, tu.Orgs, tu.OrgID.Eq(1)), exosql.Grant(db, (*exosql.Table[tu.Org])(nil), tu.OrgID.Eq(1))} {
			if _, err := r.All(ctx); !errors.Is(err, fail.ErrDenied) {
				t.Errorf("no database or table: %v", err)
			}
		}
		if _, err := acme(t, e).OrderBy(exosql.Order[tu.Task]{}).All(ctx); fail.KindOf(err) != fail.Invalid {
			t.Errorf("the zero Order: %v", err)
		}
		if _, err := exosql.Grant(db, tu.Orgs, tu.OrgID.Eq(1), exosql.Scope{}).All(ctx); err == nil {
			t.Error("the zero Scope was taken")
		}
		for what, col := range map[string]*exosql.Column[tu.Task, int64]{"nil": nil, "zero": {}} {
			for _, p := range []exosql.Predicate[tu.Task]{col.Eq(1), col.In(1), col.IsNull(), col.IsNotNull(), col.Between(1, 2)} {
				if n, err := acme(t, e).Where(p).Count(ctx); err != nil || n != 0 {
					t.Errorf("the %s Column: %d %v", what, n, err)
				}
			}
			if _, err := acme(t, e).OrderBy(col.Asc(), col.Desc()).All(ctx); fail.KindOf(err) != fail.Invalid {
				t.Errorf("an order by the %s Column: %v", what, err)
			}
		}
	})
}

// The zero Predicate matches no row, and absorbs: not even Not of it matches.
func TestZeroPredicateAbsorbs(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		var zero exosql.Predicate[tu.Task]
		all := exosql.AllRows[tu.Task]()
		for name, p := range map[string]exosql.Predicate[tu.Task]{
			"zero": zero, "not": exosql.Not(zero), "not not": exosql.Not(exosql.Not(zero)), "and": exosql.And(all, zero), "or": exosql.Or(all, zero),
			"not and": exosql.Not(exosql.And(all, zero)), "not or": exosql.Not(exosql.Or(zero, all)), "and of none": exosql.And[tu.Task](), "or of none": exosql.Or[tu.Task](), "not and of none": exosql.Not(exosql.And[tu.Task]()),
		} {
			if got := kit.IDs(t, acme(t, e).Where(p), taskID); len(got) != 0 {
				t.Errorf("%s matches %v", name, got)
			}
		}
	})
}

func TestBadValues(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		ctx := context.Background()
		db := e.Open(t)
		projects := exosql.Follow(tu.OrgOf(db, tu.Acme), tu.OrgProjects)
		for name, r := range map[string]interface {
			Count(context.Context) (int64, error)
		}{
			"NaN":            projects.Where(tu.ProjectBudget.Lt(math.NaN())),
			"infinite":       projects.Where(tu.ProjectBudget.Eq(math.Inf(1))),
			"NUL":            projects.Where(tu.ProjectName.Eq("a\x00b")),
			"not UTF-8":      projects.Where(tu.ProjectName.Eq("\xff")),
			"year 300000":    acme(t, e).Where(tu.TaskDue.Lt(time.Date(300000, 1, 1, 0, 0, 0, 0, time.UTC))),
			"year 0":         acme(t, e).Where(tu.TaskDue.Lt(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC))),
			"in a list":      projects.Where(tu.ProjectName.In("a", "\x00")),
			"inside not":     projects.Where(exosql.Not(tu.ProjectName.Eq("\x00"))),
			"as the scope":   exosql.Grant(db, tu.Orgs, tu.OrgName.Eq("\x00")),
			"negative limit": acme(t, e).Limit(-1),
			"negative skip":  acme(t, e).Offset(-1),
		} {
			if n, err := r.Count(ctx); fail.KindOf(err) != fail.Invalid {
				t.Errorf("%s: %d, %v", name, n, err)
			}
		}
		if n, err := exosql.Grant(db, tu.Orgs, tu.OrgID.Eq(1), exosql.ScopeRows(tu.Members, tu.MemberName.Eq("\x00"))).Count(ctx); err == nil {
			t.Errorf("in a scope: %d", n)
		}
	})
}

// A relation is a value: what is derived from it does not change it.
func TestRelationsAreImmutable(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := acme(t, e)
		a, b := r.Where(tu.TaskDone.Eq(true)), r.Where(tu.TaskDone.Eq(false))
		r.Limit(1)
		r.OrderBy(tu.TaskID.Desc())
		if na, nb, n := len(kit.IDs(t, a, taskID)), len(kit.IDs(t, b, taskID)), len(kit.IDs(t, r, taskID)); na != 1 || nb != 4 || n != 5 {
			t.Error(na, nb, n)
		}
	})
}
