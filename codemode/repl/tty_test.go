//go:build unix

package repl

import (
	"os"
	"testing"

	"github.com/exoagent/exoagent/internal/testutil/ttytest"
)

// childEnv says which app this test binary is, when it is started at a terminal.
const childEnv = "TERMINAL_TEST_APP"

func TestMain(m *testing.M) {
	if a, ok := ttyApps[os.Getenv(childEnv)]; ok {
		Main(a)
	}
	os.Exit(m.Run())
}

type tty struct {
	*ttytest.TTY
	t *testing.T
}

// start runs an app at a terminal.
func start(t *testing.T, app string, env []string, args ...string) *tty {
	t.Helper()
	return &tty{ttytest.Start(t, append([]string{childEnv + "=" + app}, env...), os.Args[0], args...), t}
}
