package dojo_test

import (
	"os"
	"strings"
	"testing"
)

// stories reads a file of lines with five parts or four; the last may be left out.
func stories(t *testing.T, name string, parts int) (out [][]string) {
	t.Helper()
	text, err := os.ReadFile("../../testdata/dojo/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		x := strings.Split(strings.TrimSuffix(line, "\n"), " | ")
		if len(x) == parts-1 {
			x = append(x, "")
		}
		if len(x) != parts {
			t.Fatalf("a line of %d parts: %s", len(x), line)
		}
		out = append(out, x)
	}
	return out
}

// refusedStories are those that are refused, by what was asked for, and why they have to be.
var refusedStories = map[string]string{
	"move bob@a.example to the app team": "whoever reads the teams would learn whose the address is, and the file does not let `team` admit it",
}

// TestStories: what somebody wrote who did not know the rules of labels does what was asked for, with the defaults.
func TestStories(t *testing.T) {
	all := stories(t, "stories.txt", 5)
	done := 0
	for _, x := range all {
		w := open(t, x[0], true)
		_, last := w.run(t, true, strings.Split(x[2], " ;; "))
		sent := strings.Join(w.sent, " & ")
		switch why := refusedStories[x[1]]; {
		case last == x[3] && sent == x[4] && why == "":
			done++
		case why == "" || !strings.Contains(last, "the host can allow it with `admits:"):
			t.Errorf("%s: %s\n%s\ngives %s\nwant  %s\nsent %q\nwant %q", x[0], x[1], x[2], last, x[3], sent, x[4])
		}
	}
	if len(all) != 60 || done != len(all)-len(refusedStories) {
		t.Errorf("%d of %d programs are done", done, len(all))
	}
	t.Logf("%d of %d programs of ordinary work are done (%.0f %%)", done, len(all), 100*float64(done)/float64(len(all)))
}

// TestStoryAttacks: no fooled model reaches what an attacker wants, with the defaults. The twin: where nothing is labelled, each does.
func TestStoryAttacks(t *testing.T) {
	for _, x := range stories(t, "attacks.txt", 4) {
		programs := strings.Split(x[2], " ;; ")
		if seen, _ := open(t, x[0], true).run(t, true, programs); strings.Contains(seen, x[3]) {
			t.Errorf("%s: %s: reached\n%s", x[0], x[1], seen)
		}
		if seen, _ := open(t, x[0], false).run(t, false, programs); !strings.Contains(seen, x[3]) {
			t.Errorf("%s: %s: does not reach %q where nothing is labelled: it shows nothing\n%s", x[0], x[1], x[3], seen)
		}
	}
}
