package observed_test

import (
	"flag"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	tu "github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/internal/testutil/outside"
)

// TestSecretsAreNotSeen: two runs that differ in what labels hide are the same to each low observer: what each server, receiver and folder got, in
// which order and how often, what waits, what is left of budgets, and what the program reads of all that. The twin without labels shows a difference.
func TestSecretsAreNotSeen(t *testing.T) {
	compare(t, secrets[0], secrets[1], "(await reveal(b.salary)) === 70", nil)
}

// TestShownIsNotSeen: what results may carry is seen by no server, receiver or folder, although the program may go by it up to its end.
func TestShownIsNotSeen(t *testing.T) {
	compare(t, secrets[0], shown, "(await reveal(b.bonus)) === 6", []string{"the result", "the budgets"})
}

// TestOwnIsNotSeen: what the principal's own mails may carry is seen by no other receiver, and neither is whether such a mail could be sent. Who lists
// the outbox sees that.
func TestOwnIsNotSeen(t *testing.T) {
	compare(t, secrets[0], own, "(await reveal(a.address)).length < 99", []string{"the principal's mails", "the outbox"})
}

// ways are the plainest to show an observer a bit of a secret.
var ways = map[string]string{
	"the API": "await site.find({ q: bit })", "the MCP server": "await desk.tell({ text: bit })", "the folder": "await box.write({ path: bit + '.txt', text: 'x' })", "the rows": "await people.where({ id: 2 }).update({ note: bit })",
	"the mails": "await mailer.send({ to: 'ann', subject: 's', text: bit })", "the principal's mails": "await mailer.send({ to: 'me', subject: bit, text: 't' })", "the chat": "await team.post({ text: bit })", "the webhook": "await ops.send({ type: 'a.b', data: bit })",
	"the outbox": "if (bit === 'y') await team.post({ text: 'x' })", "what waits": "if (bit === 'y') await board.send({ type: 'a.b', data: 1 })", "the budgets": "if (bit === 'y') await people.count()", "the result": "return bit",
}

// compare runs programs in worlds of two secrets, which differ in a bit, an expression. Some observers are none, since they may read what differs.
func compare(t *testing.T, one, other secret, bit string, none []string) {
	tu.NotRaced(t)
	outside.InMemory(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		a, b := open(t, e, one, true), open(t, e, other, true)
		openA, openB := open(t, e, one, false), open(t, e, other, false)
		for who, way := range ways {
			chat := []string{before + "const bit = " + bit + " ? 'y' : 'n'; " + way}
			if different := differ(a.run(t, chat), b.run(t, chat), chat, none); len(different) > 0 {
				t.Errorf("%s\nis seen by:\n%s", chat, strings.Join(different, "\n"))
			}
			sees := func(d string) bool { return strings.HasPrefix(d, who+":") }
			if !slices.Contains(none, who) && !slices.ContainsFunc(differ(openA.run(t, chat), openB.run(t, chat), chat, none), sees) {
				t.Errorf("without labels %s does not see %s: it shows nothing", who, way)
			}
		}
		tell, ran := map[string]int{}, 0
		checks(t, programs(e))
		rapid.Check(t, func(rt *rapid.T) {
			chat := []string{(&author{T: rt}).program()}
			if rapid.Bool().Draw(rt, "two") {
				chat = append(chat, (&author{T: rt}).program())
			}
			different := differ(a.run(t, chat), b.run(t, chat), chat, none)
			for again := 0; again < 3 && len(different) > 0 && together(chat); again++ {
				different = differ(a.run(t, chat), b.run(t, chat), chat, none) // a limit may end a run while a request is under way, which then arrives or not
			}
			if len(different) > 0 {
				rt.Fatalf("%s\nis seen by:\n%s", strings.Join(chat, "\n---\n"), strings.Join(different, "\n"))
			}
			ran++
			for _, d := range differ(openA.run(t, chat), openB.run(t, chat), chat, none) {
				who, _, _ := strings.Cut(d, ":")
				tell[who]++
			}
		})
		if t.Logf("%d programs; without labels these observers see a difference: %v", ran, tell); len(tell) == 0 && ran >= 60 {
			t.Error("without labels no observer sees a difference: the programs show nothing")
		}
	})
}

// programs is how many chats a test tries. A world of PostgreSQL takes longer to open.
func programs(e tu.Engine) int {
	switch n := tu.Amount(60, 600); {
	case os.Getenv("EXO_SAMPLE") == "all":
		return 150
	case e.Name == tu.Postgres.Name:
		return n / 3
	default:
		return n
	}
}

// checks bounds the programs of one test.
func checks(t *testing.T, n int) {
	t.Helper()
	f := flag.Lookup("rapid.checks")
	was := f.Value.String()
	t.Cleanup(func() { _ = f.Value.Set(was) })
	if err := f.Value.Set(strconv.Itoa(n)); err != nil {
		t.Fatal(err)
	}
}

// together reports whether programs make calls at the same time.
func together(chat []string) bool { return strings.Contains(strings.Join(chat, ""), "Promise.all") }

// differ lists the observers that see a difference.
func differ(a, b view, chat []string, none []string) (out []string) {
	all := maps.Clone(a)
	maps.Copy(all, b)
	for _, who := range slices.Sorted(maps.Keys(all)) {
		x, y := a[who], b[who]
		if together(chat) && who != "the result" { // such calls arrive in any order
			x, y = sorted(x), sorted(y)
		}
		if x != y && !slices.Contains(none, who) {
			out = append(out, who+":\n"+x+"\nand:\n"+y)
		}
	}
	return out
}

func sorted(text string) string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
