// Command bench measures what this module costs and writes the table of docs/performance.md.
//
//	go run ./internal/bench           # prints the table
//	go run ./internal/bench -write    # puts it into docs/performance.md
//
// Compared benchmarks run in one process, one right after the other, in several rounds: a number is the median of its rounds, a ratio the median of
// the ratios within rounds. It needs TEST_POSTGRES_URL, as the tests do.
package main

import (
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
	write := flag.Bool("write", false, "put the table into docs/performance.md")
	flag.Parse()
	if err := run(*rounds, *each, *write); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(rounds int, each string, write bool) error {
	if os.Getenv("TEST_POSTGRES_URL") == "" {
		return errors.New("TEST_POSTGRES_URL is not set: test.sh shows how to start a server")
	}
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return fmt.Errorf("find the module: %w", err)
	}
	root := strings.TrimSpace(string(out))
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	m := measured{}
	b := &bencher{root: root, dir: dir, each: each}
	if err := b.build(); err != nil {
		return err
	}
	for n := range rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", n+1, rounds)
		if err := b.round(m); err != nil {
			return err
		}
	}
	text, err := table(m, rounds)
	if err != nil {
		return err
	}
	if !write {
		fmt.Print(text)
		return nil
	}
	file := filepath.Join(root, "docs", "performance.md")
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	page, err := replace(string(old), text)
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(page), 0o644)
}

// The table stands between these lines of docs/performance.md.
const (
	begin = "<!-- go run ./internal/bench -write -->"
	end   = "<!-- end of the table -->"
)

// cut finds the table in a page, and what is around it.
func cut(page string) (before, table, after string, err error) {
	before, rest, ok := strings.Cut(page, begin+"\n")
	table, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 || strings.Contains(after, begin) {
		return "", "", "", fmt.Errorf("docs/performance.md must have one line %q, and then %q", begin, end)
	}
	return before, table, after, nil
}

func replace(page, table string) (string, error) {
	before, _, after, err := cut(page)
	if err != nil {
		return "", err
	}
	return before + begin + "\n" + table + end + after, nil
}
