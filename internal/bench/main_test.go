package main

import (
	"os"
	"strings"
	"testing"
)

// names are the first cells of a table's lines.
func names(table string) []string {
	var out []string
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); len(cells) > 2 && !strings.HasPrefix(line, "|-") {
			out = append(out, strings.TrimSpace(cells[1]))
		}
	}
	return out
}

// fake has a number for all that the table shows.
func fake() measured {
	m := measured{}
	for _, r := range rows {
		for _, name := range []string{r.name, r.beside} {
			for _, unit := range []string{"ns/op", "MB", "ns/query", "allocs/op", "B/op"} {
				if m[name][unit] == nil {
					m.add(name, unit, 1)
				}
			}
		}
	}
	for _, l := range lists {
		for _, e := range []string{"sqlite", "postgres"} {
			for _, t := range tenants {
				for _, unit := range []string{"µs/hand", "x/statement", "x/rls", "µs/more"} {
					m.add("internal/bench/Lists/"+e+"/"+t+"/"+strings.ReplaceAll(l.name, " ", "_"), unit, 1)
				}
			}
		}
	}
	return m
}

// The page's table has the rows that the command makes; their numbers are whatever was measured.
func TestPageHasTheTable(t *testing.T) {
	page, err := os.ReadFile("../../docs/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	_, have, _, err := cut(string(page), begin)
	if err != nil {
		t.Fatal(err)
	}
	want, err := table(fake(), 5)
	if err != nil {
		t.Fatal(err)
	}
	if h, w := strings.Join(names(have), "\n"), strings.Join(names(want), "\n"); h != w || len(names(want)) != len(rows)+1 {
		t.Errorf("docs/performance.md has the rows\n%s\nwant\n%s\nrun go run ./internal/bench -write", h, w)
	}
	for line := range strings.Lines(have) {
		if cells := strings.Split(line, "|"); len(cells) > 2 && strings.TrimSpace(cells[2]) == "" {
			t.Errorf("no number in %s", line)
		}
	}
}

// TestPagesHaveTheLists: both pages have a line for each question, and numbers in it.
func TestPagesHaveTheLists(t *testing.T) {
	for _, c := range []struct {
		file, begin string
		make        func(measured, string) (string, error)
		rows        int
	}{{"../../docs/performance.md", beginLists, listTable, shortRows}, {"../../README.md", beginLists, shortTable, shortRows}} {
		file := c.file
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, have, _, err := cut(string(page), c.begin)
		if err != nil {
			t.Fatal(file, err)
		}
		want, err := c.make(fake(), grouped(c.rows))
		if err != nil {
			t.Fatal(err)
		}
		if h, w := strings.Join(names(have), "\n"), strings.Join(names(want), "\n"); h != w {
			t.Errorf("%s has the rows\n%s\nwant\n%s\nrun go run ./internal/bench -lists -write", file, h, w)
		}
	}
	var have []string
	for _, l := range listStatements {
		have = append(have, l.name)
	}
	for i, l := range lists {
		if i >= len(have) || have[i] != l.name {
			t.Errorf("%s is not measured", l.name)
		}
	}
}

// TestMissed: a ratio above its target is bold, and the table says how many there are.
func TestMissed(t *testing.T) {
	m := fake()
	text, err := listTable(m, "1")
	if err != nil || strings.Contains(text, "are above their target") {
		t.Fatal(err, text)
	}
	m["internal/bench/Lists/sqlite/10%/two_hops"]["x/statement"] = []float64{1.2, 1.2, 1}
	m["internal/bench/Lists/postgres/89%/equals,_no_index"]["x/statement"] = []float64{1.25}
	m["internal/bench/Lists/postgres/10%/count"]["µs/more"] = []float64{500.2}
	m["internal/bench/Lists/sqlite/1%/count"]["µs/more"] = []float64{250.05}
	if text, err = listTable(m, "1"); err != nil || !strings.Contains(text, "| 1.00 (**1.20**, 1.00) |") || !strings.Contains(text, "| + 1 µs (**+ 500 µs**, + 1 µs) |") ||
		!strings.Contains(text, "| + 1 µs (+ 1 µs, + 250 µs) |") || !strings.Contains(text, "\nOf 54 statements 1 are above their target, and of as many programs 1;") {
		t.Error(err, text)
	}
	delete(m, "internal/bench/Lists/sqlite/10%/two_hops")
	if _, err := listTable(m, "1"); err == nil {
		t.Error("what was not measured is in the table")
	}
}

func TestTable(t *testing.T) {
	m := fake()
	r := rows[0]
	m[r.name]["ns/op"], m[r.beside]["ns/op"] = []float64{100, 300_000, 200}, []float64{10, 100_000, 40}
	m[rows[1].name]["ns/op"] = m[r.name]["ns/op"] // of the same query
	m[r.name]["allocs/op"], m[r.name]["B/op"] = []float64{7}, []float64{12_000}
	text, err := table(m, 3)
	if err != nil {
		t.Fatal(err)
	}
	// The median of the ratios within rounds; the ratio of the means would be 3.
	if want := "| " + r.what + " | 200 ns | 40 ns | 5.00 | 7, 12 kB | " + r.target + " |\n"; !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
	delete(m, r.beside)
	if _, err := table(m, 3); err == nil {
		t.Error("a benchmark that reported nothing is in the table")
	}
	m.add(r.beside, "ns/op", 1)
	if _, err := table(m, 3); err == nil {
		t.Error("a ratio of numbers from different rounds")
	}
}

func TestParse(t *testing.T) {
	m := measured{}
	out := "goos: linux\nBenchmarkGate/missing/300-2   \t 100\t 1250 ns/op\t 5e5 calls/s\t 656 B/op\t 5 allocs/op\nBenchmarkShape \t 10\t 2.5 ns/op\nPASS\n"
	if err := m.parse("exo", []byte(out)); err != nil {
		t.Fatal(err)
	}
	if err := m.parse("exo", []byte(out)); err != nil {
		t.Fatal(err)
	}
	for unit, want := range map[string]float64{"ns/op": 1250, "calls/s": 5e5, "B/op": 656, "allocs/op": 5} {
		if x := m["exo/Gate/missing/300"][unit]; len(x) != 2 || x[0] != want {
			t.Errorf("%s: %v", unit, x)
		}
	}
	if x := m["exo/Shape"]["ns/op"]; len(x) != 2 || x[1] != 2.5 {
		t.Error(x)
	}
	if m.parse("exo", []byte("PASS\n")) == nil || m.parse("exo", []byte("BenchmarkX 1 x ns/op\n")) == nil {
		t.Error("nothing was measured, and that is no error")
	}
}

func TestReplace(t *testing.T) {
	in := "a\n" + begin + "\nold\n" + end + "\nb\n"
	out, err := replace(in, begin, "new\n")
	if want := strings.Replace(in, "old", "new", 1); err != nil || out != want {
		t.Errorf("%q %v", out, err)
	}
	for _, bad := range []string{"", begin + "\n", end, in + in} {
		if _, err := replace(bad, begin, "x"); err == nil {
			t.Errorf("%q has one place for the table", bad)
		}
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{7: "7", 1000: "1,000", 12345: "12,345", 10_000_000: "10,000,000"} {
		if got := grouped(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}

func TestShown(t *testing.T) {
	for x, want := range map[float64]string{0.5: "0.5 ns", 999.4: "999 ns", 999.6: "1 µs", 12_345: "12.3 µs", 2_340_000: "2.34 ms", 5e9: "5 s"} {
		if got := shown(x, ""); got != want {
			t.Errorf("%v is shown as %s, want %s", x, got, want)
		}
	}
	if got := shown(36.54, "MB"); got != "36.5 MB" {
		t.Error(got)
	}
	if m := median([]float64{4, 1, 3, 2}); m != 2.5 {
		t.Error(m)
	}
}
