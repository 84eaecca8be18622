// Mutate proves that tests protect the lines that stop attacks. For each entry of testdata/mutations it changes one line, in a copy for the
// compiler, and requires that the named test fails.
//
//	go run ./internal/mutate                   all entries; the tests of databases need TEST_POSTGRES_URL
//	go run ./internal/mutate -only exosql      the entries whose file or test matches a regular expression
//	go run ./internal/mutate -carry            after code moved: names the new files, functions and spellings in the lists and in SECURITY.md
//	go run ./internal/mutate -find             for entries with "test ?": lists every test of the package that fails, to choose one
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

func main() {
	only := flag.String("only", "", "regular expression: only entries whose file or test it matches")
	tests := flag.String("tests", ".", "with -find: regular expression, only these tests")
	find := flag.Bool("find", false, "for entries with \"test ?\", run all tests of the package and list those that fail")
	carries := flag.Bool("carry", false, "rewrite the names of code that moved, and list those without one new place")
	jobs := flag.Int("j", max(1, runtime.NumCPU()/2), "mutations at once")
	limit := flag.Duration("limit", 5*time.Minute, "for one run of tests")
	flag.Parse()
	if *carries {
		if err := carry(os.Stdout, "."); err != nil {
			fmt.Fprintln(os.Stderr, "mutate:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := mutate(ctx, os.Stdout, *only, *find, *tests, *jobs, *limit); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func mutate(ctx context.Context, w io.Writer, only string, find bool, tests string, jobs int, limit time.Duration) error {
	root, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		return fmt.Errorf("run mutate in the root of the repository: %w", err)
	}
	all, err := ReadAll(filepath.Join(root, "testdata", "mutations"))
	if err != nil {
		return err
	}
	match, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(m *Mutation) bool {
		return !match.MatchString(m.File) && !match.MatchString(m.Test) || find && m.Test != "?"
	})
	if len(all) == 0 {
		return fmt.Errorf("no entry that could run matches -only %q", only)
	}
	work, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	b := &bench{root: root, work: work}
	if !find {
		if err := b.baselines(ctx, w, all, limit); err != nil {
			return err
		}
	}
	return b.all(ctx, w, all, find, tests, jobs, limit)
}

func (b *bench) baselines(ctx context.Context, w io.Writer, all []*Mutation, limit time.Duration) error {
	tests := map[string][]string{}
	var pkgs []string
	for _, m := range all {
		p := m.Package()
		if tests[p] == nil {
			pkgs, tests[p] = append(pkgs, p), []string{}
		}
		if m.Test != "" && !slices.Contains(tests[p], m.Test) {
			tests[p] = append(tests[p], m.Test)
		}
	}
	for _, p := range pkgs {
		fmt.Fprintf(w, "%s: %d tests pass unchanged ...", p, len(tests[p]))
		if err := b.baseline(ctx, p, tests[p], limit); err != nil {
			fmt.Fprintln(w)
			return err
		}
		fmt.Fprintln(w, " yes")
	}
	return nil
}

// all tries every mutation, and prints a line about each when the mutation has been tried.
func (b *bench) all(ctx context.Context, w io.Writer, all []*Mutation, find bool, tests string, jobs int, limit time.Duration) error {
	var mu sync.Mutex
	var wg sync.WaitGroup
	done, bad, survive := 0, 0, 0
	slots := make(chan struct{}, jobs)
	for i, m := range all {
		slots <- struct{}{}
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer func() { <-slots }()
			start, said := time.Now(), "killed by "+m.Test
			var err error
			if find {
				var fails []string
				if fails, err = b.find(ctx, fmt.Sprint(i), m, tests, limit); len(fails) == 0 {
					said = "NOTHING FAILS"
				} else {
					said = "fail: " + strings.Join(fails, "\n\t")
				}
			} else {
				err = b.try(ctx, fmt.Sprint(i), m, limit)
			}
			mu.Lock()
			defer mu.Unlock()
			done++
			switch {
			case err != nil:
				bad++
				said = "ERROR: " + err.Error()
			case m.Survives != "":
				survive++
				said = "survives: " + m.Survives
			}
			fmt.Fprintf(w, "%3d/%d %4.0fs  %s\n\t%s\n", done, len(all), time.Since(start).Seconds(), m.Name(), said)
		}()
	}
	wg.Wait()
	fmt.Fprintf(w, "%d mutations: %d killed, %d survive as listed, %d wrong\n", len(all), done-bad-survive, survive, bad)
	if bad > 0 {
		return fmt.Errorf("%d mutations did not do what testdata/mutations says", bad)
	}
	return ctx.Err()
}
