package exosql_test

import (
	"fmt"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// BenchmarkSearch is a search beside what a person would write without an index for texts, LIKE '%word%' of one tenant's rows, in one run: 20,000
// rows in scope of 40,000, each of some 250 characters. The rare word is in a hundredth of them, the common ones in most.
func BenchmarkSearch(b *testing.B) {
	for _, e := range []tu.Engine{tu.SQLite, tu.Postgres} {
		url := e.URL(b)
		numbers := e.Pick("(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 40000) SELECT n FROM s) AS s", "generate_series(1, 40000) AS s (n)")
		word := func(k int) string {
			return fmt.Sprintf("CASE (n * %d) %% 7 WHEN 0 THEN 'payment ' WHEN 1 THEN 'failed ' WHEN 2 THEN 'customer ' WHEN 3 THEN 'invoice, ' WHEN 4 THEN 'again ' WHEN 5 THEN 'timeout. ' ELSE 'login ' END", k)
		}
		body := "''"
		for k := range 36 {
			body += " || " + word(k*k+3*k+1)
		}
		db := e.OpenURL(b, url, &exosql.OpenOptions{Setup: e.Exec(e.SQL("CREATE TABLE letters (id {int} PRIMARY KEY, owner {int} NOT NULL, subject TEXT NOT NULL, body TEXT)"),
			"INSERT INTO letters SELECT n, n % 2, 'letter ' || n, "+body+" || CASE WHEN n % 100 < 2 THEN 'needle' ELSE '' END FROM "+numbers,
			"CREATE INDEX letters_owner ON letters (owner)", "ANALYZE letters")})
		hand := e.SQLDB(b, url)
		facet := exosql.NewFacet(letters, "letter", letterID, letterSubject, letterBody, exosql.NewSearch(letters, letterBody))
		r := tu.NewRunner(b, map[string]exo.Object{"letters": facet.Of(exosql.Grant(db, letters, letterOwner.Eq(1)))}, exo.Limits{})
		for _, c := range []struct{ name, hand, program string }{
			{"rare, count", "SELECT count(*) FROM letters WHERE owner = 1 AND body LIKE '%needle%'", "letters.search('needle').count()"},
			{"rare, best 10", "SELECT id FROM letters WHERE owner = 1 AND body LIKE '%needle%' ORDER BY id LIMIT 10", "letters.search('needle').limit(10).select(l => l.id)"},
			{"common, count", "SELECT count(*) FROM letters WHERE owner = 1 AND body LIKE '%payment%' AND body LIKE '%failed%'", "letters.search('payment failed').count()"},
			{"common, best 10", "SELECT id FROM letters WHERE owner = 1 AND body LIKE '%payment%' AND body LIKE '%failed%' ORDER BY id LIMIT 10", "letters.search('payment failed').limit(10).select(l => l.id)"},
		} {
			b.Run(e.Name+"/"+c.name+"/hand", func(b *testing.B) {
				for b.Loop() {
					rows, err := hand.Query(c.hand)
					if err != nil {
						b.Fatal(err)
					}
					for rows.Next() {
					}
					rows.Close()
				}
			})
			b.Run(e.Name+"/"+c.name+"/search", func(b *testing.B) {
				for b.Loop() {
					if o := r.Run(b, "return await "+c.program); o.Kind != 0 {
						b.Fatal(o)
					}
				}
			})
		}
	}
}
