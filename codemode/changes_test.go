package codemode_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
)

// TestChangesDescribed: a model reads which changes are granted, and one of them as a program of the granted names that
// runs; of a tool that changes nothing it reads nothing of changes. What the words cost is bounded.
func TestChangesDescribed(t *testing.T) {
	const shown = "A program can change data: "
	db := open()
	defer db.Close()
	described := func(allow func(*exosql.Facet[Todo])) (*codemode.Tool, codemode.Grants) {
		t.Helper()
		todo := exosql.NewFacet(Todos, "todo", TodoID, TodoTitle, TodoDone)
		allow(todo)
		user := exosql.NewFacet(Users, "user", UserName, exosql.Via(UserTodos, todo))
		g := codemode.Grants{"currentUser": user.Of(exosql.Grant(db, Users, UserID.Eq(1)))}
		short, err := codemode.New(g, &codemode.Options{Record: exo.Unrecorded})
		if err != nil {
			t.Fatal(err)
		}
		tool, err := codemode.New(g, &codemode.Options{Record: exo.Unrecorded, Long: true})
		if err != nil {
			t.Fatal(err)
		}
		if marked := strings.Count(short.Description(), "(changes something)"); (marked > 1) == tool.ReadOnly() {
			t.Errorf("%d times marked:\n%s", marked, short.Description())
		}
		return tool, g
	}
	reads, _ := described(func(*exosql.Facet[Todo]) {})
	if d := reads.Description(); strings.Contains(d, shown) || strings.Contains(d, "change data") || strings.Contains(d, "`update`") || !reads.ReadOnly() {
		t.Errorf("a tool that only reads says of changes:\n%s", d)
	}
	for _, c := range []struct {
		name    string
		allow   func(*exosql.Facet[Todo])
		says    string
		example string // "": none
		gives   string
	}{
		{"update", func(f *exosql.Facet[Todo]) { f.AllowUpdate(TodoDone) }, "`TodoQuery` has update. ", "api.currentUser.todos().where({ id: 1 }).update({ completed: true })", `{"changed":1}`},
		{"delete", func(f *exosql.Facet[Todo]) { f.AllowDelete() }, "`TodoQuery` has delete. ", "api.currentUser.todos().where({ id: 1 }).delete()", `{"deleted":1}`},
		{"insert", func(f *exosql.Facet[Todo]) { f.AllowInsert(TodoTitle) }, "`TodoQuery` has insert, insertMany. ", "", ""},
	} {
		tool, g := described(c.allow)
		d := tool.Description()
		if !strings.Contains(d, shown+c.says) || !strings.Contains(d, c.example) || tool.ReadOnly() || !strings.HasPrefix(d, "Runs one JavaScript program, which can change data, ") {
			t.Errorf("%s: the description says\n%s", c.name, d)
		}
		if more := (tool.Size().Description - tool.Size().Declarations) - (reads.Size().Description - reads.Size().Declarations); more <= 0 || more > 360 {
			t.Errorf("%s: the words about changes cost %d tokens", c.name, more)
		}
		_, examples, err := codemode.Prompted(g, &codemode.Options{Record: exo.Unrecorded})
		if err != nil {
			t.Fatal(err)
		}
		last := examples[len(examples)-1]
		if c.example == "" {
			if strings.Contains(last, "insert") {
				t.Errorf("%s: an example that may lack a value: %s", c.name, last)
			}
			continue
		}
		tx, err := db.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if res := tool.Run(tx.Context(t.Context()), last); string(res.JSON) != c.gives {
			t.Errorf("%s: %s gives %s %v", c.name, last, res.JSON, res.Err)
		}
		if err := tx.Rollback(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
