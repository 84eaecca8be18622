package corpus_test

import (
	"fmt"
	"testing"

	"github.com/exoagent/exoagent/internal/corpus"
)

const programs = "../../testdata/programs/simple"

func TestPrograms(t *testing.T) { corpus.Outcomes(t, corpus.Todos, corpus.Read(t, programs, 40)) }

// TestIsolation marks every text of every row with its user's canary.
func TestIsolation(t *testing.T) {
	const mark = `
UPDATE users SET name = name || ' canary-' || id || '-', email = email || ' canary-' || id || '-';
UPDATE todos SET title = title || ' canary-' || user_id || '-', notes = notes || ' canary-' || user_id || '-';`
	canary := func(id int64) string { return fmt.Sprintf("canary-%d-", id) }
	corpus.Isolation(t, corpus.Todos, corpus.Read(t, programs, 40), mark, canary)
}

// TestAlone deletes all other users and their todos.
func TestAlone(t *testing.T) {
	corpus.Alone(t, corpus.Todos, corpus.Read(t, programs, 40), func(id int64) string {
		return fmt.Sprintf("DELETE FROM todos WHERE user_id <> %d; DELETE FROM users WHERE id <> %[1]d;", id)
	})
}
