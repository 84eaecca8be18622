package exoeval_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/testutil"
)

// TestConformance compares what programs compute with what Node.js 24 does
// (testdata/conformance/node.mjs): each line is a program of its own, so that it
// has no more in its realm than it names. different.txt lists lines that differ,
// with the reason and what they give here.
func TestConformance(t *testing.T) {
	dir := filepath.Join(testutil.Root(), "testdata", "conformance")
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	var node map[string][][2]string
	if err := json.Unmarshal([]byte(read("node.json")), &node); err != nil {
		t.Fatal(err)
	}
	different, reason, lines := map[string]string{}, "", strings.Split(read("different.txt"), "\n")
	for i, l := range lines {
		switch {
		case strings.HasPrefix(l, "# "):
			reason = l
		case strings.HasPrefix(l, "  here: "):
			if reason == "" {
				t.Fatalf("different.txt:%d: a line without a reason", i+1)
			}
			different[lines[i-1]] = strings.TrimPrefix(l, "  here: ")
		}
	}
	show := read("show.js")
	r := testutil.As(t, testutil.Open(t), testutil.Acme, exo.Limits{})
	ran := 0
	for _, f := range testutil.Corpus(t, "conformance/js", ".js") {
		i, cases := 0, node[f.Name]
		for line := range strings.Lines(f.Read()) {
			if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "//") {
				continue
			}
			if i >= len(cases) || cases[i][0] != line {
				t.Fatalf("%s: %s is not what node.json has; run testdata/conformance/node.mjs", f.Name, line)
			}
			want := cases[i][1]
			i++
			ran++
			body := "(" + line + "\n)"
			if strings.HasPrefix(line, "{") {
				body = line
			}
			o := r.Run(t, show+"\nreturn await show(async () => "+body+")")
			got := "refused: " + o.Message
			if o.Result.Err == nil {
				got = o.Result.Value.Text()
			}
			here, listed := different[line]
			delete(different, line)
			switch {
			case listed && want == got:
				t.Errorf("%s: %s is in different.txt, and gives the same", f.Name, line)
			case listed:
				want = here
				fallthrough
			default:
				if got != want {
					t.Errorf("%s: %s\n  here: %s\n  want: %s", f.Name, line, got, want)
				}
			}
		}
		if i != len(cases) {
			t.Errorf("%s: node.json has %d lines more", f.Name, len(cases)-i)
		}
	}
	for line := range different {
		t.Errorf("different.txt has a line that no program is: %s", line)
	}
	if ran < 300 {
		t.Errorf("only %d lines", ran)
	}
}
