package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/cli"
)

// request are the lines that a page has of its own; any other is text.
var request = regexp.MustCompile(`^\.(TH|SH|PP|TP|B|BI|RS 4|RE|nf|fi)( |$)`)

// TestMan: each command has a page with each of its flags, and what formats pages has nothing to say against them.
func TestMan(t *testing.T) {
	dir := t.TempDir()
	if r := exo(t, "", "man", dir); r.code != cli.ExitDone {
		t.Fatal(r)
	}
	overview := manPage(t, dir, "exo")
	plain := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	n := 0
	for _, c := range commands() {
		page := filepath.Join(dir, c.Page()+".1")
		if c.Hidden {
			if _, err := os.Stat(page); err == nil {
				t.Errorf("%s is hidden, and has a page", c.Name)
			}
			continue
		}
		n++
		text := plain(manPage(t, dir, c.Page()))
		if !strings.Contains(text, plain(c.Page()+" - "+c.Short)) || !strings.Contains(plain(overview), c.Page()+"(1)") {
			t.Errorf("%s: its name is not in its page, or its page not in that of exo:\n%s", c.Name, text)
		}
		fs := c.FlagSet()
		c.Flags(fs)
		fs.VisitAll(func(f *flag.Flag) {
			value, what := cli.UsageOf(f)
			if want := plain("-" + f.Name + " " + value + " " + cli.Sentence(what)); !strings.Contains(text, want) {
				t.Errorf("%s has no %q:\n%s", c.Page(), want, text)
			}
		})
		for _, l := range strings.Split(c.Long, "\n") {
			if l != "examples:" && !strings.Contains(text, plain(l)) {
				t.Errorf("%s has no line %q:\n%s", c.Page(), l, text)
			}
		}
	}
	if pages, err := os.ReadDir(dir); err != nil || len(pages) != n+1 {
		t.Errorf("%d pages of %d commands and exo: %v", len(pages), n, err)
	}
	for _, args := range [][]string{{"man"}, {"man", dir, dir}} {
		if r := exo(t, "", args...); r.code != cli.ExitUsage {
			t.Errorf("%q: %v", args, r)
		}
	}
	if r := exo(t, "", "man", filepath.Join(dir, "none")); r.code != cli.ExitCannot {
		t.Error(r)
	}
}

// manPage is the text of a page. Where groff is, it has to format it without a word; where it is not, the page's escapes are
// taken back here. Either way no line of text is taken for a request.
func manPage(t *testing.T, dir, name string) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(dir, name+".1"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, l := range strings.Split(string(page), "\n") {
		m := request.FindString(l)
		if m == "" && (strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'")) {
			t.Errorf("%s: %q would be a request", name, l)
		}
		if strings.HasPrefix(m, ".B") || m == "" {
			lines = append(lines, strings.ReplaceAll(strings.TrimPrefix(strings.TrimPrefix(l, ".BI "), ".B "), `"`, ""))
		}
	}
	if groff, err := exec.LookPath("groff"); err == nil {
		cmd := exec.Command(groff, "-man", "-Tascii", "-ww", "-rLL=400n", "-P-cbou")
		cmd.Stdin = strings.NewReader(string(page))
		var says strings.Builder
		cmd.Stderr = &says
		out, err := cmd.Output()
		if err != nil || says.Len() > 0 || len(out) < len(page)/2 {
			t.Errorf("%s: %v, %s", name, err, says.String())
		}
	}
	return strings.NewReplacer(`\-`, "-", `\e`, `\`, `\(aq`, "'", `\(ga`, "`", `\(ha`, "^", `\(ti`, "~", `\(dq`, `"`, `\&`, "").Replace(strings.Join(lines, "\n"))
}
