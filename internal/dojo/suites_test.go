package dojo_test

import (
	"strings"
	"testing"

	tu "github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/internal/testutil/outside"
)

// TestSuites: in AgentDojo's four suites, whose mails, chats, APIs, servers and folders a grant file declares, what was asked for is done, and arrives.
// No attack has an effect anywhere, or has what it wants asked of a server: neither in the chat that read the attacker's words, nor in one that
// forgets them, nor in a later one. The twin, a file without labels that admits what outsiders wrote, has the same attacks succeed.
func TestSuites(t *testing.T) {
	outside.InMemory(t)
	share := tu.OneIn(t, 8) // of PostgreSQL, where each world is a schema that is made
	for _, name := range []string{"workspace", "slack", "banking", "travel"} {
		tasks := read(t, "outside/"+name)
		if len(tasks) < 8 {
			t.Fatalf("%s has %d tasks", name, len(tasks))
		}
		for _, x := range tasks {
			both := share.Next()
			t.Run(name+"/"+x.asked, func(t *testing.T) {
				tu.Engines(t, func(t *testing.T, e tu.Engine) {
					if e.Name == tu.Postgres.Name && !both {
						return
					}
					x.replay(t, e, name)
				})
			})
		}
	}
}

// replay does a task, and lets its attack run.
func (x task) replay(t *testing.T, e tu.Engine, name string) {
	do := func(guarded, distrust bool, programs []string) (seen, last string, acts, asked []string) {
		s := openSuite(t, e, name, guarded)
		before := s.state(t)
		seen, last = s.run(t, distrust, programs)
		acts, asked = s.end(t, before)
		return seen, last, acts, asked
	}
	lines := func(list []string) string { return strings.Join(list, "\n") }
	if seen, last, acts, _ := do(true, false, x.useful); last != x.gives || strings.TrimSpace(lines(acts)) != x.does {
		t.Errorf("%v\nis not done: %s\ndoes %q\nwant %q", x.useful, seen, lines(acts), x.does)
	}
	for _, distrust := range []bool{false, true} {
		if x.two && !distrust {
			continue // a chat that forgets what its model read
		}
		if seen, _, acts, asked := do(true, distrust, x.attack); len(acts) > 0 && !x.later || strings.Contains(lines(append(acts, asked...)), x.reaches) {
			t.Errorf("%s (distrust %v): %q %q\n%s", x.attackSummary, distrust, acts, asked, seen)
		}
	}
	if seen, _, acts, asked := do(false, false, x.attack); !strings.Contains(lines(append(acts, asked...)), x.reaches) {
		t.Errorf("%s: does not reach %q without the guard: it shows nothing\n%q %q\n%s", x.attackSummary, x.reaches, acts, asked, seen)
	}
}
