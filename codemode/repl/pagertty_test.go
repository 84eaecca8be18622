//go:build unix

package repl

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// many is a result that is longer than the screen.
const many = "Array.from({length: 200}, (_, i) => ({ n: i }))"

// TestPager: what is longer than the screen goes through the pager, and nothing else does; .pager off ends that, and so does a pager
// that can't be started.
func TestPager(t *testing.T) {
	x := start(t, "notes", []string{"PAGER=sed 's/^/paged: /'"})
	x.Ends("owner 1>")
	x.Send("1\r")
	x.Ends("owner 1>")
	x.Send(many + "\r")
	x.Shows("paged: 200 rows")
	x.Ends("owner 1>")
	if strings.Contains(x.Written(), "paged: 1 row") {
		t.Errorf("a short result was paged:\n%s", x.Screen())
	}
	x.Send(".pager off\r")
	x.Shows("everything is printed")
	x.Ends("owner 1>")
	before := strings.Count(x.Written(), "paged: ")
	x.Send(many + "\r")
	x.Shows("\n200 rows")
	x.Ends("owner 1>")
	if strings.Count(x.Written(), "paged: ") != before {
		t.Errorf("it was paged:\n%s", x.Screen())
	}
	x.Send(".pager maybe\r")
	x.Shows(".pager on shows")

	x = start(t, "notes", []string{"PAGER=/none/none"})
	x.Ends("owner 1>")
	x.Send(many + "\r")
	x.Shows("\n200 rows")
	x.Ends("owner 1>")
}

// TestPagerIsLess: without $PAGER it is less, which goes on to the prompt when it is left.
func TestPagerIsLess(t *testing.T) {
	if _, err := exec.LookPath("less"); err != nil {
		t.Log("there is no less here: what is long is printed")
		return
	}
	x := start(t, "notes", []string{"PAGER="}) // which means none
	x.Ends("owner 1>")
	x.Send(many + "\r")
	x.Shows("\n200 rows")
	x.Ends("owner 1>")

	t.Setenv("PAGER", "") // so that it is as it was, after the test
	os.Unsetenv("PAGER")
	x = start(t, "notes", nil)
	x.Ends("owner 1>")
	x.Send(many + "\r")
	x.Until("less, waiting", func(s string) bool { return strings.HasSuffix(s, "\n:") })
	x.Send("q")
	x.Ends("owner 1>")
}

// TestPagerOfPipes: on a pipe nothing is paged, however long it is.
func TestPagerOfPipes(t *testing.T) {
	t.Setenv("PAGER", "sed 's/^/paged: /'")
	if got := runApp(many + "\n"); got.code != 0 || strings.Contains(got.out+got.err, "paged") || !strings.Contains(got.out, `{"n":199}`) {
		t.Errorf("%+v", got)
	}
}
