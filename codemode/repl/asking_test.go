package repl

import (
	"bytes"
	"strings"
	"testing"
)

func asking(args ...string) outcome {
	var out, errs bytes.Buffer
	a := askedApp()
	code := a.Run(args, strings.NewReader(""), &out, &errs)
	return outcome{out.String(), errs.String(), code}
}

func TestAskOnce(t *testing.T) {
	const answer = "Let me look.\\u001b[2J 日\nThere are 2 notes. You asked once.\n"
	for _, tc := range []struct {
		name string
		args []string
		want outcome
	}{
		{"answer", []string{"-ask", "how many notes?"}, outcome{answer, "", 0}},
		{"of another", []string{"-owner", "2", "-ask", "how many notes?"}, outcome{strings.Replace(answer, "2 notes", "1 notes", 1), "", 0}},
		{"failure", []string{"-ask", "fail"}, outcome{"half of\n", "notes: the model did not answer: the service said \\u001b[31mno\n", 1}},
		{"no key", []string{"-model", "none", "-ask", "x"}, outcome{"", "notes: the question was not asked: " + errNoModel.Error() + "\n", 2}},
		{"wrong model", []string{"-model", "wrong", "-ask", "x"}, outcome{"", "notes: the question was not asked: there is no model \\u001b[31mwrong\n", 2}},
		{"empty", []string{"-ask", " "}, outcome{"", "notes: -ask: the question is empty: write it after -ask\nrun notes -help for help\n", 2}},
		{"with a program", []string{"-ask", "x", "-e", "1"}, outcome{"", "notes: -ask asks a model for the program: leave out -e, -f and -api\nrun notes -help for help\n", 2}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := asking(tc.args...); got != tc.want {
				t.Errorf("got  %+v\nwant %+v", got, tc.want)
			}
		})
	}
	if got := runApp("", "-ask", "x"); got != (outcome{"", "notes: the question was not asked: " + errNoModel.Error() + "\n", 2}) {
		t.Errorf("an app without models: %+v", got)
	}
	if got := asking("-trace", "-ask", "x"); strings.Count(got.err, `"details":[{"sql":`) != 1 {
		t.Errorf("-trace: %+v", got)
	}
}

func TestIsQuestion(t *testing.T) {
	c := &console{session: &session{app: testApp, asker: &fakeAsker{}, names: testNames(t)}}
	for _, q := range []string{"how many notes?", "let me see all", "for whom are these notes", "mean stars", "me and my notes", "if so, why"} {
		if !c.isQuestion(q) {
			t.Errorf("%q is a question", q)
		}
	}
	for _, p := range []string{"api.me", "api", "me.notes()", "me\n  .notes()", "me", "(api) => 1", "async (api) => 1", "async ({ me }) => 1", "const n = 1", "return 1", "await me.first()", "let a = 1", "```js\n1\n```", "x => x", ".sql", "[1]", "// note\n1", " "} {
		if c.isQuestion(p) {
			t.Errorf("%q is a program", p)
		}
	}
	c.asker = nil
	if c.isQuestion("how many notes?") {
		t.Error("without a model there are no questions")
	}
}
