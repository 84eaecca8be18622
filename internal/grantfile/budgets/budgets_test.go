package budgets_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/internal/grantfile"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

const service = "exo: 1\nservices:\n  a: {mcp: https://x.example.com, reads: [x]}\n"

// TestBudgetsPage: the file of docs/limits.md is read, and a reviewer sees each of its amounts.
func TestBudgetsPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(tu.Root(), "docs", "limits.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindSubmatch(page)
	f, err := grantfile.Parse("exo.yaml", append([]byte(service), block[1]...))
	if err != nil || len(f.Budgets.All) != 4 {
		t.Fatal(err)
	}
	var said []string
	for _, l := range f.Lines() {
		said = append(said, l.Of+" "+l.What+": "+l.How)
	}
	for _, want := range []string{"budget per principal calls in an hour: 500", "budget per principal rows in a day: 100000", "budget per principal read in a day: 67108864", "budget per principal effects in a day: 20",
		"budget per conversation rows in all: 20000", "budget per tool effects in a week: 1000", "budgets store: budgets"} {
		if !slices.Contains(said, want) {
			t.Errorf("no line %q in %q", want, said)
		}
	}
}

// TestNotOpened: the options of a file with budgets let no message pass before the budgets are opened. Without budgets there is nothing to open.
func TestNotOpened(t *testing.T) {
	f, err := grantfile.Parse(filepath.Join(t.TempDir(), "exo.yaml"), []byte(service+"budgets: {tool: {day: {calls: 3}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	opt := f.ToolOptions(grantfile.Principal{})
	if err := opt.Budgets.Begin(exo.Run{}, exo.Limits{}).Take(time.Now(), 1, exo.Use{Calls: 1}, false); fail.KindOf(err) != fail.Internal {
		t.Errorf("%v", err)
	}
	set, closing, err := f.OpenBudgets(t.Context())
	if err != nil || set == nil {
		t.Fatal(err)
	}
	if err := closing(); err != nil {
		t.Error(err)
	}
	if f, err = grantfile.Parse("exo.yaml", []byte(service)); err != nil || f.ToolOptions(grantfile.Principal{}).Budgets != nil {
		t.Errorf("a file without budgets has some: %v", err)
	}
}
