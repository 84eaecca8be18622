// Package questions runs testdata/questions: what users ask, with programs as models
// write them. One file is one question:
//
//	How many of my todos are open?
//	as: 1                        (who asks; 1 if left out)
//	-- value --                  (or row, rows, list; ", any order")
//	SELECT count(*) FROM todos WHERE user_id = 1 AND NOT completed
//	-- right: callback --        (any number)
//	(api) => api.currentUser.todos().where(t => !t.completed).count()
//	-- wrong: Prisma --          (any number of such triples)
//	(api) => api.currentUser.todos().count({ where: { completed: false } })
//	-- error --                  (kind, place and text, to the letter; or -- notice --)
//	invalid 1:41
//	currentUser.todos().count: takes no arguments; write conditions and orders before it, like .where(…)
//	-- mended --                 (what one writes who has read that)
//	(api) => api.currentUser.todos().where({ completed: false }).count()
//	-- pending: … --             (any number: its answer is wrong, and no error reports that)
//	-- because --                (why; an entry that is no longer wrong fails)
//
// The right answer is the result of the SQL, which is written by hand over the seed and runs on
// a plain connection. A wrong program must not only fail: its error must name something
// that the mended program has and the wrong one has not.
package questions

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	tu "github.com/exoagent/exoagent/internal/testutil"
)

// Question is one file of testdata/questions.
type Question struct {
	Name, Path string
	Asked      string
	As         int64
	Form       string // Form is the form of the SQL's answer: value, row, rows or list; for "after" the SQL makes the requested change, see Changes
	AnyOrder   bool
	SQL        string
	Before     string // SQL that runs before the program makes the change
	Right      []Program
	Wrong      []Wrong
	Pending    []Wrong // programs with a wrong answer and no error; Fails has the reason
}

// Program is a program, with the name of its style.
type Program struct{ Manner, Code string }

// Wrong is a program that fails, with its error and the mended program.
type Wrong struct {
	Program
	Fails  string // has the form "kind line:column\nmessage"
	Notice bool   // the program returns undefined instead of failing, and a notice explains why
	Mended string
}

var fileName = regexp.MustCompile(`^[0-9]{2}-[a-z0-9-]+\.txt$`)

// Read reads the questions of a directory. It fails unless there are exactly want questions.
func Read(t testing.TB, dir string, want int) []*Question {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []*Question
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !fileName.MatchString(e.Name()) {
			t.Errorf("%s: the file name must be like 01-name.txt, or no test reads it", path)
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		q, err := parse(string(text))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		q.Name, q.Path = strings.TrimSuffix(e.Name(), ".txt"), path
		out = append(out, q)
	}
	if len(out) != want {
		t.Fatalf("%s holds %d questions, not %d", dir, len(out), want)
	}
	return out
}

var section = regexp.MustCompile(`(?m)^-- (.+) --\n`)

func parse(text string) (*Question, error) {
	q := &Question{As: 1}
	at := section.FindAllStringSubmatchIndex(text, -1)
	if len(at) == 0 {
		return nil, fmt.Errorf("the file has no sections: write lines like -- rows -- before the SQL")
	}
	for line := range strings.Lines(text[:at[0][0]]) {
		line = strings.TrimSpace(line)
		if as, ok := strings.CutPrefix(line, "as: "); ok {
			n, err := strconv.ParseInt(as, 10, 64)
			if err != nil {
				return nil, err
			}
			q.As = n
		} else if q.Asked += " " + line; line == "" {
			return nil, fmt.Errorf("the question has an empty line: take the line out")
		}
	}
	q.Asked = strings.TrimSpace(q.Asked)
	for k, m := range at {
		end := len(text)
		if k+1 < len(at) {
			end = at[k+1][0]
		}
		if err := q.add(text[m[2]:m[3]], strings.TrimRight(text[m[1]:end], "\n")); err != nil {
			return nil, fmt.Errorf("section %q: %w", text[m[2]:m[3]], err)
		}
	}
	if q.Asked == "" || q.SQL == "" || len(q.Right)+len(q.Wrong)+len(q.Pending) == 0 {
		return nil, fmt.Errorf("the file needs a question, one section with SQL, and at least one section with a program")
	}
	for _, w := range q.Wrong {
		if w.Fails == "" || w.Mended == "" {
			return nil, fmt.Errorf("the wrong program %q needs an `error` or `notice` section and a `mended` section after it", w.Manner)
		}
	}
	return q, nil
}

func (q *Question) add(name, body string) error {
	head, manner, _ := strings.Cut(name, ": ")
	if body == "" {
		return fmt.Errorf("the section is empty: write its text, or take the section out")
	}
	last := len(q.Wrong) - 1
	switch head {
	case "right":
		q.Right = append(q.Right, Program{manner, body})
	case "wrong":
		q.Wrong = append(q.Wrong, Wrong{Program: Program{manner, body}})
	case "error", "notice":
		if last < 0 || q.Wrong[last].Fails != "" {
			return fmt.Errorf("this section must follow a `wrong` section that has no error yet")
		}
		q.Wrong[last].Fails, q.Wrong[last].Notice = body, head == "notice"
	case "mended":
		if last < 0 || q.Wrong[last].Fails == "" || q.Wrong[last].Mended != "" {
			return fmt.Errorf("this section must follow the `error` section of a `wrong` program that has no `mended` yet")
		}
		q.Wrong[last].Mended = body
	case "pending":
		q.Pending = append(q.Pending, Wrong{Program: Program{manner, body}})
	case "because":
		if len(q.Pending) == 0 {
			return fmt.Errorf("this section must follow a `pending` section")
		}
		q.Pending[len(q.Pending)-1].Fails = body
	case "before":
		q.Before = body
	default:
		form, order, _ := strings.Cut(head, ", ")
		switch {
		case !strings.Contains(" value row rows list after ", " "+form+" ") || order != "" && order != "any order":
			return fmt.Errorf("there is no section of this name: write right, wrong, error, notice, mended, pending, because or before, or for SQL value, row, rows, list or after, which `, any order` may follow")
		case q.SQL != "":
			return fmt.Errorf("the file has two sections of SQL: leave one out")
		}
		q.SQL, q.Form, q.AnyOrder = body, form, order != ""
	}
	return nil
}

// Dir is where the questions for an app are.
func Dir(app string) string { return filepath.Join(tu.Root(), "testdata", "questions", app) }
