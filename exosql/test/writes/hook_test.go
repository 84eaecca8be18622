package writes_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

const (
	hkPages  = "SELECT id, book_id, title, points, author, slug, CASE WHEN touched IS NULL THEN '-' ELSE 'now' END, reader_id, odd FROM pages ORDER BY id"
	hkBefore = "1|1|a|1|-|-|-|-|- 2|1|b|2|-|-|-|-|- 3|2|c|3|-|-|-|-|-"
)

// TestBeforeWrite: in every form in which a program gives values the hooks see each row, and fill what it did not give.
func TestBeforeWrite(t *testing.T) {
	const a, b, c = "1|1|a|1|-|-|-|-|-", "2|1|b|2|-|-|-|-|-", "3|2|c|3|-|-|-|-|-"
	cases := []struct{ program, want, pages string }{
		{`return pages.insert({ title: "n" }).then(p => p.author)`, `"by ann"`, hkBefore + " 4|1|n|-|by ann|-|now|-|-"},
		{`return pages.create({ title: "n", points: null }).then(p => p.author)`, `"by ann"`, hkBefore + " 4|1|n|-|by ann|-|now|-|none"},
		{`return pages.insertMany([{ title: "n" }, { title: "o", points: null }, { title: "p" }])`, "3", hkBefore + " 4|1|n|-|by ann|-|now|-|- 5|1|p|-|by ann|-|now|-|- 6|1|o|-|by ann|-|now|-|none"},
		{`return pages.insertMany([{ title: "n" }, { title: "bad" }])`, "!pages.insertMany: no title is bad, or calculated", ""},
		{`return books.pages().insert({ title: "n" }).then(p => p.author)`, `"by ann"`, hkBefore + " 4|1|n|-|by ann|-|now|-|-"},
		{`return books.where({ id: 1 }).pages().insertMany([{ title: "n" }])`, "1", hkBefore + " 4|1|n|-|by ann|-|now|-|-"},
		{`return pages.where({ id: 1 }).update({ points: 5 })`, "1", "1|1|a|5|-|-|now|-|- " + b + " " + c},
		{`return pages.where({ id: 1 }).update({ points: null })`, "1", "1|1|a|-|-|-|now|-|none " + b + " " + c},
		{`return pages.updateMany({ where: { id: 1 }, data: { points: 5 } })`, "1", "1|1|a|5|-|-|now|-|- " + b + " " + c},
		{`return pages.where({ id: 1 }).update(p => ({ points: 5 }))`, "1", "1|1|a|5|-|-|now|-|- " + b + " " + c},
		{`return pages.where({ id: 1 }).update(p => ({ points: p.points + 4 }))`, "1", "1|1|a|5|-|-|now|-|- " + b + " " + c},
		{`return pages.where({ id: 1 }).update(p => ({ points: p.points + 4, title: "bad" }))`, "!pages.where(…).update: no title is bad, or calculated", ""},
		{`return pages.where({ id: 1 }).update(p => ({ title: p.title.upper() }))`, "!pages.where(…).update: no title is bad, or calculated", ""},
		{`return books.where({ id: 1 }).pages().where({ id: 2 }).update({ points: 5 })`, "1", a + " 2|1|b|5|-|-|now|-|- " + c},
		{`return pages.orderBy(p => p.id.desc()).limit(1).update({ points: 5 })`, "1", a + " 2|1|b|5|-|-|now|-|- " + c},
		{`return pages.where({ id: 3 }).update({ points: 5 })`, "0", ""},
		{`return pages.where({ id: 1 }).update({})`, "!there is nothing to change", ""},
		{`return pages.where({ id: 1 }).delete()`, "1", b + " " + c},

		// What programs try with a column that a hook fills.
		{`return pages.insert({ title: "n", author: "eve" })`, "!`author` is filled in automatically: leave it out", ""},
		{`return pages.insert({ title: "n", author: null })`, "!`author` is filled in automatically: leave it out", ""},
		{`return pages.insert({ title: "n", author: undefined })`, "!", ""},
		{`return pages.insertMany([{ title: "n" }, { title: "o", author: "eve" }])`, "!`author` is filled in automatically: leave it out", ""},
		{`return pages.insert({ title: "n", touched: "2020-01-01" })`, "!there is no field `touched`", ""},
		{"return pages.insert({ title: 'n', '\\u0001odd': 'x' })", "!there is no field", ""},
		{"return pages.where({ id: 1 }).update({ '\\u0001odd': 'x' })", "!there is no field", ""},
		{"return pages.where({ id: 1 }).update(p => ({ '\\u0001odd': p.title }))", "!there is no field", ""},
		{`return pages.select(p => p.touched)`, "!page has no member `touched`", ""},
		{`try { await pages.insert({ title: "bad" }) } catch (e) { return [e.message.includes("no title is bad"), await pages.where({ id: 1 }).update({ points: 5 })] }`, "[true,1]", "1|1|a|5|-|-|now|-|- " + b + " " + c},
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, look, reset := kit.OpenHooked(t, e)
		for _, c := range cases {
			reset()
			got, _ := kit.RunHooked(t, kit.DeclareHooked().Usual().Grants(db, 1), c.program)
			if want, failed := strings.CutPrefix(c.want, "!"); got != c.want && !(failed && strings.HasPrefix(got, "!") && strings.Contains(got, want)) {
				t.Errorf("%s\n gives %s, not %s", c.program, got, c.want)
			}
			want := c.pages
			if want == "" {
				want = hkBefore
			}
			if has := look(hkPages); has != want {
				t.Errorf("%s\n leaves %s\n want   %s", c.program, has, want)
			}
		}
	})
}

// TestBeforeWriteOfGo: the same hooks are asked before Go code writes, also in a transaction, and their errors are told.
func TestBeforeWriteOfGo(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		ctx := t.Context()
		db, look, _ := kit.OpenHooked(t, e)
		d := kit.DeclareHooked()
		broken, much := errors.New("broken"), fail.Errorf(fail.Invalid, "", "too many pages")
		d.Pages.BeforeWrite(func(_ context.Context, w *exosql.Write[kit.HookedPage]) error {
			if w.Facet != "" || w.Run.ID != (exo.RunID{}) || w.Run.Principal != "" || time.Since(w.Run.Clock) > time.Minute {
				t.Errorf("it is told %q %+v", w.Facet, w.Run)
			}
			switch w.Row.Title {
			case "bad":
				return broken
			case "much":
				return fmt.Errorf("hook: %w", much)
			}
			return nil
		})
		d.Usual()
		pages := exosql.Grant(db, d.Pages, d.Book.Eq(1))
		p, err := pages.Insert(ctx, d.Title.Set("n"))
		if err != nil || *p.Author != "by " || p.Touched == nil {
			t.Errorf("%+v %v", p, err)
		}
		if _, err := pages.Insert(ctx, d.Title.Set("bad")); !errors.Is(err, broken) || !errors.Is(err, exo.ErrNothingDone) {
			t.Error(err)
		}
		if _, err := pages.Insert(ctx, d.Title.Set("much")); !errors.Is(err, much) || !errors.Is(err, exo.ErrNothingDone) || fail.KindOf(err) != fail.Invalid {
			t.Error(err)
		}
		if _, err := pages.Insert(ctx, d.Title.Set("x"), d.Author.Set("me")); fail.KindOf(err) != fail.Denied {
			t.Error(err)
		}
		if n, err := exosql.Follow(exosql.Grant(db, d.Books, d.BookID.Eq(1)), d.BookPage).InsertMany(ctx, []exosql.Assignment[kit.HookedPage]{d.Title.Set("o")}, []exosql.Assignment[kit.HookedPage]{d.Title.Set("q"), d.Points.SetNull()}); n != 2 || err != nil {
			t.Error(n, err)
		}
		err = db.Transact(ctx, func(tx *exosql.Tx) error {
			if _, err := pages.InTx(tx).Where(d.ID.Eq(1)).Update(ctx, d.Title.Set("bad")); !errors.Is(err, broken) {
				t.Error(err)
			}
			_, err := pages.InTx(tx).Where(d.ID.Eq(1)).Update(ctx, d.Points.Set(7))
			return err
		})
		if err != nil {
			t.Error(err)
		}
		if n, err := pages.Where(d.ID.Eq(2)).Delete(ctx); n != 1 || err != nil {
			t.Error(n, err)
		}
		want := "1|1|a|7|-|-|now|-|- 3|2|c|3|-|-|-|-|- 4|1|n|-|by |-|now|-|- 5|1|o|-|by |-|now|-|- 6|1|q|-|by |-|now|-|none"
		if has := look(hkPages); has != want {
			t.Errorf("it leaves %s\n want    %s", has, want)
		}
	})
}

// TestHooksStayInScope: what a hook fills is bound to the scope like what programs give, and the host is told that it is the hook's fault.
// Each hostile hook has a twin that fills what is in scope, or without a scope.
func TestHooksStayInScope(t *testing.T) {
	const insert, update, key = `return pages.insert({ title: "n" }).then(p => p.title)`, `return pages.where({ id: 1 }).update({ points: 5 })`, `return pages.where({ id: 1 }).update(p => ({ points: p.points + 4 }))`
	type fill = func(d *kit.Hooked) (exosql.Assignment[kit.HookedPage], exosql.Member[kit.HookedPage])
	book := func(n int64) fill {
		return func(d *kit.Hooked) (exosql.Assignment[kit.HookedPage], exosql.Member[kit.HookedPage]) {
			return d.Book.Set(n), d.Book
		}
	}
	reader := func(n int64) fill {
		return func(d *kit.Hooked) (exosql.Assignment[kit.HookedPage], exosql.Member[kit.HookedPage]) {
			return d.Reader.Set(n), d.Reader
		}
	}
	people := func(d *kit.Hooked) exosql.Scope { return exosql.ScopeRows(d.People, d.Org.Eq(1)) }
	none := func(d *kit.Hooked) exosql.Scope { return exosql.ScopeShared(d.Books) }
	cases := map[string]struct {
		program string
		fill    fill
		scope   func(*kit.Hooked) exosql.Scope
		host    string // in the error of the host; "": it succeeds
	}{
		"a book of others, inserted":      {insert, book(2), none, "a hook fills pages.book_id: denied: `bookId` is filled in"},
		"a book of others, linked":        {`return books.pages().insert({ title: "n" })`, book(2), none, "a hook fills pages.book_id"},
		"the own book, inserted":          {insert, book(1), none, "a hook fills pages.book_id"}, // it is filled in already
		"a book of others, updated":       {update, book(2), none, "a hook fills pages.book_id: denied: `bookId` can't be changed"},
		"a book of others, calculated":    {key, book(2), none, "a hook fills pages.book_id: denied: `bookId` can't be changed"},
		"a book of others, through books": {`return books.pages().where({ id: 1 }).update({ points: 5 })`, book(2), none, "a hook fills pages.book_id: invalid: this row would refer to no row"},
		"the own book, through books":     {`return books.pages().where({ id: 1 }).update({ points: 5 })`, book(1), none, ""},
		"a reader of others, inserted":    {insert, reader(2), people, "a hook fills pages.reader_id: invalid: this row would refer to no row"},
		"a reader of others, updated":     {update, reader(2), people, "a hook fills pages.reader_id: invalid: this row would refer to no row"},
		"a reader of others, calculated":  {key, reader(2), people, "a hook fills pages.reader_id: invalid: this row would refer to no row"},
		"the own reader, inserted":        {insert, reader(1), people, ""},
		"the own reader, updated":         {update, reader(1), people, ""},
		"a reader that no grant reaches":  {key, reader(2), none, ""},
		"the key of a row": {update, func(d *kit.Hooked) (exosql.Assignment[kit.HookedPage], exosql.Member[kit.HookedPage]) {
			return d.ID.Set(9), d.ID
		}, none,
			"a hook fills pages.id: invalid: the key `id` can't be changed"},
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, look, reset := kit.OpenHooked(t, e)
		for what, c := range cases {
			reset()
			d := kit.DeclareHooked()
			v, col := c.fill(d)
			d.Pages.BeforeWrite(func(_ context.Context, w *exosql.Write[kit.HookedPage]) error { w.Fill(v); return nil }, col)
			got, err := kit.RunHooked(t, d.Grants(db, 1, c.scope(d)), c.program)
			if c.host == "" {
				if err != nil || look(hkPages) == hkBefore {
					t.Errorf("%s: %v leaves %s", what, err, look(hkPages))
				}
				continue
			}
			if !strings.HasSuffix(got, "internal error") || fail.KindOf(err) != fail.Internal || !strings.Contains(err.Error(), c.host) {
				t.Errorf("%s: the program reads %s\n of %v", what, got, err)
			}
			if look(hkPages) != hkBefore {
				t.Errorf("%s: it leaves %s", what, look(hkPages))
			}
		}
	})
}

// TestHooksStayInScopeOfGo is the same for Go code, which has links to tables without a scope, too.
func TestHooksStayInScopeOfGo(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, look, _ := kit.OpenHooked(t, e)
		for reader, want := range map[int64]string{1: "", 2: "a hook fills pages.reader_id: invalid: this row would refer to no row"} {
			d := kit.DeclareHooked()
			d.Pages.BeforeWrite(func(_ context.Context, w *exosql.Write[kit.HookedPage]) error {
				w.Fill(d.Reader.Set(reader))
				return nil
			}, d.Reader)
			for _, scopes := range [][]exosql.Scope{nil, {exosql.ScopeRows(d.People, d.Org.Eq(1))}} {
				n, err := exosql.Grant(db, d.Pages, d.Book.Eq(1), scopes...).Where(d.ID.Eq(1)).Update(t.Context(), d.Points.Set(5))
				if want == "" || scopes == nil {
					if n != 1 || err != nil {
						t.Errorf("%d, %d scopes: %d %v", reader, len(scopes), n, err)
					}
				} else if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%d: %v", reader, err)
				}
			}
		}
		if !strings.HasPrefix(look(hkPages), "1|1|a|5|-|-|-|") {
			t.Error(look(hkPages))
		}
	})
}

// TestHookErrors: a program reads what a hook says to it, and nothing that it does not say to a program or that names what the
// facet does not show. Of none anything is done, and the program can go on.
func TestHookErrors(t *testing.T) {
	d := kit.DeclareHooked()
	var nothing *fail.Error
	cases := map[string]struct {
		hook func(w *exosql.Write[kit.HookedPage]) error
		want string
	}{
		"invalid": {func(*exosql.Write[kit.HookedPage]) error {
			return fail.Errorf(fail.Invalid, "", "a title has %d words", 2)
		}, "a title has 2 words"},
		"denied": {func(*exosql.Write[kit.HookedPage]) error { return fail.Errorf(fail.Denied, "", "not today") }, "not today"},
		"with a cause": {func(*exosql.Write[kit.HookedPage]) error {
			return &fail.Error{Kind: fail.Invalid, Msg: "no", Err: errors.New("secret")}
		}, "no"},
		"any other error": {func(*exosql.Write[kit.HookedPage]) error { return errors.New("secret") }, "internal error"},
		"another kind":    {func(*exosql.Write[kit.HookedPage]) error { return fail.Errorf(fail.Conflict, "", "secret") }, "internal error"},
		"of another call": {func(*exosql.Write[kit.HookedPage]) error {
			return fail.Errorf(fail.Invalid, "exosql: Insert", "secret")
		}, "internal error"},
		"wrapped": {func(*exosql.Write[kit.HookedPage]) error {
			return fmt.Errorf("secret: %w", fail.Errorf(fail.Invalid, "", "secret"))
		}, "internal error"},
		"a nil pointer": {func(*exosql.Write[kit.HookedPage]) error { return nothing }, "internal error"},
		"a panic":       {func(*exosql.Write[kit.HookedPage]) error { panic("secret") }, "internal error"},
		"names a hidden column": {func(*exosql.Write[kit.HookedPage]) error {
			return fail.Errorf(fail.Invalid, "", "set `reader_id` first")
		}, "internal error"},
		"names it as programs do":   {func(*exosql.Write[kit.HookedPage]) error { return fail.Errorf(fail.Denied, "", "no readerId: given") }, "internal error"},
		"names it in capitals":      {func(*exosql.Write[kit.HookedPage]) error { return fail.Errorf(fail.Denied, "", "SLUG") }, "internal error"},
		"a word with a name in it":  {func(*exosql.Write[kit.HookedPage]) error { return fail.Errorf(fail.Denied, "", "oddly untouched") }, "oddly untouched"},
		"fills what it did not say": {func(w *exosql.Write[kit.HookedPage]) error { w.Fill(d.Reader.Set(1)); return nil }, "internal error"},
		"fills nothing":             {func(w *exosql.Write[kit.HookedPage]) error { w.Fill(exosql.Assignment[kit.HookedPage]{}); return nil }, "internal error"},
		"fills a column twice":      {func(w *exosql.Write[kit.HookedPage]) error { w.Fill(d.Odd.Set("x"), d.Odd.Set("y")); return nil }, "internal error"},
		"fills no value of it":      {func(w *exosql.Write[kit.HookedPage]) error { w.Fill(d.Slug.Set("secret")); return nil }, "internal error"},
		"fills what none can hold":  {func(w *exosql.Write[kit.HookedPage]) error { w.Fill(d.Odd.Set("secret\x00")); return nil }, "internal error"},
		"fills rows that go": {func(w *exosql.Write[kit.HookedPage]) error {
			if w.Kind == exosql.Deletes {
				w.Fill(d.Odd.Set("x"))
				return nil
			}
			return errors.New("secret")
		}, "internal error"},
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, look, _ := kit.OpenHooked(t, e)
		for what, c := range cases {
			d = kit.DeclareHooked()
			d.Pages.BeforeWrite(func(_ context.Context, w *exosql.Write[kit.HookedPage]) error { return c.hook(w) }, d.Slug, d.Odd)
			grants := d.Grants(db, 1)
			for _, write := range []string{`pages.insert({ title: "n" })`, `pages.where({ id: 1 }).update({ points: 5 })`, `pages.where({ id: 1 }).delete()`} {
				got, err := kit.RunHooked(t, grants, "try { await "+write+" } catch (e) { return e.message } return 'done'")
				if text := strings.Trim(got, `"`); !strings.HasSuffix(text, ": "+c.want) || strings.Contains(text, "secret") || err != nil {
					t.Errorf("%s: %s: the program reads %s %v", what, write, got, err)
				}
			}
			if look(hkPages) != hkBefore {
				t.Fatalf("%s: it leaves %s", what, look(hkPages))
			}
		}
	})
}

// TestHookDeclarations: what can't be a hook panics where it is declared.
func TestHookDeclarations(t *testing.T) {
	db, err := exosql.Open(t.Context(), "sqlite::memory:", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ok := func(context.Context, *exosql.Write[kit.HookedPage]) error { return nil }
	for what, declare := range map[string]func(d *kit.Hooked){
		"no function": func(d *kit.Hooked) { d.Pages.BeforeWrite(nil) },
		"no table":    func(*kit.Hooked) { (&exosql.Table[kit.HookedPage]{}).BeforeWrite(ok) },
		"a link": func(d *kit.Hooked) {
			d.Books.BeforeWrite(func(context.Context, *exosql.Write[kit.HookedBook]) error { return nil }, exosql.Via(d.BookPage, exosql.NewFacet(d.Pages, "page", d.ID)))
		},
		"a zero column":    func(d *kit.Hooked) { d.Pages.BeforeWrite(ok, &exosql.Column[kit.HookedPage, string]{}) },
		"of another table": func(d *kit.Hooked) { d.Pages.BeforeWrite(ok, kit.DeclareHooked().Odd) },
		"a table in use": func(d *kit.Hooked) {
			if _, err := d.Grants(db, 1)["pages"].Describe(); err == nil {
				d.Usual()
			}
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: nothing panics", what)
				}
			}()
			declare(kit.DeclareHooked())
		}()
	}
	var w exosql.Write[kit.HookedPage]
	if w.Fill(exosql.Assignment[kit.HookedPage]{}); w.Gives(nil) || w.Calculates(nil) {
		t.Error("a zero Write gives something")
	}
}

// TestHookUnique: a hook could fill by what a program gives, so a value that is unique beyond the scope is refused as if the program gave it.
func TestHookUnique(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, _ := kit.File(t, e, "CREATE TABLE pages (id {int} PRIMARY KEY, book_id {int} NOT NULL, title TEXT, points {int}, author TEXT, slug TEXT UNIQUE, touched {time}, reader_id {int}, odd TEXT)", "CREATE TABLE books (id {int} PRIMARY KEY, org_id {int})", "INSERT INTO pages (id, book_id) VALUES (1, 1)")
		for _, fills := range []bool{true, false} {
			d := kit.DeclareHooked()
			ok := func(context.Context, *exosql.Write[kit.HookedPage]) error { return nil }
			if fills {
				d.Pages.BeforeWrite(ok, d.Slug)
			} else {
				d.Pages.BeforeWrite(ok)
			}
			f := exosql.NewFacet(d.Pages, "page", d.ID, d.Title).AllowUpdate(d.Title)
			got, err := kit.RunHooked(t, codemode.Grants{"pages": f.Of(exosql.Grant(db, d.Pages, d.Book.Eq(1)))}, `return pages.where({ id: 1 }).update({ title: "x" })`)
			if fills != (err != nil && strings.Contains(err.Error(), "(slug) is unique among the rows of all tenants")) || !fills && got != "1" {
				t.Errorf("fills %v: %s %v", fills, got, err)
			}
		}
	})
}
