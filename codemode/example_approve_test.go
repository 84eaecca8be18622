package codemode_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exosql"
)

// A delete waits until a person has seen it and agreed. Then the program runs again, and is kept only if it deletes exactly what the person saw.
func ExampleTool_Apply() {
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	ctx := context.Background()
	db, err := exosql.Open(ctx, "sqlite::memory:", &exosql.OpenOptions{
		Images: 200, // the most rows of one run that a person is shown
		Setup: func(ctx context.Context, db *sql.DB) error {
			_, err := db.ExecContext(ctx, `CREATE TABLE todos (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL, title TEXT NOT NULL, completed BOOLEAN NOT NULL);
				INSERT INTO todos VALUES (1, 1, 'Pack', 0), (2, 1, 'Book', 1), (3, 2, 'Not for Ann', 1)`)
			return err
		}})
	must(err)
	defer db.Close()
	facet := exosql.NewFacet(Todos, "todo", TodoID, TodoTitle, TodoDone).AllowDelete().Approve(exosql.ApproveDeletes())
	keeper, err := review.New(review.Options{Store: store.NewMemory(nil), Key: bytes.Repeat([]byte{1}, review.MinKey)}) // a real host: store.OpenFolder, a random key
	must(err)
	tool, err := codemode.New(codemode.Grants{"todos": facet.Of(exosql.Grant(db, Todos, TodoOwner.Eq(1)))},
		&codemode.Options{Principal: "ann", Review: keeper, Record: exo.Unrecorded})
	must(err)

	res := tool.Run(ctx, `todos.where(t => t.completed).delete()`) // as a model would write it
	fmt.Println("the program:", fail.KindOf(res.Err))

	pending, err := tool.Pending(ctx) // what a page or a message shows to people
	must(err)
	x := pending[0]
	fmt.Println("waits:", x.Summary(), x.Rules)

	bob := review.Approver{Name: "bob", How: review.Terminal} // the host knows who agrees; no program can say so
	res, err = tool.Apply(ctx, x.ID, x.Digest(), bob)
	must(err)
	must(res.Err)

	left, err := exosql.Grant(db, Todos, exosql.AllRows[Todo]()).Count(ctx)
	fmt.Println("deleted:", string(res.JSON), "left:", left, err)
	// Output:
	// the program: pending
	// waits: todo: 1 deleted [delete of todo]
	// deleted: 1 left: 2 <nil>
}
