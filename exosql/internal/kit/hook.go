package kit

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// HookedDDL makes the tables of a small store of pages with two tenants. The pages have hooks.
var HookedDDL = []string{
	"CREATE TABLE books (id {int} PRIMARY KEY, org_id {int} NOT NULL)",
	"CREATE TABLE people (id {int} PRIMARY KEY, org_id {int} NOT NULL)",
	`CREATE TABLE pages (id {serial}, book_id {int} NOT NULL REFERENCES books, title TEXT NOT NULL, points {int}, author TEXT, slug TEXT, touched {time},
	reader_id {int} REFERENCES people, odd TEXT)`,
	"INSERT INTO books VALUES (1, 1), (2, 2)",
	"INSERT INTO people VALUES (1, 1), (2, 2)",
	"INSERT INTO pages (book_id, title, points) VALUES (1, 'a', 1), (1, 'b', 2), (2, 'c', 3)",
}

type (
	HookedBook struct{ ID, Org int64 }
	HookedPage struct {
		ID, Book     int64
		Title        string
		Points       *int64
		Author, Slug *string
		Touched      *time.Time
		Reader       *int64
		Odd          *string
	}
)

// Hooked are declarations that let a test add hooks to the table pages.
type Hooked struct {
	Books    *exosql.Table[HookedBook]
	People   *exosql.Table[HookedBook]
	Pages    *exosql.Table[HookedPage]
	ID       *exosql.Column[HookedPage, int64]
	Book     *exosql.Column[HookedPage, int64]
	BookID   *exosql.Column[HookedBook, int64]
	bookOrg  *exosql.Column[HookedBook, int64]
	Org      *exosql.Column[HookedBook, int64]
	Title    *exosql.Column[HookedPage, string]
	Points   *exosql.Column[HookedPage, int64]
	Author   *exosql.Column[HookedPage, string]
	Slug     *exosql.Column[HookedPage, string]
	Touched  *exosql.Column[HookedPage, time.Time]
	Reader   *exosql.Column[HookedPage, int64]
	Odd      *exosql.Column[HookedPage, string]
	BookPage exosql.Link[HookedBook, HookedPage]
}

func DeclareHooked() *Hooked {
	d := &Hooked{Books: exosql.NewTable[HookedBook]("books"), People: exosql.NewTable[HookedBook]("people"), Pages: exosql.NewTable[HookedPage]("pages")}
	d.BookID = exosql.NewKey(d.Books, "id", func(b *HookedBook) *int64 { return &b.ID })
	d.bookOrg = exosql.NewColumn(d.Books, "org_id", func(b *HookedBook) *int64 { return &b.Org })
	person := exosql.NewKey(d.People, "id", func(b *HookedBook) *int64 { return &b.ID })
	d.Org = exosql.NewColumn(d.People, "org_id", func(b *HookedBook) *int64 { return &b.Org })
	d.ID = exosql.NewKey(d.Pages, "id", func(p *HookedPage) *int64 { return &p.ID })
	d.Book = exosql.NewColumn(d.Pages, "book_id", func(p *HookedPage) *int64 { return &p.Book })
	d.Title = exosql.NewColumn(d.Pages, "title", func(p *HookedPage) *string { return &p.Title })
	d.Points = exosql.NewNullable(d.Pages, "points", func(p *HookedPage) **int64 { return &p.Points })
	d.Author = exosql.NewNullable(d.Pages, "author", func(p *HookedPage) **string { return &p.Author })
	d.Slug = exosql.NewNullable(d.Pages, "slug", func(p *HookedPage) **string { return &p.Slug }).OneOf("a-slug", "b-slug")
	d.Touched = exosql.NewNullable(d.Pages, "touched", func(p *HookedPage) **time.Time { return &p.Touched })
	d.Reader = exosql.NewNullable(d.Pages, "reader_id", func(p *HookedPage) **int64 { return &p.Reader })
	d.Odd = exosql.NewNullable(d.Pages, "odd", func(p *HookedPage) **string { return &p.Odd })
	d.BookPage = exosql.Many("pages", d.BookID, d.Book)
	exosql.One("reader", d.Reader, person)
	return d
}

// Grants returns the grants of the tenant org: books with their pages, and the pages of the book org.
func (d *Hooked) Grants(db *exosql.DB, org int64, more ...exosql.Scope) codemode.Grants {
	p := exosql.NewFacet(d.Pages, "page", d.ID, d.Title, d.Points, d.Author)
	p.AllowInsert(d.Title, d.Points, d.Author).AllowUpdate(d.Title, d.Points, d.Author).AllowDelete()
	b := exosql.NewFacet(d.Books, "book", d.BookID, exosql.Via(d.BookPage, p))
	return codemode.Grants{
		"books": b.Of(exosql.Grant(db, d.Books, d.bookOrg.Eq(org), exosql.ScopeVia(d.BookPage))),
		"pages": p.Of(exosql.Grant(db, d.Pages, d.Book.Eq(org), more...)),
	}
}

// Usual adds a hook that fills in the author and the time of a page, and refuses a bad title.
func (d *Hooked) Usual() *Hooked {
	d.Pages.BeforeWrite(func(_ context.Context, w *exosql.Write[HookedPage]) error {
		if w.Kind == exosql.Deletes {
			return nil
		}
		if w.Row.Title == "bad" || w.Calculates(d.Title) {
			return fail.Errorf(fail.Invalid, "", "no title is bad, or calculated")
		}
		if w.Kind == exosql.Inserts {
			w.Fill(d.Author.Set("by " + string(w.Run.Principal)))
		}
		if w.Gives(d.Points) && w.Row.Points == nil && !w.Calculates(d.Points) {
			w.Fill(d.Odd.Set("none"))
		}
		w.Fill(d.Touched.Set(w.Run.Clock))
		return nil
	}, d.Author, d.Touched, d.Odd)
	return d
}

// OpenHooked opens a database. look queries it on an unguarded connection; reset restores the pages.
func OpenHooked(t *testing.T, e tu.Engine) (db *exosql.DB, look func(string) string, reset func()) {
	t.Helper()
	serial := e.Pick("INTEGER PRIMARY KEY", "bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY")
	var ddl []string
	for _, s := range HookedDDL {
		ddl = append(ddl, strings.ReplaceAll(s, "{serial}", serial))
	}
	db, raw := File(t, e, ddl...)
	look = func(query string) string { t.Helper(); return Cells(t, raw, query) }
	return db, look, func() {
		t.Helper()
		for _, q := range []string{e.Pick("DELETE FROM pages", "TRUNCATE pages RESTART IDENTITY"), HookedDDL[len(HookedDDL)-1]} {
			if _, err := raw.Exec(q); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// RunHooked runs a program for the principal ann. It returns the result, or "!" and the error as the program reads it.
func RunHooked(t *testing.T, grants codemode.Grants, program string) (string, error) {
	t.Helper()
	return RunHookedIn(t.Context(), t, grants, program)
}

func RunHookedIn(ctx context.Context, t *testing.T, grants codemode.Grants, program string) (string, error) {
	t.Helper()
	tool, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded, Principal: "ann", Evaluator: exoeval.InProcess{}})
	if err != nil {
		t.Fatal(err)
	}
	r := tool.Run(ctx, program)
	if r.Err != nil {
		return "!" + fail.GuestText(r.Err), r.Err
	}
	return string(r.JSON), nil
}
