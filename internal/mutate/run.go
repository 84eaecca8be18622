package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/exoagent/exoagent/internal/scalar"
)

// bench builds and runs test binaries. The tree stays unchanged: the compiler reads one file from elsewhere (go build -overlay).
type bench struct {
	root string // the root of the repository
	work string // a temporary folder for mutated files, overlays and binaries
}

var errBuild = errors.New("the mutated package, or a test of it, does not compile")

// build makes the test binary of a package. If m is not nil, it uses the mutated text of one file. The caller removes the binary.
func (b *bench) build(ctx context.Context, name, pkg string, m *Mutation) (binary string, err error) {
	binary = filepath.Join(b.work, name+".test")
	args := []string{"test", "-c", "-ldflags=-s -w", "-o", binary} // without symbols, because linking takes most of the time
	if m != nil {
		text, err := m.Apply(b.root)
		if err != nil {
			return "", err
		}
		mutated := filepath.Join(b.work, name+".go")
		if err := os.WriteFile(mutated, text, 0o600); err != nil {
			return "", err
		}
		overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(b.root, filepath.FromSlash(m.File)): mutated}})
		if err != nil {
			return "", err
		}
		list := filepath.Join(b.work, name+".json")
		if err := os.WriteFile(list, overlay, 0o600); err != nil {
			return "", err
		}
		args = append(args, "-overlay", list)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, pkg)...)
	cmd.Dir = b.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", errBuild, lastLines(out, 8))
	}
	return binary, nil
}

// results has the output of a run of tests: PASS, FAIL or SKIP for each test.
type results struct {
	of     map[string]string
	failed bool // the exit status of the binary is an error
	hung   bool
	output []byte
}

// overlay returns a variable of the environment. With it, a test that builds a program, such as a worker's host, builds the mutated program.
func (b *bench) overlay(name string) string {
	return "GOFLAGS=" + os.Getenv("GOFLAGS") + " -overlay=" + filepath.Join(b.work, name+".json")
}

var verdict = regexp.MustCompile(`(?m)^ *--- (PASS|FAIL|SKIP): (\S+) \(`)

// run runs tests of a binary in the folder of the package.
func (b *bench) run(ctx context.Context, binary, pkg, pattern string, limit time.Duration, env ...string) results {
	cmd := exec.CommandContext(ctx, binary, "-test.v", "-test.run", pattern, "-test.timeout", limit.String())
	cmd.Dir = filepath.Join(b.root, filepath.FromSlash(pkg))
	cmd.Env = append(append(os.Environ(), "EXO_SAMPLE=all"), env...) // test everything, because a sample could miss the mutation
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = 5 * time.Second // a child process of a test may keep the output open
	err := cmd.Run()
	r := results{of: map[string]string{}, failed: err != nil, output: out.Bytes()}
	for _, v := range verdict.FindAllSubmatch(r.output, -1) {
		r.of[string(v[2])] = string(v[1])
	}
	r.hung = bytes.Contains(r.output, []byte("panic: test timed out after"))
	return r
}

// pattern returns the -test.run pattern for exactly one test.
func pattern(test string) string {
	parts := scalar.Each(strings.Split(test, "/"), func(p string) string { return "^" + regexp.QuoteMeta(p) + "$" })
	return strings.Join(parts, "/")
}

// baseline runs the named tests of a package unchanged. A test that fails, or is skipped, without a mutation proves nothing with one.
func (b *bench) baseline(ctx context.Context, pkg string, tests []string, limit time.Duration) error {
	binary, err := b.build(ctx, "baseline", pkg, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", pkg, err)
	}
	defer os.Remove(binary)
	for _, test := range tests {
		if r := b.run(ctx, binary, pkg, pattern(test), limit); r.failed || r.of[test] != "PASS" {
			return fmt.Errorf("%s: %s must pass without a mutation, but it does not: %s %s", pkg, test, r.of[test], lastLines(r.output, 12))
		}
	}
	return ctx.Err()
}

// try applies one mutation and checks that the test fails.
func (b *bench) try(ctx context.Context, name string, m *Mutation, limit time.Duration) error {
	binary, err := b.build(ctx, name, m.Package(), m)
	if err != nil {
		return err
	}
	defer os.Remove(binary)
	if m.Test == "" {
		// If a test of the package fails now, the mutation does not survive.
		if r := b.run(ctx, binary, m.Package(), ".", limit, b.overlay(name)); r.failed {
			return fmt.Errorf("the entry is listed as a survivor, but %v fails: write `test` instead of `survives`", r.fails())
		}
		return ctx.Err()
	}
	r := b.run(ctx, binary, m.Package(), pattern(m.Test), limit, b.overlay(name))
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case r.hung:
		return fmt.Errorf("%s hangs: choose a mutation that fails", m.Test)
	case !r.failed:
		return fmt.Errorf("SURVIVED: %s passes", m.Test)
	case r.of[m.Test] != "FAIL" && !bytes.Contains(r.output, []byte("panic: ")) && !bytes.Contains(r.output, []byte("fatal error: ")):
		return fmt.Errorf("%s did not run: %s", m.Test, lastLines(r.output, 5))
	}
	return nil
}

// find lists the tests of the package that fail with the mutation.
func (b *bench) find(ctx context.Context, name string, m *Mutation, tests string, limit time.Duration) ([]string, error) {
	binary, err := b.build(ctx, name, m.Package(), m)
	if err != nil {
		return nil, err
	}
	defer os.Remove(binary)
	r := b.run(ctx, binary, m.Package(), tests, limit, b.overlay(name))
	if r.failed && len(r.fails()) == 0 {
		return []string{"died: " + lastLines(r.output, 3)}, nil
	}
	return r.fails(), ctx.Err()
}

func (r *results) fails() []string {
	var out []string
	for t, v := range r.of {
		if v == "FAIL" && !strings.Contains(t, "/") {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return out
}

func lastLines(out []byte, n int) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n\t")
}
