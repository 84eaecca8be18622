package questions

import (
	"context"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/corpus"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

var update = flag.Bool("update-errors", false, "write the present errors of wrong programs, and sort programs into right and wrong as they are now; read what it wrote!")

// Run asks each question on each engine, as the user in its file.
func Run(t *testing.T, app corpus.App, questions []*Question) {
	plain := open(t, app)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, _ := app.Open(t, e)
		tools := map[int64]*codemode.Tool{}
		for _, q := range questions {
			t.Run(q.Name, func(t *testing.T) {
				if tools[q.As] == nil {
					tool, err := codemode.New(app.Grants(db, q.As), &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
					if err != nil {
						t.Fatal(err)
					}
					tools[q.As] = tool
				}
				q.run(t, plain, tools[q.As])
			})
		}
	})
}

// open opens a database with the seed, on a plain connection, to which no grant applies.
func open(t *testing.T, app corpus.App) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1) // each connection to :memory: would have its own database
	if _, err := db.Exec(app.SQL); err != nil {
		t.Fatal(err)
	}
	return db
}

func (q *Question) run(t *testing.T, plain *sql.DB, tool *codemode.Tool) {
	want := q.answer(t, plain)
	right := func(what, code string) {
		res := tool.Run(context.Background(), code)
		if res.Err != nil {
			t.Errorf("%s: %d:%d %s\n%s", what, fail.PosOf(res.Err).Line, fail.PosOf(res.Err).Column, fail.GuestText(res.Err), code)
			return
		}
		var got any
		if err := json.Unmarshal(res.JSON, &got); err != nil {
			t.Fatal(err)
		}
		if !same(want, got, q.AnyOrder) {
			w, _ := json.Marshal(want)
			t.Errorf("%s\n%s: %s\n%s\ngives %s\nand not %s", q.Asked, what, q.Form, code, res.JSON, w)
		}
	}
	for k, p := range q.Right {
		got := failure(tool.Run(context.Background(), p.Code), false)
		if m := slices.IndexFunc(q.Right, func(m Program) bool {
			return names(got, p.Code, m.Code) && same(want, result(t, tool, m.Code), q.AnyOrder)
		}); got != "" && k > 0 && m >= 0 && *update {
			was := "-- right: " + p.Manner + " --\n" + p.Code + "\n"
			q.rewrite(t, was, "")
			q.rewrite(t, "", "-- wrong: "+p.Manner+" --\n"+p.Code+"\n-- error --\n"+got+"\n-- mended --\n"+q.Right[m].Code+"\n")
			continue
		}
		right("right, "+p.Manner, p.Code)
	}
	for _, p := range q.Pending {
		if res := tool.Run(context.Background(), p.Code); res.Err != nil || same(want, result(t, tool, p.Code), q.AnyOrder) {
			t.Errorf("pending, %s: it now fails or is right: move it to `right`, or to `wrong` with its error\n%s\n%v", p.Manner, p.Code, res.Err)
		}
	}
	for _, w := range q.Wrong {
		got := failure(tool.Run(context.Background(), w.Code), w.Notice)
		switch {
		case got == "" && *update && same(want, result(t, tool, w.Code), q.AnyOrder):
			q.rewrite(t, "-- wrong: "+w.Manner+" --\n"+w.Code+"\n-- "+ending(w)+" --\n"+w.Fails+"\n-- mended --\n"+w.Mended+"\n", "-- right: "+w.Manner+" --\n"+w.Code+"\n")
			continue
		case got == "":
			t.Errorf("wrong, %s: it does not fail\n%s", w.Manner, w.Code)
		case got != w.Fails && *update:
			q.rewrite(t, w.Code+"\n-- "+ending(w)+" --\n"+w.Fails+"\n", w.Code+"\n-- "+ending(w)+" --\n"+got+"\n")
		case got != w.Fails:
			t.Errorf("wrong, %s:\n%s\nfails with\n%s\nand not\n%s", w.Manner, w.Code, got, w.Fails)
		}
		if !names(got, w.Code, w.Mended) {
			t.Errorf("wrong, %s: the error does not name what mends it\n%s\n%s\n%s", w.Manner, w.Code, got, w.Mended)
		}
		right("mended, "+w.Manner, w.Mended)
	}
}

// result returns the result of a program, or nil if the program fails.
func result(t *testing.T, tool *codemode.Tool, code string) (got any) {
	if res := tool.Run(context.Background(), code); res.Err == nil {
		if err := json.Unmarshal(res.JSON, &got); err != nil {
			t.Fatal(err)
		}
	}
	return got
}

// rewrite replaces a part of the question's file by a text. It appends the text if part is empty.
func (q *Question) rewrite(t *testing.T, part, by string) {
	text, err := os.ReadFile(q.Path)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.TrimSuffix(string(text), "\n") + "\n"
	if part == "" {
		part, by = all, all+by
	}
	if err := os.WriteFile(q.Path, []byte(strings.Replace(all, part, by, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// ending returns the name of the file's section for the end of a wrong program.
func ending(w Wrong) string {
	if w.Notice {
		return "notice"
	}
	return "error"
}

// failure returns how a program failed, in the form of a question's file.
func failure(res *codemode.Result, notice bool) string {
	if notice {
		return res.Notice
	}
	if res.Err == nil {
		return ""
	}
	return fmt.Sprintf("%s %d:%d\n%s", fail.KindOf(res.Err), fail.PosOf(res.Err).Line, fail.PosOf(res.Err).Column, fail.GuestText(res.Err))
}

var token = regexp.MustCompile(`[A-Za-z_$][\w$]*|'[\w…%.-]*'|\d+|[=!<>&|+?]+|\(\)|=>|[\[{]`)

var without = regexp.MustCompile(`(?:must not be|without) (\w+|\(\))`)

// names reports whether a message names something that mended has and wrong lacks, or something to leave out. If both have the same parts, the
// message must name where a part belongs.
func names(message, wrong, mended string) bool {
	count := func(s string) map[string]int {
		n := map[string]int{}
		for _, w := range token.FindAllString(s, -1) {
			n[w]++
		}
		return n
	}
	said, before, after := count(message), count(wrong), count(mended)
	for w, n := range after {
		if n > before[w] && said[w] > 0 {
			return true
		}
	}
	for _, m := range without.FindAllStringSubmatch(message, -1) {
		if after[m[1]] < before[m[1]] {
			return true
		}
	}
	return reflect.DeepEqual(before, after)
}

// answer returns the result of the SQL as JSON values.
func (q *Question) answer(t *testing.T, db *sql.DB) any {
	t.Helper()
	rows, err := db.Query(q.SQL)
	if err != nil {
		t.Fatalf("%s: %v", q.SQL, err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	all := []any{}
	for rows.Next() {
		cells := make([]any, len(names))
		to := make([]any, len(names))
		for k := range cells {
			to[k] = &cells[k]
		}
		if err := rows.Scan(to...); err != nil {
			t.Fatal(err)
		}
		row := map[string]any{}
		for k, n := range names {
			row[n] = cells[k]
		}
		if q.Form == "list" || q.Form == "value" {
			all = append(all, cells[0])
		} else {
			all = append(all, row)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if q.Form == "rows" || q.Form == "list" {
		if len(all) == 0 {
			t.Fatal("the SQL gives no rows, so most wrong programs would count as right")
		}
		return all
	}
	if len(all) != 1 {
		t.Fatalf("%d rows are no %s", len(all), q.Form)
	}
	return all[0]
}

// same reports whether a program's result equals the SQL's. In SQLite true and false are 1 and 0, and sums of floats may differ slightly.
func same(want, got any, anyOrder bool) bool {
	switch w := want.(type) {
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return false
		}
		if anyOrder {
			w, g = sorted(w), sorted(g)
		}
		for k := range w {
			if !same(w[k], g[k], false) {
				return false
			}
		}
		return true
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok || len(g) != len(w) {
			return false
		}
		for k := range w {
			if v, there := g[k]; !there || !same(w[k], v, false) {
				return false
			}
		}
		return true
	case int64:
		if b, ok := got.(bool); ok {
			return w == 1 && b || w == 0 && !b
		}
		return same(float64(w), got, false)
	case float64:
		if s, ok := got.(string); ok { // a program gets a decimal as its exact text
			f, err := strconv.ParseFloat(s, 64)
			got = f
			if err != nil {
				return false
			}
		}
		g, ok := got.(float64)
		return ok && math.Abs(g-w) <= 1e-9*math.Max(1, math.Abs(w))
	}
	return reflect.DeepEqual(want, got)
}

func sorted(list []any) []any {
	out := append([]any(nil), list...)
	key := func(v any) string {
		if b, ok := v.(bool); ok {
			v = map[bool]int{true: 1}[b]
		}
		s, _ := json.Marshal(v)
		return string(s)
	}
	sort.SliceStable(out, func(i, j int) bool { return key(out[i]) < key(out[j]) })
	return out
}
