package schemas

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/corpus/questions"
	"github.com/exoagent/exoagent/internal/testutil"
)

// TestQuestions: questions of an analyst and of a clerk over schemas that nobody here drew.
func TestQuestions(t *testing.T) {
	right, wrong := 0, 0
	for _, name := range []string{"chinook", "northwind", "pagila", "hr", "co"} {
		t.Run(name, func(t *testing.T) {
			app, err := Open(name)
			if err != nil {
				t.Fatal(err)
			}
			qs := questions.Read(t, questions.Dir(name), 24)
			for _, q := range qs {
				right, wrong = right+len(q.Right), wrong+len(q.Wrong)
			}
			questions.Run(t, app, qs)
		})
	}
	t.Logf("%d of %d programs are right as they were written first", right, right+wrong)
}

// TestQuestionsOfAClerk: the same of questions that ask for a change.
func TestQuestionsOfAClerk(t *testing.T) {
	app, err := OpenChanged("northwind")
	if err != nil {
		t.Fatal(err)
	}
	questions.Changes(t, app, questions.Read(t, questions.Dir("northwind-changes"), 23), "orders.order_id", "order_details.order_id")
}

// TestFirstTries: what is asked of a CRM, with one program each as it was written first.
func TestFirstTries(t *testing.T) {
	app, err := OpenChanged("crm")
	if err != nil {
		t.Fatal(err)
	}
	questions.Run(t, app, questions.Read(t, questions.Dir("crm"), 69))
	questions.Changes(t, app, questions.Read(t, questions.Dir("crm-changes"), 12), "activities.id")
}

// first has how many questions there are in the folders that end in -first.
var first = map[string]int{"shop": 17, "press": 15, "blog": 12, "billing": 15, "lab": 15, "chinook": 60, "northwind": 40}

// TestReaders: what readers wrote from the one and the other description alone. docs/models.md has the numbers.
func TestReaders(t *testing.T) {
	right, all := map[string]int{}, 0
	for name, n := range first {
		all += n
		for _, of := range []string{"lines", "declarations"} {
			app, err := Open(name)
			if err != nil {
				t.Fatal(err)
			}
			right[of] += questions.Readers(t, app, of, name, questions.Read(t, questions.Dir(name+"-first"), n))
		}
	}
	page, err := os.ReadFile(filepath.Join(testutil.Root(), "docs", "models.md"))
	want := fmt.Sprintf("answered %d of %d questions at the first try from lines, %d from declarations", right["lines"], all, right["declarations"])
	if err != nil || !strings.Contains(string(page), want) {
		t.Errorf("docs/models.md does not say %q: %v", want, err)
	}
}

// TestFirstTriesOfFrameworks: the same over tables in the manner of Django, Prisma, Rails, Laravel and Drizzle, and over Chinook and Northwind, with
// programs written from the description alone.
func TestFirstTriesOfFrameworks(t *testing.T) {
	for name, want := range first {
		t.Run(name, func(t *testing.T) {
			app, err := Open(name)
			if err != nil {
				t.Fatal(err)
			}
			questions.Run(t, app, questions.Read(t, questions.Dir(name+"-first"), want))
		})
	}
	app, err := OpenChanged("billing")
	if err != nil {
		t.Fatal(err)
	}
	questions.Changes(t, app, questions.Read(t, questions.Dir("billing-changes-first"), 2))
}
