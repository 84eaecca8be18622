package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/testutil"
)

// asked are questions, the program that a model writes for each, and the answer in SQL. The columns of a row are in the order of their names.
var asked = []struct{ question, program, sql string }{
	{"How many customers are there?", "customers.count()", "SELECT count(*) FROM customer WHERE store_id = 1"},
	{"Which customers are inactive?", "customers.where(c => !c.activebool).orderBy('lastName').select(c => c.lastName)",
		"SELECT last_name FROM customer WHERE store_id = 1 AND NOT activebool ORDER BY last_name"},
	{"How many films are out?", "rentals.where({ returnDate: null }).count()",
		"SELECT count(*) FROM rental JOIN customer USING (customer_id) WHERE customer.store_id = 1 AND return_date IS NULL"},
	{"Who has which?", "rentals.where({ returnDate: null }).orderBy('rentalId').select(r => ({ a: r.customer().lastName, b: r.inventory().film().title }))",
		"SELECT last_name, title FROM rental JOIN customer USING (customer_id) JOIN inventory USING (inventory_id) JOIN film USING (film_id) WHERE customer.store_id = 1 AND inventory.store_id = 1 AND return_date IS NULL ORDER BY rental_id"},
	{"What did the store earn?", "Number(await payments.sum(p => p.amount))",
		"SELECT sum(amount) FROM payment JOIN customer USING (customer_id) WHERE store_id = 1"},
	{"Who are the best customers?", "payments.groupBy(p => ({ a: p.customer().lastName })).orderBy(g => g.count().desc()).orderBy(g => g.a).limit(5).select(g => ({ a: g.a, b: g.count() }))",
		"SELECT last_name, count(*) FROM payment JOIN customer USING (customer_id) WHERE store_id = 1 GROUP BY last_name ORDER BY 2 DESC, 1 LIMIT 5"},
	{"How many films are there of each rating?", "films.groupBy(f => ({ a: f.rating })).orderBy(g => g.a).select(g => ({ a: g.a, b: g.count() }))",
		"SELECT rating, count(*) FROM film GROUP BY rating ORDER BY rating"},
	{"How many copies are there of each?", "inventories.groupBy(i => ({ a: i.film().title })).orderBy(g => g.a).select(g => ({ a: g.a, b: g.count() }))",
		"SELECT title, count(*) FROM inventory JOIN film USING (film_id) WHERE store_id = 1 GROUP BY title ORDER BY title"},
	{"Which rentals were never paid?", "rentals.where(r => !r.payments().exists()).orderBy('rentalId').select(r => r.rentalId)",
		"SELECT rental_id FROM rental JOIN customer USING (customer_id) WHERE store_id = 1 AND NOT EXISTS (SELECT 1 FROM payment p WHERE p.rental_id = rental.rental_id AND p.customer_id IN (SELECT customer_id FROM customer WHERE store_id = 1)) ORDER BY rental_id"},
	{"Which customers are newest?", "customers.orderBy('createDate', 'desc').orderBy('customerId').limit(3).select(c => c.firstName + ' ' + c.lastName)",
		"SELECT first_name || ' ' || last_name FROM customer WHERE store_id = 1 ORDER BY create_date DESC, customer_id LIMIT 3"},
}

// TestNewUser: from an empty folder to answers in a client, as somebody does who reads only what the commands print.
func TestNewUser(t *testing.T) {
	testutil.Engines(t, func(t *testing.T, e testutil.Engine) {
		_, raw := rentedFilms(t, e)
		step := func(code int, says string, args ...string) result {
			t.Helper()
			r := exo(t, "", args...)
			if r.code != code || !strings.Contains(r.out+r.err, says) {
				t.Fatalf("exo %s: code %d, want %d and %q\n%s%s", strings.Join(args, " "), r.code, code, says, r.out, r.err)
			}
			return r
		}
		snippet := step(cli.ExitDone, "next: read exo.yaml", "init", "-db", "env:"+filmsURL, "-client", "claude").out
		step(cli.ExitDone, "nobody has reviewed it", "validate")
		step(cli.ExitFound, "reviewed: true", "serve", "-as", "store=1")

		// The review: films are for everybody, and staff may set who is active.
		text, err := os.ReadFile("exo.yaml")
		if err != nil {
			t.Fatal(err)
		}
		file := string(text)
		for _, change := range [][2]string{
			{"reviewed: false", "reviewed: true"},
			{"preset: read-only@1", "preset: support@1"},
			{"grants: # the names that a program begins with\n", "grants:\n  films: film\n"},
			{"    links:\n      store: store\n      rentals: rental\n", "    links:\n      store: store\n      rentals: rental\n      film: film\n"},
			{"      # email: { label: [pii] } # its name sounds like a fact about a person\n", ""},
			{"      create_date:\n", "      create_date:\n    update: [activebool]\n"},
		} {
			if strings.Count(file, change[0]) != 1 {
				t.Fatalf("%q is not in the draft once:\n%s", change[0], file)
			}
			file = strings.Replace(file, change[0], change[1], 1)
		}
		film := regexp.MustCompile(`(?m)^  # film:\n((?:  #   .*\n)+)`)
		file = film.ReplaceAllStringFunc(file, func(block string) string {
			return strings.ReplaceAll(block, "  # ", "  ")
		})
		write(t, "exo.yaml", file)
		step(cli.ExitDone, "nothing is wrong", "validate") // pins are of the database, and not of what the review has changed
		step(cli.ExitDone, "column activebool", "show")

		c := fromSnippet(t, snippet)
		tools, err := c.ListTools(t.Context(), nil)
		if err != nil || len(tools.Tools) != 1 || tools.Tools[0].Name != "execute" {
			t.Fatalf("%v: %+v", err, tools)
		}
		if len(asked) != 10 {
			t.Errorf("%d questions are asked", len(asked))
		}
		for _, q := range asked {
			text, failed := callText(t, c, q.program)
			if want, got := rowsOf(t, raw, q.sql), cellsOf(t, text); failed || !slices.Equal(got, want) || len(want) == 0 {
				t.Errorf("%s\n%s\ngot  %q\nwant %q", q.question, text, got, want)
			}
		}
		if text, failed := callText(t, c, "customers.select(c => c.email)"); !failed || !strings.Contains(text, "email") {
			t.Errorf("a column that is not granted: %s", text)
		}
		if text, failed := callText(t, c, "customers.where(c => c.storeId === 2 || true).orderBy('customerId').select(c => c.storeId).distinct()"); failed || text != `{"result":[1]}` {
			t.Errorf("customers of another store: %s", text)
		}
		const ours, others = "SELECT count(*) FROM customer WHERE store_id = 1 AND activebool", "SELECT customer_id, activebool FROM customer WHERE store_id <> 1 ORDER BY customer_id"
		before := rowsOf(t, raw, others)
		if text, failed := callText(t, c, "customers.update({ activebool: false })"); !failed {
			t.Errorf("all at once, without saying so: %s", text)
		}
		if text, failed := callText(t, c, "customers.where(c => c.activebool || true).update({ activebool: false })"); failed {
			t.Error(text)
		}
		if active := rowsOf(t, raw, ours); active[0] != plainCell("0") || !slices.Equal(rowsOf(t, raw, others), before) {
			t.Errorf("%v of the store are active after the write, or it reached another store", active)
		}
	})
}

// fromSnippet is a client that starts the server as the snippet of exo init says, for one store.
func fromSnippet(t *testing.T, snippet string) *mcp.ClientSession {
	t.Helper()
	_, text, _ := strings.Cut(snippet, "\n") // a comment, for which file it is
	var conf struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
		}
	}
	if err := json.Unmarshal([]byte(text), &conf); err != nil || conf.MCPServers["exo"].Command != "exo" {
		t.Fatalf("%v: %s", err, snippet)
	}
	args := conf.MCPServers["exo"].Args
	args[len(args)-1] = strings.Replace(args[len(args)-1], "INT", "1", 1)
	cmd := child(t, args...)
	cmd.Dir = "/"
	return started(t, cmd)
}

func started(t *testing.T, cmd *exec.Cmd) *mcp.ClientSession {
	t.Helper()
	var said bytes.Buffer
	cmd.Stderr = &said
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err, said.String())
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// rowsOf are the cells of a query, one after the other.
func rowsOf(t *testing.T, db *sql.DB, query string) (out []string) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		cells, to := make([]any, len(columns)), make([]any, len(columns))
		for i := range cells {
			to[i] = &cells[i]
		}
		if err := rows.Scan(to...); err != nil {
			t.Fatal(err)
		}
		for _, c := range cells {
			if b, ok := c.([]byte); ok {
				c = string(b)
			}
			out = append(out, plainCell(fmt.Sprint(c)))
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// cellsOf are the cells of a result, as rowsOf has them.
func cellsOf(t *testing.T, text string) (out []string) {
	t.Helper()
	var r struct{ Result any }
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&r); err != nil {
		t.Fatal(err)
	}
	list, ok := r.Result.([]any)
	if !ok {
		list = []any{r.Result}
	}
	for _, x := range list {
		row, ok := x.(map[string]any)
		if !ok {
			row = map[string]any{"": x}
		}
		for _, name := range slices.Sorted(maps.Keys(row)) {
			out = append(out, plainCell(fmt.Sprint(row[name])))
		}
	}
	return out
}

// plainCell is a cell as both write it: 12.50 and 12.5 are one number.
func plainCell(text string) string {
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return strconv.FormatFloat(f, 'f', 2, 64)
	}
	return text
}
