// Command bench measures what this module costs and writes the tables of docs/performance.md and README.md.
//
//	go run ./internal/bench           # prints the tables
//	go run ./internal/bench -write    # puts them into the pages
//	go run ./internal/bench -lists    # the lists only
//	go run ./internal/bench -lists -rows 1000000 -rounds 1    # of any number of rows; printed
//	go run ./internal/bench -serve    # exo run and exo serve only: how soon they answer, what conversations cost; printed
//	go run ./internal/bench -tables -write    # files of 50 to 2,000 tables only: exo init, validate and run, and one more user
//	go run ./internal/bench -groups    # aggregates and groups only, with -rows as the lists; printed
//
// Compared benchmarks run in one process, one right after the other, in several rounds. A number is the median of its rounds, and a ratio the median
// of the ratios within rounds. The URL of the tests' PostgreSQL database must be in TEST_POSTGRES_URL.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	rounds := flag.Int("rounds", 5, "how often everything is measured")
	each := flag.String("time", "300ms", "how long one benchmark runs in one round")
	write := flag.Bool("write", false, "put the tables into docs/performance.md and README.md")
	only := flag.Bool("lists", false, "measure the lists only")
	sums := flag.Bool("groups", false, "measure aggregates and groups only, and print their table")
	sized := flag.Bool("tables", false, "measure files of 50 to 2,000 tables only")
	served := flag.Bool("serve", false, "measure exo serve only, and print how soon it is ready and what conversations cost")
	rows := flag.Int("rows", shortRows, "how many rows the lists have; with another number than 100,000 nothing is written")
	flag.Parse()
	err := errors.New("-write needs lists of 100,000 rows: leave -rows out")
	switch {
	case *served:
		err = measureServe(context.Background(), os.Stdout, *rounds)
	case *sized:
		err = runTables(context.Background(), *write)
	case *sums && *write:
		err = errors.New("-groups only prints its figures: leave -write out")
	case *sums:
		err = runGroups(*rounds, *each, *rows)
	case !*write || *rows == shortRows:
		err = run(*rounds, *each, *write, *rows, *only || *rows != shortRows)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// The lists on the pages have this number of rows.
const shortRows = 100_000

// newBencher builds the measured programs in a folder, which done removes.
func newBencher(each string, rows int) (b *bencher, done func(), err error) {
	if os.Getenv("TEST_POSTGRES_URL") == "" {
		return nil, nil, errors.New("TEST_POSTGRES_URL is not set: test.sh shows how to start a server")
	}
	root, err := moduleRoot()
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return nil, nil, err
	}
	done = func() { os.RemoveAll(dir) }
	b = &bencher{root: root, dir: dir, each: each, rows: rows}
	if err := b.build(); err != nil {
		done()
		return nil, nil, err
	}
	return b, done, nil
}

func run(rounds int, each string, write bool, rows int, only bool) error {
	if only {
		suites = suites[:1]
	}
	b, done, err := newBencher(each, rows)
	if err != nil {
		return err
	}
	defer done()
	m, count := measured{}, grouped(rows)
	for n := range rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", n+1, rounds)
		if err := b.round(m); err != nil {
			return err
		}
		if only {
			continue
		}
		if err := b.start(m); err != nil {
			return err
		}
	}
	first, err := listTable(m, count)
	if err != nil {
		return err
	}
	short, err := shortTable(m, count)
	if err != nil {
		return err
	}
	places := []struct{ file, begin, text string }{{"docs/performance.md", beginLists, first}, {"README.md", beginLists, short}}
	if rows != shortRows {
		places = places[:1]
	}
	if !only {
		text, err := table(m, rounds)
		if err != nil {
			return err
		}
		places = append(places, struct{ file, begin, text string }{"docs/performance.md", begin, text})
	}
	for _, p := range places {
		if !write {
			fmt.Print(p.text)
		} else if err := put(b.root, p.file, p.begin, p.text); err != nil {
			return err
		}
	}
	return nil
}

// put writes a table into a page.
func put(root, name, begin, text string) error {
	file := filepath.Join(root, name)
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	page, err := replace(string(old), begin, text)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return os.WriteFile(file, []byte(page), 0o644)
}

func moduleRoot() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("go list can't find the module: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// A table is between one of these begin lines and the end line.
const (
	begin       = "<!-- go run ./internal/bench -write -->"
	beginLists  = "<!-- go run ./internal/bench -lists -write -->"
	beginTables = "<!-- go run ./internal/bench -tables -write -->"
	end         = "<!-- end of the table -->"
)

// grouped writes a number with commas.
func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

// cut finds the table after a begin line of a page, and returns the text around it, too.
func cut(page, begin string) (before, table, after string, err error) {
	before, rest, ok := strings.Cut(page, begin+"\n")
	table, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 || strings.Contains(after, begin) {
		return "", "", "", fmt.Errorf("the page must have the line %q exactly once, and after it %q", begin, end)
	}
	return before, table, after, nil
}

func replace(page, begin, table string) (string, error) {
	before, _, after, err := cut(page, begin)
	if err != nil {
		return "", err
	}
	return before + begin + "\n" + table + end + after, nil
}
