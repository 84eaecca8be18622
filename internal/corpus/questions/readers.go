package questions

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/corpus"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// Readers runs the programs of testdata/readers that models wrote from one description. It returns how many of them give the answer of the SQL. A
// program that fails is an error.
func Readers(t *testing.T, app corpus.App, of, name string, questions []*Question) (right int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(tu.Root(), "testdata", "readers", of, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	programs := map[string]string{}
	if err := json.Unmarshal(text, &programs); err != nil || len(programs) != len(questions) {
		t.Fatal(len(programs), err)
	}
	plain := open(t, app)
	db, _ := app.Open(t, tu.SQLite)
	tools := map[int64]*codemode.Tool{}
	for _, q := range questions {
		if tools[q.As] == nil {
			if tools[q.As], err = codemode.New(app.Grants(db, q.As), &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}}); err != nil {
				t.Fatal(err)
			}
		}
		res := tools[q.As].Run(t.Context(), programs[q.Name])
		if res.Err != nil {
			t.Errorf("%s of %s, %s: %s\n%s", name, of, q.Name, fail.GuestText(res.Err), programs[q.Name])
			continue
		}
		var got any
		if err := json.Unmarshal(res.JSON, &got); err != nil {
			t.Fatal(err)
		}
		if same(q.answer(t, plain), got, true) {
			right++
		} else {
			t.Logf("%s of %s, %s: %s\n%s\ngives %.300s", name, of, q.Name, q.SQL, programs[q.Name], res.JSON)
		}
	}
	return right
}
