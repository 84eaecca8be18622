package checks_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type odd struct {
	C complex128
	P []byte
	U uint64
}

func panicOf(f func()) (msg string) {
	defer func() {
		if x := recover(); x != nil {
			msg = fmt.Sprint(x)
		}
	}()
	f()
	return ""
}

// What is wrong with a declaration is found when the program starts. Each
// mistake has a twin that is right.
func TestDeclarationPanics(t *testing.T) {
	a := func(p *kit.Pair) *int64 { return &p.A }
	s := func(p *kit.Pair) *string { return &p.S }
	table := func() (*exosql.Table[kit.Pair], *exosql.Column[kit.Pair, int64]) {
		t := exosql.NewTable[kit.Pair]("pairs")
		return t, exosql.NewKey(t, "a", a)
	}
	for name, c := range map[string]struct {
		wrong, right func()
		want         string
	}{
		"empty table name": {func() { exosql.NewTable[kit.Pair]("") }, func() { exosql.NewTable[kit.Pair]("p") }, "name is empty"},
		"empty column name": {func() { x, _ := table(); exosql.NewColumn(x, "", s) },
			func() { x, _ := table(); exosql.NewColumn(x, "s", s) }, "empty name"},
		"duplicate column": {func() { x, _ := table(); exosql.NewColumn(x, "a", a) },
			func() { x, _ := table(); exosql.NewColumn(x, "b", func(p *kit.Pair) *int64 { return &p.B }) }, "declared twice"},
		"no type of a column": {func() {
			x := exosql.NewTable[odd]("odds")
			exosql.NewColumn(x, "c", func(o *odd) *complex128 { return &o.C })
		}, func() { table() }, "can't be the type of a column"},
		"unsigned": {func() {
			x := exosql.NewTable[odd]("odds")
			exosql.NewColumn(x, "u", func(o *odd) *uint64 { return &o.U })
		}, func() { table() }, "can't be the type of a column"},
		"reserved name for programs": {func() { x, _ := table(); exosql.NewColumn(x, "s", s).Named("then") },
			func() { x, _ := table(); exosql.NewColumn(x, "s", s).Named("text") }, `can't be named "then"`},
		"name with a blank": {func() { x, _ := table(); exosql.NewColumn(x, "s", s).Named("a b") },
			func() { x, _ := table(); exosql.NewColumn(x, "a b", s).Named("ab") }, `can't be named`},
		"unnameable column in a facet": {func() { x, _ := table(); exosql.NewFacet(x, "pair", exosql.NewColumn(x, "a b", s)) },
			func() { x, _ := table(); exosql.NewFacet(x, "pair", exosql.NewColumn(x, "a b", s).Named("ab")) }, "give it one with Named"},
		"OneOf on a number": {func() { _, k := table(); k.OneOf(1) },
			func() { x, _ := table(); exosql.NewColumn(x, "s", s).OneOf("a") }, "OneOf needs a text column"},
		"OneOf of nothing": {func() { x, _ := table(); exosql.NewColumn(x, "s", s).OneOf() },
			func() { x, _ := table(); exosql.NewColumn(x, "s", s).OneOf("a") }, "OneOf needs"},
		"StoredISO on text": {func() { x, _ := table(); exosql.NewColumn(x, "s", s).StoredISO() },
			func() {
				exosql.NewColumn(exosql.NewTable[tu.Comment]("comments"), "created_at", func(c *tu.Comment) *time.Time { return &c.CreatedAt }).StoredISO()
			}, "StoredISO needs a time"},
		"link named limit": {func() { _, k := table(); exosql.Many("limit", k, k) },
			func() { _, k := table(); exosql.Many("limits", k, k) }, "can't be the name of a link"},
		"link named then": {func() { _, k := table(); exosql.One("then", k, k) },
			func() { _, k := table(); exosql.One("next", k, k) }, "can't be the name of a link"},
		"link of a zero column": {func() { _, k := table(); exosql.Many("x", k, &exosql.Column[kit.Pair, int64]{}) },
			func() { _, k := table(); exosql.Many("x", k, k) }, "zero column"},
		"link of a nil column": {func() { _, k := table(); exosql.Many("x", k, (*exosql.Column[kit.Pair, int64])(nil)) },
			func() { _, k := table(); exosql.Many("x", k, k) }, "zero column"},
		"doc of a zero column": {func() { (&exosql.Column[kit.Pair, int64]{}).Doc("x") },
			func() { _, k := table(); k.Doc("x") }, "was not declared"},
		"name of a nil column": {func() { (*exosql.Column[kit.Pair, int64])(nil).Named("x") },
			func() { _, k := table(); k.Named("x") }, "was not declared"},
		"nil column in a facet": {func() { x, _ := table(); exosql.NewFacet(x, "pair", (*exosql.Column[kit.Pair, int64])(nil)) },
			func() { x, k := table(); exosql.NewFacet(x, "pair", k) }, "was not declared"},
		"facet alias then": {func() { x, _ := table(); exosql.NewFacet(x, "then") },
			func() { x, _ := table(); exosql.NewFacet(x, "pair") }, "alias"},
		"facet alias empty": {func() { x, _ := table(); exosql.NewFacet(x, "") },
			func() { x, _ := table(); exosql.NewFacet(x, "pair") }, "alias"},
		"facet alias a keyword": {func() { x, _ := table(); exosql.NewFacet(x, "class") },
			func() { x, _ := table(); exosql.NewFacet(x, "class_") }, `"class" can't be the alias of a facet: it is a word of JavaScript`},
		"facet alias await": {func() { x, _ := table(); exosql.NewFacet(x, "await") },
			func() { x, _ := table(); exosql.NewFacet(x, "awaited") }, "word of JavaScript"},
		"facet alias with a dot": {func() { x, _ := table(); exosql.NewFacet(x, "a.b") },
			func() { x, _ := table(); exosql.NewFacet(x, "ab") }, "alias"},
		"member twice": {func() { x, k := table(); exosql.NewFacet(x, "pair", k, k) },
			func() { x, k := table(); exosql.NewFacet(x, "pair", k) }, "two members named"},
		"link and column of one name": {func() {
			x, k := table()
			f := exosql.NewFacet(x, "pair", k)
			f.Add(exosql.Via(exosql.One("a", k, k), f))
		}, func() {
			x, k := table()
			f := exosql.NewFacet(x, "pair", k)
			f.Add(exosql.Via(exosql.One("b", k, k), f))
		}, "two members named"},
		"zero column in a facet": {func() { x, _ := table(); exosql.NewFacet(x, "pair", &exosql.Column[kit.Pair, int64]{}) },
			func() { x, k := table(); exosql.NewFacet(x, "pair", k) }, "was not declared"},
		"via of a zero link": {func() {
			x, k := table()
			f := exosql.NewFacet(x, "pair", k)
			f.Add(exosql.Via(exosql.Link[kit.Pair, kit.Pair]{}, f))
		}, func() {
			x, k := table()
			f := exosql.NewFacet(x, "pair", k)
			f.Add(exosql.Via(exosql.One("b", k, k), f))
		}, "Via of a zero Link"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := panicOf(c.wrong); !strings.HasPrefix(got, "exosql: ") || !strings.Contains(got, c.want) {
				t.Errorf("panics with %q, want %q in it", got, c.want)
			}
			if got := panicOf(c.right); got != "" {
				t.Errorf("the twin panics: %s", got)
			}
		})
	}
}

func TestFrozenFacet(t *testing.T) {
	x := exosql.NewTable[kit.Pair]("pairs")
	k := exosql.NewKey(x, "a", func(p *kit.Pair) *int64 { return &p.A })
	b := exosql.NewColumn(x, "b", func(p *kit.Pair) *int64 { return &p.B })
	c := exosql.NewColumn(x, "c", func(p *kit.Pair) *float64 { return &p.F })
	f := exosql.NewFacet(x, "pair", k)
	if got := panicOf(func() { f.Add(b) }); got != "" {
		t.Fatalf("Add before Of: %s", got)
	}
	db := tu.OpenWith(t, "CREATE TABLE pairs (a INTEGER PRIMARY KEY, b INTEGER NOT NULL)")
	o := f.Of(exosql.Grant(db, x, exosql.AllRows[kit.Pair]()))
	if _, err := o.Describe(); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(){
		"Add to a facet":    func() { f.Add(c) },
		"NewColumn":         func() { exosql.NewColumn(x, "d", func(p *kit.Pair) *string { return &p.S }) },
		"Named of a column": func() { b.Named("bee") },
		"WithLabel":         func() { b.WithLabel("pii") },
		"Doc":               func() { b.Doc("a number") },
	} {
		if got := panicOf(change); !strings.Contains(got, "in use") {
			t.Errorf("%s in use: %q", what, got)
		}
	}
}

// What only the whole shows is an error where the object is granted.
func TestGrantErrors(t *testing.T) {
	db := tu.Open(t)
	x := exosql.NewTable[kit.Pair]("pairs")
	nokey := exosql.NewColumn(x, "b", func(p *kit.Pair) *int64 { return &p.B })
	y := exosql.NewTable[kit.Pair]("pairs")
	key := exosql.NewKey(y, "a", func(p *kit.Pair) *int64 { return &p.A })
	self := func(alias2 bool) *exosql.Facet[kit.Pair] {
		f := exosql.NewFacet(y, "pair", key)
		g := exosql.NewFacet(y, "pair", key)
		if alias2 {
			g = exosql.NewFacet(y, "other", key)
		}
		return f.Add(exosql.Via(exosql.One("next", key, key), g))
	}
	for name, c := range map[string]struct {
		o    exo.Object
		want string
	}{
		"no key":        {exosql.NewFacet(x, "pair", nokey).Of(exosql.Grant(db, x, exosql.AllRows[kit.Pair]())), "has no key"},
		"no column":     {exosql.NewFacet(y, "pair").Of(exosql.Grant(db, y, exosql.AllRows[kit.Pair]())), "shows no column"},
		"one alias":     {self(false).Of(exosql.Grant(db, y, exosql.AllRows[kit.Pair]())), "two facets have the alias"},
		"zero relation": {exosql.NewFacet(y, "pair", key).Of(exosql.Relation[kit.Pair]{}), "this relation is zero"},
		"zero scope":    {exosql.NewFacet(y, "pair", key).Of(exosql.Grant(db, y, exosql.Predicate[kit.Pair]{})), "zero Predicate"},
		"bad value":     {exosql.NewFacet(y, "pair", key).Of(exosql.Grant(db, y, exosql.AllRows[kit.Pair]()).Limit(-1)), "negative"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"x": c.o}})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	// Twins that are right.
	for _, o := range []exo.Object{exosql.NewFacet(y, "pair", key).Of(exosql.Grant(db, y, exosql.AllRows[kit.Pair]()))} {
		if _, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"x": o}}); err != nil {
			t.Error(err)
		}
	}
}

// Queries of two databases are not combined.
func TestTwoDatabases(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		a, b := e.Open(t), e.Open(t)
		r := tu.NewRunner(t, map[string]exo.Object{"tasks": tu.Tenant(a, tu.Acme)["tasks"], "others": tu.Tenant(b, tu.Acme)["tasks"]}, exo.Limits{})
		o := r.Run(t, "return await tasks.join(others.as('o'), ({ task, o }) => task.id === o.id).count()")
		if o.Kind != fail.Invalid || !strings.Contains(o.Message, "different databases") {
			t.Error(o)
		}
		if o := r.Run(t, "return [await tasks.count(), await others.count()]"); o.JSON != "[5,5]" {
			t.Error(o)
		}
	})
}
