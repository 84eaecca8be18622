package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/review"
)

// TestApprove: a program that changes many tasks changes nothing until the person at the terminal has seen the rows and agrees.
func TestApprove(t *testing.T) {
	const program, count = "api.organization.projects().tasks().where({ status: 'todo' }).update({ status: 'done' })\n", "api.organization.projects().tasks().where({ status: 'todo' }).count()\n"
	was := app.Options.Review
	app.Options.Review = review.InMemory() // what it tells of these change sets is for this test alone
	t.Cleanup(func() { app.Options.Review = was })
	id := func(seen string) string {
		t.Helper()
		m := regexp.MustCompile(`\.approve (\w{8}) lets`).FindStringSubmatch(seen)
		if m == nil {
			t.Fatalf("no change set in %s", seen)
		}
		return m[1]
	}
	// One after the other, in one process: the store of the terminal lasts, its database does not.
	_, seen, _ := run(program)
	for _, want := range []string{`~ "5"`, `as before: "id" "5", "title" "Test with eggs"`, `- "todo"`, `+ "done"`, "would be      task: 13 changed"} {
		if !strings.Contains(seen, want) {
			t.Errorf("no %s in\n%s", want, seen)
		}
	}
	first := id(seen)
	for _, c := range []struct{ commands, out, errs string }{
		{".reject " + first + " not today\n" + count, "refused: nothing of it happens\n13\n", "was refused, and nothing of it happened (not today)"},
		{".approve zzzzzz\n", "", "no waiting change set has an ID that begins with \"zzzzzz\""},
		{".approve\n.reject\n", "", "no waiting change set has an ID that begins with \"\""},
	} {
		out, errs, _ := run(c.commands)
		if !strings.Contains(out, c.out) || !strings.Contains(errs, c.errs) {
			t.Errorf("%s: %s\n%s", c.commands, out, errs)
		}
	}
	if _, seen, _ = run(program + program); strings.Count(seen, "lets it happen") != 2 {
		t.Errorf("two programs: %s", seen)
	}
	out, _, _ := run(".changes\n")
	waits := regexp.MustCompile(`(?m)^(\w{8})  task: 13 changed$`).FindAllStringSubmatch(out, -1)
	if len(waits) != 2 {
		t.Fatalf("%s", out)
	}
	// What was not shown here is shown first, and applied by the second command. Then the other one would do something else.
	a, b := waits[0][1], waits[1][1]
	out, errs, _ := run(".approve " + a + "\n" + count + ".approve " + a + "\n" + count + ".changes " + b + "\n.approve " + b + "\n")
	if i, j := strings.Index(out, `~ "5"`), strings.Index(out, "\n13\n"); i < 0 || j < i || !strings.Contains(out[j:], "applied: task: 13 changed\n0\n") || !strings.Contains(errs, "Nothing was changed, since the program would now do something else") {
		t.Errorf("%s\n%s", out, errs)
	}
	_, errs, _ = run("", "-e", program)
	if !strings.Contains(errs, "nothing has changed: start this command without -e, and decide with .approve or .reject") {
		t.Error(errs)
	}
}
