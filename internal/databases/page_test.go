package databases

// The page docs/databases.md: which shares of these databases are granted, and how many operations were compared.

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

const page = "../../docs/databases.md"

// line is a database in the page's table.
func (n *tally) line(name, engine string) string {
	of := func(way string) string {
		s := n.granteds[way]
		if s == nil {
			return "none | none"
		}
		return fmt.Sprintf("%d, %d whole | %d", s.granted, s.whole, s.shown)
	}
	s := n.granteds["Go"]
	if s == nil {
		s = &share0
	}
	right, refused := 0, 0
	for _, k := range n.compared {
		right += k
	}
	for why, k := range n.refused {
		if !strings.HasPrefix(why, "grant: ") {
			refused += k
		}
	}
	return fmt.Sprintf("| %s | %s | %d | %s | %d | %s | %d | %d | %d |", name, engine, s.tables, of("init"), s.columns, of("Go"), right, refused, n.pending)
}

var share0 shares

// holdPage writes the page, or holds it against the run: always what is granted, and what was compared where all was asked.
func holdPage(t *testing.T, lines []string, all *tally) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- go test ./internal/databases -run TestDatabases -drawn 1 -update -->\n", "<!-- end of the table -->"
	head, rest, ok := strings.Cut(string(text), begin)
	old, tail, okToo := strings.Cut(rest, end)
	if !ok || !okToo {
		t.Fatalf("%s has no place for the table", page)
	}
	made := "\n| written in the manner of | engine | tables | drafted by `exo init` | columns | of all columns | granted in Go | columns | right | refused with a reason | known to be wrong |\n|---|---|---|---|---|---|---|---|---|---|---|\n" + strings.Join(lines, "\n") + "\n\n"
	if *update && long() {
		if err := os.WriteFile(page, []byte(head+begin+made+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !long() {
		counts := regexp.MustCompile(`( \|[^|\n]*){3} \|\n`) // how many were asked
		old, made = counts.ReplaceAllString(old, "\n"), counts.ReplaceAllString(made, "\n")
	}
	if old != made && !t.Failed() {
		t.Errorf("%s is of another run: go test ./internal/databases -run TestDatabases -drawn 1 -update writes it. It is to hold\n%s", page, made)
	}
}
