package exosql_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
)

type Author struct {
	ID   int64
	Name string
}

type Book struct {
	ID, AuthorID int64
	Title        string
	Price        *float64 // nil: not for sale
}

var (
	Authors    = exosql.NewTable[Author]("authors")
	AuthorID   = exosql.NewKey(Authors, "id", func(a *Author) *int64 { return &a.ID })
	AuthorName = exosql.NewColumn(Authors, "name", func(a *Author) *string { return &a.Name })

	Books      = exosql.NewTable[Book]("books")
	BookID     = exosql.NewKey(Books, "id", func(b *Book) *int64 { return &b.ID })
	BookAuthor = exosql.NewColumn(Books, "author_id", func(b *Book) *int64 { return &b.AuthorID })
	BookTitle  = exosql.NewColumn(Books, "title", func(b *Book) *string { return &b.Title })
	BookPrice  = exosql.NewNullable(Books, "price", func(b *Book) **float64 { return &b.Price })

	AuthorBooks = exosql.Many("books", AuthorID, BookAuthor)
)

func openBooks(ctx context.Context) *exosql.DB {
	db, err := exosql.Open(ctx, "sqlite::memory:", &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, `CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
			CREATE TABLE books (id INTEGER PRIMARY KEY, author_id INTEGER NOT NULL, title TEXT NOT NULL, price REAL);
			INSERT INTO authors VALUES (1, 'Ada'), (2, 'Ben');
			INSERT INTO books VALUES (1, 1, 'Engines', 12.5), (2, 1, 'Notes', NULL), (3, 2, 'Secrets', 1)`)
		return err
	}})
	if err != nil {
		log.Fatal(err)
	}
	return db
}

// A relation serves Go code with types, and stays within its scope wherever it
// is handed to.
func ExampleGrant() {
	ctx := context.Background()
	db := openBooks(ctx)
	defer db.Close()

	me := exosql.Grant(db, Authors, AuthorID.Eq(1))
	books, err := exosql.Follow(me, AuthorBooks).Where(BookPrice.IsNotNull()).OrderBy(BookTitle.Asc()).All(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range books {
		fmt.Println(b.Title, *b.Price)
	}
	// Output: Engines 12.5
}

// A relation writes rows of its scope: the author is filled in, and another author's books are not there.
func ExampleRelation_Insert() {
	ctx := context.Background()
	db := openBooks(ctx)
	defer db.Close()

	books := exosql.Grant(db, Books, BookAuthor.Eq(1))
	b, err := books.Insert(ctx, BookID.Set(9), BookTitle.Set("Letters"))
	if err != nil {
		log.Fatal(err)
	}
	n, err := books.Where(BookTitle.Eq("Letters")).Update(ctx, BookTitle.Set("More letters"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.Title, b.AuthorID, n)
	_, err = books.Update(ctx, BookTitle.Set("all the same"))
	fmt.Println(err)
	// Output:
	// Letters 1 1
	// exosql: Update: invalid: this call would update every row: write Where before it, or Where(exosql.AllRows[T]()) if you mean all rows, where T is the struct of a row: exo: nothing was done
}

// What a transaction has changed is kept if the function returns nil, and undone if not.
func ExampleDB_Transact() {
	ctx := context.Background()
	db := openBooks(ctx)
	defer db.Close()

	mine := exosql.Grant(db, Books, BookAuthor.Eq(1))
	err := db.Transact(ctx, func(tx *exosql.Tx) error {
		books := mine.InTx(tx) // without In a call is a transaction of its own
		if _, err := books.Insert(ctx, BookID.Set(9), BookTitle.Set("Letters")); err != nil {
			return err
		}
		n, err := books.Count(ctx)
		if err != nil {
			return err
		}
		return fmt.Errorf("%d books are one too many", n)
	})
	fmt.Println(err)
	fmt.Println(mine.Count(ctx))
	// Output:
	// 3 books are one too many
	// 2 <nil>
}

// Pages go on where the one before ended, whatever rows come or go.
func ExampleRelation_Page() {
	ctx := context.Background()
	db := openBooks(ctx)
	defer db.Close()

	books := exosql.Grant(db, Books, exosql.AllRows[Book]()).OrderBy(BookTitle.Asc())
	for after := ""; ; {
		rows, next, err := books.Page(ctx, 2, after)
		if err != nil {
			log.Fatal(err)
		}
		var titles []string
		for _, b := range rows {
			titles = append(titles, b.Title)
		}
		fmt.Println(titles)
		if next == "" {
			break
		}
		after = next
	}
	// Output:
	// [Engines Notes]
	// [Secrets]
}

// A host checks when it starts that the database is as declared.
func ExampleCheck() {
	ctx := context.Background()
	db := openBooks(ctx)
	defer db.Close()

	book := exosql.NewFacet(Books, "book", BookID, BookTitle)
	author := exosql.NewFacet(Authors, "author", AuthorID, exosql.Via(AuthorBooks, book))
	err := exosql.Check(ctx, db, exosql.Granted(author.Of(exosql.Grant(db, Authors, AuthorID.Eq(1)))))
	if e, ok := errors.AsType[*exosql.CheckError](err); ok {
		for _, f := range e.Findings {
			fmt.Println(f.Table, f.Column, f.Kind)
			fmt.Println(f.Fix)
		}
	}
	// Output:
	// books author_id no index
	// CREATE INDEX books_by_author_id ON books (author_id)
}

// A facet lists what exists for a program. What is not listed, like author_id,
// does not exist for it.
func ExampleFacet() {
	ctx := context.Background()
	db := openBooks(ctx)
	defer db.Close()

	book := exosql.NewFacet(Books, "book", BookID, BookTitle, BookPrice)
	author := exosql.NewFacet(Authors, "author", AuthorID, AuthorName, exosql.Via(AuthorBooks, book))
	gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{
		"me": author.Of(exosql.Grant(db, Authors, AuthorID.Eq(1))),
	}})
	if err != nil {
		log.Fatal(err)
	}
	programs, err := exoeval.InProcess{}.Bind(gate, exoeval.Bounds{})
	if err != nil {
		log.Fatal(err)
	}
	for _, program := range []string{
		"me.books().where(b => b.price === null).select(b => ({ title: b.title }))",
		"me.books().where({ authorId: 2 })",
	} {
		r := programs.Run(ctx, exoeval.Job{Program: program})
		if r.Err != nil {
			fmt.Println(fail.GuestText(r.Err))
			continue
		}
		fmt.Println(r.Value)
	}
	// Output:
	// [{"title":"Notes"}]
	// book has no member `authorId`; it has `id`, `title`, `price`
}

// A facet that is given a search can be searched by programs, and a relation by its host.
func ExampleNewSearch() {
	ctx := context.Background()
	db := openBooks(ctx)
	defer db.Close()

	titles := exosql.NewSearch(Books, BookTitle)
	book := exosql.NewFacet(Books, "book", BookID, BookTitle, titles)
	books := exosql.Grant(db, Books, BookAuthor.Eq(1))

	found, err := books.Search(titles, `engine* OR "an essay"`).Limit(10).All(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(found), found[0].Title)

	gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"books": book.Of(books)}})
	if err != nil {
		log.Fatal(err)
	}
	programs, err := exoeval.InProcess{}.Bind(gate, exoeval.Bounds{})
	if err != nil {
		log.Fatal(err)
	}
	r := programs.Run(ctx, exoeval.Job{Program: `books.search("notes -secret").select(b => b.title)`})
	fmt.Println(r.Value, r.Err)
	// Output:
	// 1 Engines
	// ["Notes"] <nil>
}

// A host asks before it goes live which filters and orders its indexes serve.
func ExampleAccessPaths() {
	ctx := context.Background()
	db := openBooks(ctx)
	defer db.Close()

	book := exosql.NewFacet(Books, "book", BookID, BookTitle)
	paths, err := exosql.AccessPaths(ctx, book.Of(exosql.Grant(db, Books, BookAuthor.Eq(1))))
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range paths {
		fmt.Println(p)
	}
	// Output:
	// book.id: =: by the index PRIMARY KEY
	// book.id: range: rows out of scope are read, by the index PRIMARY KEY. Would serve: CREATE INDEX books_by_author_id_id ON books (author_id, id)
	// book.id: order, descending order: rows out of scope are read. Would serve: CREATE INDEX books_by_author_id_id ON books (author_id, id)
	// book.title: =, range, order, descending order: rows out of scope are read. Would serve: CREATE INDEX books_by_author_id_title ON books (author_id, title)
}
