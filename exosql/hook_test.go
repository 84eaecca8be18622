package exosql_test

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
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// The tables of a small store of pages with two tenants, whose pages have hooks.
var hkDDL = []string{
	"CREATE TABLE books (id {int} PRIMARY KEY, org_id {int} NOT NULL)",
	"CREATE TABLE people (id {int} PRIMARY KEY, org_id {int} NOT NULL)",
	`CREATE TABLE pages (id {serial}, book_id {int} NOT NULL REFERENCES books, title TEXT NOT NULL, points {int}, author TEXT, slug TEXT, touched {time},
	reader_id {int} REFERENCES people, odd TEXT)`,
	"INSERT INTO books VALUES (1, 1), (2, 2)",
	"INSERT INTO people VALUES (1, 1), (2, 2)",
	"INSERT INTO pages (book_id, title, points) VALUES (1, 'a', 1), (1, 'b', 2), (2, 'c', 3)",
}

const (
	hkPages  = "SELECT id, book_id, title, points, author, slug, CASE WHEN touched IS NULL THEN '-' ELSE 'now' END, reader_id, odd FROM pages ORDER BY id"
	hkBefore = "1|1|a|1|-|-|-|-|- 2|1|b|2|-|-|-|-|- 3|2|c|3|-|-|-|-|-"
)

type (
	hkBook struct{ ID, Org int64 }
	hkPage struct {
		ID, Book     int64
		Title        string
		Points       *int64
		Author, Slug *string
		Touched      *time.Time
		Reader       *int64
		Odd          *string
	}
)

// hk are declarations whose table pages has the hooks of a test.
type hk struct {
	books    *exosql.Table[hkBook]
	people   *exosql.Table[hkBook]
	pages    *exosql.Table[hkPage]
	id       *exosql.Column[hkPage, int64]
	book     *exosql.Column[hkPage, int64]
	bookID   *exosql.Column[hkBook, int64]
	bookOrg  *exosql.Column[hkBook, int64]
	org      *exosql.Column[hkBook, int64]
	title    *exosql.Column[hkPage, string]
	points   *exosql.Column[hkPage, int64]
	author   *exosql.Column[hkPage, string]
	slug     *exosql.Column[hkPage, string]
	touched  *exosql.Column[hkPage, time.Time]
	reader   *exosql.Column[hkPage, int64]
	odd      *exosql.Column[hkPage, string]
	bookPage exosql.Link[hkBook, hkPage]
}

func hkDeclare() *hk {
	d := &hk{books: exosql.NewTable[hkBook]("books"), people: exosql.NewTable[hkBook]("people"), pages: exosql.NewTable[hkPage]("pages")}
	d.bookID = exosql.NewKey(d.books, "id", func(b *hkBook) *int64 { return &b.ID })
	d.bookOrg = exosql.NewColumn(d.books, "org_id", func(b *hkBook) *int64 { return &b.Org })
	person := exosql.NewKey(d.people, "id", func(b *hkBook) *int64 { return &b.ID })
	d.org = exosql.NewColumn(d.people, "org_id", func(b *hkBook) *int64 { return &b.Org })
	d.id = exosql.NewKey(d.pages, "id", func(p *hkPage) *int64 { return &p.ID })
	d.book = exosql.NewColumn(d.pages, "book_id", func(p *hkPage) *int64 { return &p.Book })
	d.title = exosql.NewColumn(d.pages, "title", func(p *hkPage) *string { return &p.Title })
	d.points = exosql.NewNullable(d.pages, "points", func(p *hkPage) **int64 { return &p.Points })
	d.author = exosql.NewNullable(d.pages, "author", func(p *hkPage) **string { return &p.Author })
	d.slug = exosql.NewNullable(d.pages, "slug", func(p *hkPage) **string { return &p.Slug }).OneOf("a-slug", "b-slug")
	d.touched = exosql.NewNullable(d.pages, "touched", func(p *hkPage) **time.Time { return &p.Touched })
	d.reader = exosql.NewNullable(d.pages, "reader_id", func(p *hkPage) **int64 { return &p.Reader })
	d.odd = exosql.NewNullable(d.pages, "odd", func(p *hkPage) **string { return &p.Odd })
	d.bookPage = exosql.Many("pages", d.bookID, d.book)
	exosql.One("reader", d.reader, person)
	return d
}

// grants are those of tenant org: books with their pages, and the pages of its book.
func (d *hk) grants(db *exosql.DB, org int64, more ...exosql.Scope) codemode.Grants {
	p := exosql.NewFacet(d.pages, "page", d.id, d.title, d.points, d.author)
	p.AllowInsert(d.title, d.points, d.author).AllowUpdate(d.title, d.points, d.author).AllowDelete()
	b := exosql.NewFacet(d.books, "book", d.bookID, exosql.Via(d.bookPage, p))
	return codemode.Grants{
		"books": b.Of(exosql.Grant(db, d.books, d.bookOrg.Eq(org), exosql.ScopeVia(d.bookPage))),
		"pages": p.Of(exosql.Grant(db, d.pages, d.book.Eq(org), more...)),
	}
}

// usual fills who wrote a page and when, and refuses a bad title.
func (d *hk) usual() *hk {
	d.pages.BeforeWrite(func(_ context.Context, w *exosql.Write[hkPage]) error {
		if w.Kind == exosql.Deletes {
			return nil
		}
		if w.Row.Title == "bad" || w.Calculates(d.title) {
			return fail.Errorf(fail.Invalid, "", "no title is bad, or calculated")
		}
		if w.Kind == exosql.Inserts {
			w.Fill(d.author.Set("by " + string(w.Run.Principal)))
		}
		if w.Gives(d.points) && w.Row.Points == nil && !w.Calculates(d.points) {
			w.Fill(d.odd.Set("none"))
		}
		w.Fill(d.touched.Set(w.Run.Clock))
		return nil
	}, d.author, d.touched, d.odd)
	return d
}

// hkOpen opens a database, a connection past the guard that looks at it, and what makes the pages as they were.
func hkOpen(t *testing.T, e tu.Engine) (db *exosql.DB, look func(string) string, reset func()) {
	t.Helper()
	serial := e.Pick("INTEGER PRIMARY KEY", "bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY")
	var ddl []string
	for _, s := range hkDDL {
		ddl = append(ddl, strings.ReplaceAll(s, "{serial}", serial))
	}
	db, raw := wrFile(t, e, ddl...)
	look = func(query string) string { t.Helper(); return cells(t, raw, query) }
	return db, look, func() {
		t.Helper()
		for _, q := range []string{e.Pick("DELETE FROM pages", "TRUNCATE pages RESTART IDENTITY"), hkDDL[len(hkDDL)-1]} {
			if _, err := raw.Exec(q); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// hkRun runs a program of ann's, and gives its result, or its error as the program reads it, behind "!".
func hkRun(t *testing.T, grants codemode.Grants, program string) (string, error) {
	t.Helper()
	return hkRunIn(t.Context(), t, grants, program)
}

func hkRunIn(ctx context.Context, t *testing.T, grants codemode.Grants, program string) (string, error) {
	t.Helper()
	tool, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded, Principal: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	r := tool.Run(ctx, program)
	if r.Err != nil {
		return "!" + fail.GuestText(r.Err), r.Err
	}
	return string(r.JSON), nil
}

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
		{`return pages.insert({ title: "n", author: "eve" })`, "!`author` is filled in; leave it out", ""},
		{`return pages.insert({ title: "n", author: null })`, "!`author` is filled in; leave it out", ""},
		{`return pages.insert({ title: "n", author: undefined })`, "!", ""},
		{`return pages.insertMany([{ title: "n" }, { title: "o", author: "eve" }])`, "!`author` is filled in; leave it out", ""},
		{`return pages.insert({ title: "n", touched: "2020-01-01" })`, "!there is no field `touched`", ""},
		{"return pages.insert({ title: 'n', '\\u0001odd': 'x' })", "!there is no field", ""},
		{"return pages.where({ id: 1 }).update({ '\\u0001odd': 'x' })", "!there is no field", ""},
		{"return pages.where({ id: 1 }).update(p => ({ '\\u0001odd': p.title }))", "!there is no field", ""},
		{`return pages.select(p => p.touched)`, "!page has no member `touched`", ""},
		{`try { await pages.insert({ title: "bad" }) } catch (e) { return [e.message.includes("no title is bad"), await pages.where({ id: 1 }).update({ points: 5 })] }`, "[true,1]", "1|1|a|5|-|-|now|-|- " + b + " " + c},
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, look, reset := hkOpen(t, e)
		for _, c := range cases {
			reset()
			got, _ := hkRun(t, hkDeclare().usual().grants(db, 1), c.program)
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
		db, look, _ := hkOpen(t, e)
		d := hkDeclare()
		broken, much := errors.New("broken"), fail.Errorf(fail.Invalid, "", "too many pages")
		d.pages.BeforeWrite(func(_ context.Context, w *exosql.Write[hkPage]) error {
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
		d.usual()
		pages := exosql.Grant(db, d.pages, d.book.Eq(1))
		p, err := pages.Insert(ctx, d.title.Set("n"))
		if err != nil || *p.Author != "by " || p.Touched == nil {
			t.Errorf("%+v %v", p, err)
		}
		if _, err := pages.Insert(ctx, d.title.Set("bad")); !errors.Is(err, broken) || !errors.Is(err, exo.ErrNothingDone) {
			t.Error(err)
		}
		if _, err := pages.Insert(ctx, d.title.Set("much")); !errors.Is(err, much) || !errors.Is(err, exo.ErrNothingDone) || fail.KindOf(err) != fail.Invalid {
			t.Error(err)
		}
		if _, err := pages.Insert(ctx, d.title.Set("x"), d.author.Set("me")); fail.KindOf(err) != fail.Denied {
			t.Error(err)
		}
		if n, err := exosql.Follow(exosql.Grant(db, d.books, d.bookID.Eq(1)), d.bookPage).InsertMany(ctx, []exosql.Assignment[hkPage]{d.title.Set("o")}, []exosql.Assignment[hkPage]{d.title.Set("q"), d.points.SetNull()}); n != 2 || err != nil {
			t.Error(n, err)
		}
		err = db.Transact(ctx, func(tx *exosql.Tx) error {
			if _, err := pages.In(tx).Where(d.id.Eq(1)).Update(ctx, d.title.Set("bad")); !errors.Is(err, broken) {
				t.Error(err)
			}
			_, err := pages.In(tx).Where(d.id.Eq(1)).Update(ctx, d.points.Set(7))
			return err
		})
		if err != nil {
			t.Error(err)
		}
		if n, err := pages.Where(d.id.Eq(2)).Delete(ctx); n != 1 || err != nil {
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
	type fill = func(d *hk) (exosql.Assignment[hkPage], exosql.Member[hkPage])
	book := func(n int64) fill {
		return func(d *hk) (exosql.Assignment[hkPage], exosql.Member[hkPage]) { return d.book.Set(n), d.book }
	}
	reader := func(n int64) fill {
		return func(d *hk) (exosql.Assignment[hkPage], exosql.Member[hkPage]) { return d.reader.Set(n), d.reader }
	}
	people := func(d *hk) exosql.Scope { return exosql.ScopeRows(d.people, d.org.Eq(1)) }
	none := func(d *hk) exosql.Scope { return exosql.ScopeShared(d.books) }
	cases := map[string]struct {
		program string
		fill    fill
		scope   func(*hk) exosql.Scope
		host    string // in the error of the host; "": it succeeds
	}{
		"a book of others, inserted":      {insert, book(2), none, "a hook fills pages.book_id: denied: `bookId` is filled in"},
		"a book of others, linked":        {`return books.pages().insert({ title: "n" })`, book(2), none, "a hook fills pages.book_id"},
		"the own book, inserted":          {insert, book(1), none, "a hook fills pages.book_id"}, // it is filled in already
		"a book of others, updated":       {update, book(2), none, "a hook fills pages.book_id: denied: `bookId` can't be changed"},
		"a book of others, calculated":    {key, book(2), none, "a hook fills pages.book_id: denied: `bookId` can't be changed"},
		"a book of others, through books": {`return books.pages().where({ id: 1 }).update({ points: 5 })`, book(2), none, "a hook fills pages.book_id: invalid: there is no such row"},
		"the own book, through books":     {`return books.pages().where({ id: 1 }).update({ points: 5 })`, book(1), none, ""},
		"a reader of others, inserted":    {insert, reader(2), people, "a hook fills pages.reader_id: invalid: there is no such row"},
		"a reader of others, updated":     {update, reader(2), people, "a hook fills pages.reader_id: invalid: there is no such row"},
		"a reader of others, calculated":  {key, reader(2), people, "a hook fills pages.reader_id: invalid: there is no such row"},
		"the own reader, inserted":        {insert, reader(1), people, ""},
		"the own reader, updated":         {update, reader(1), people, ""},
		"a reader that no grant reaches":  {key, reader(2), none, ""},
		"the key of a row": {update, func(d *hk) (exosql.Assignment[hkPage], exosql.Member[hkPage]) { return d.id.Set(9), d.id }, none,
			"a hook fills pages.id: invalid: the key `id` can't be changed"},
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, look, reset := hkOpen(t, e)
		for what, c := range cases {
			reset()
			d := hkDeclare()
			v, col := c.fill(d)
			d.pages.BeforeWrite(func(_ context.Context, w *exosql.Write[hkPage]) error { w.Fill(v); return nil }, col)
			got, err := hkRun(t, d.grants(db, 1, c.scope(d)), c.program)
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
		db, look, _ := hkOpen(t, e)
		for reader, want := range map[int64]string{1: "", 2: "a hook fills pages.reader_id: invalid: there is no such row"} {
			d := hkDeclare()
			d.pages.BeforeWrite(func(_ context.Context, w *exosql.Write[hkPage]) error { w.Fill(d.reader.Set(reader)); return nil }, d.reader)
			for _, scopes := range [][]exosql.Scope{nil, {exosql.ScopeRows(d.people, d.org.Eq(1))}} {
				n, err := exosql.Grant(db, d.pages, d.book.Eq(1), scopes...).Where(d.id.Eq(1)).Update(t.Context(), d.points.Set(5))
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
	d := hkDeclare()
	var nothing *fail.Error
	cases := map[string]struct {
		hook func(w *exosql.Write[hkPage]) error
		want string
	}{
		"invalid": {func(*exosql.Write[hkPage]) error { return fail.Errorf(fail.Invalid, "", "a title has %d words", 2) }, "a title has 2 words"},
		"denied":  {func(*exosql.Write[hkPage]) error { return fail.Errorf(fail.Denied, "", "not today") }, "not today"},
		"with a cause": {func(*exosql.Write[hkPage]) error {
			return &fail.Error{Kind: fail.Invalid, Msg: "no", Err: errors.New("secret")}
		}, "no"},
		"any other error": {func(*exosql.Write[hkPage]) error { return errors.New("secret") }, "internal error"},
		"another kind":    {func(*exosql.Write[hkPage]) error { return fail.Errorf(fail.Conflict, "", "secret") }, "internal error"},
		"of another call": {func(*exosql.Write[hkPage]) error { return fail.Errorf(fail.Invalid, "exosql: Insert", "secret") }, "internal error"},
		"wrapped": {func(*exosql.Write[hkPage]) error {
			return fmt.Errorf("secret: %w", fail.Errorf(fail.Invalid, "", "secret"))
		}, "internal error"},
		"a nil pointer":             {func(*exosql.Write[hkPage]) error { return nothing }, "internal error"},
		"a panic":                   {func(*exosql.Write[hkPage]) error { panic("secret") }, "internal error"},
		"names a hidden column":     {func(*exosql.Write[hkPage]) error { return fail.Errorf(fail.Invalid, "", "set `reader_id` first") }, "internal error"},
		"names it as programs do":   {func(*exosql.Write[hkPage]) error { return fail.Errorf(fail.Denied, "", "no readerId: given") }, "internal error"},
		"names it in capitals":      {func(*exosql.Write[hkPage]) error { return fail.Errorf(fail.Denied, "", "SLUG") }, "internal error"},
		"a word with a name in it":  {func(*exosql.Write[hkPage]) error { return fail.Errorf(fail.Denied, "", "oddly untouched") }, "oddly untouched"},
		"fills what it did not say": {func(w *exosql.Write[hkPage]) error { w.Fill(d.reader.Set(1)); return nil }, "internal error"},
		"fills nothing":             {func(w *exosql.Write[hkPage]) error { w.Fill(exosql.Assignment[hkPage]{}); return nil }, "internal error"},
		"fills a column twice":      {func(w *exosql.Write[hkPage]) error { w.Fill(d.odd.Set("x"), d.odd.Set("y")); return nil }, "internal error"},
		"fills no value of it":      {func(w *exosql.Write[hkPage]) error { w.Fill(d.slug.Set("secret")); return nil }, "internal error"},
		"fills what none can hold":  {func(w *exosql.Write[hkPage]) error { w.Fill(d.odd.Set("secret\x00")); return nil }, "internal error"},
		"fills rows that go": {func(w *exosql.Write[hkPage]) error {
			if w.Kind == exosql.Deletes {
				w.Fill(d.odd.Set("x"))
				return nil
			}
			return errors.New("secret")
		}, "internal error"},
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, look, _ := hkOpen(t, e)
		for what, c := range cases {
			d = hkDeclare()
			d.pages.BeforeWrite(func(_ context.Context, w *exosql.Write[hkPage]) error { return c.hook(w) }, d.slug, d.odd)
			grants := d.grants(db, 1)
			for _, write := range []string{`pages.insert({ title: "n" })`, `pages.where({ id: 1 }).update({ points: 5 })`, `pages.where({ id: 1 }).delete()`} {
				got, err := hkRun(t, grants, "try { await "+write+" } catch (e) { return e.message } return 'done'")
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
	ok := func(context.Context, *exosql.Write[hkPage]) error { return nil }
	for what, declare := range map[string]func(d *hk){
		"no function": func(d *hk) { d.pages.BeforeWrite(nil) },
		"no table":    func(*hk) { (&exosql.Table[hkPage]{}).BeforeWrite(ok) },
		"a link": func(d *hk) {
			d.books.BeforeWrite(func(context.Context, *exosql.Write[hkBook]) error { return nil }, exosql.Via(d.bookPage, exosql.NewFacet(d.pages, "page", d.id)))
		},
		"a zero column":    func(d *hk) { d.pages.BeforeWrite(ok, &exosql.Column[hkPage, string]{}) },
		"of another table": func(d *hk) { d.pages.BeforeWrite(ok, hkDeclare().odd) },
		"a table in use": func(d *hk) {
			if _, err := d.grants(db, 1)["pages"].Describe(); err == nil {
				d.usual()
			}
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: nothing panics", what)
				}
			}()
			declare(hkDeclare())
		}()
	}
	var w exosql.Write[hkPage]
	if w.Fill(exosql.Assignment[hkPage]{}); w.Gives(nil) || w.Calculates(nil) {
		t.Error("a zero Write gives something")
	}
}

// TestHookUnique: a hook could fill by what a program gives, so a value that is unique beyond the scope is refused as if the program gave it.
func TestHookUnique(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, _ := wrFile(t, e, "CREATE TABLE pages (id {int} PRIMARY KEY, book_id {int} NOT NULL, title TEXT, points {int}, author TEXT, slug TEXT UNIQUE, touched {time}, reader_id {int}, odd TEXT)", "CREATE TABLE books (id {int} PRIMARY KEY, org_id {int})", "INSERT INTO pages (id, book_id) VALUES (1, 1)")
		for _, fills := range []bool{true, false} {
			d := hkDeclare()
			ok := func(context.Context, *exosql.Write[hkPage]) error { return nil }
			if fills {
				d.pages.BeforeWrite(ok, d.slug)
			} else {
				d.pages.BeforeWrite(ok)
			}
			f := exosql.NewFacet(d.pages, "page", d.id, d.title).AllowUpdate(d.title)
			got, err := hkRun(t, codemode.Grants{"pages": f.Of(exosql.Grant(db, d.pages, d.book.Eq(1)))}, `return pages.where({ id: 1 }).update({ title: "x" })`)
			if fills != (err != nil && strings.Contains(err.Error(), "(slug) is unique among everybody's rows")) || !fills && got != "1" {
				t.Errorf("fills %v: %s %v", fills, got, err)
			}
		}
	})
}
