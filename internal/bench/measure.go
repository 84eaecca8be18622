package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// measured has what each benchmark reported, one number for each round. The keys are "package/Benchmark/sub" and the unit.
type measured map[string]map[string][]float64

func (m measured) add(name, unit string, x float64) {
	if m[name] == nil {
		m[name] = map[string][]float64{}
	}
	m[name][unit] = append(m[name][unit], x)
}

// bencher runs the benchmarks of the packages and the start of a process.
type bencher struct {
	root, dir, each string
	rows            int // the number of rows of the lists
}

// suites are the benchmarks for the tables, by package, in the order in which each round runs them.
var suites = []struct{ pkg, bench, cpu string }{
	{"internal/bench", "^BenchmarkLists$", ""},
	{"exo", "^BenchmarkGate$", "1"},
	{"exosql", "^BenchmarkPlan$", ""},
	{"codemode", "^Benchmark(Query|Record|Shape)$", ""},
	{"codemode", "^BenchmarkTool$/^new$", ""},
}

const program = "(api) => api.currentUser.join(({ user }) => user.todos()).where(({ todo }) => todo.completed === false).select(({ todo }) => ({ title: todo.title })).execute()"

func (b *bencher) build() error {
	for _, s := range suites {
		if err := b.command("go", "test", "-c", "-o", b.binary(s.pkg), "./"+s.pkg).Run(); err != nil {
			return fmt.Errorf("the tests of %s can't be built: %w", s.pkg, err)
		}
	}
	if err := b.command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", b.binary("simple"), "./examples/simple").Run(); err != nil {
		return fmt.Errorf("examples/simple can't be built: %w", err)
	}
	return nil
}

func (b *bencher) binary(name string) string {
	return filepath.Join(b.dir, strings.ReplaceAll(name, "/", "_")+".bin")
}

func (b *bencher) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir, c.Stderr = b.root, os.Stderr
	return c
}

// round runs every suite once.
func (b *bencher) round(m measured) error {
	for _, s := range suites {
		args := []string{"-test.run", "^$", "-test.bench", s.bench, "-test.benchtime", b.each}
		if s.cpu != "" {
			args = append(args, "-test.cpu", s.cpu)
		}
		c := b.command(b.binary(s.pkg), args...)
		c.Dir = filepath.Join(b.root, s.pkg)
		c.Env = append(os.Environ(), fmt.Sprintf("EXO_ROWS=%d", b.rows))
		out, err := c.Output()
		if err == nil {
			err = m.parse(s.pkg, out)
		}
		if err != nil {
			return fmt.Errorf("the benchmarks of %s failed: %w\n%s", s.pkg, err, out)
		}
	}
	return nil
}

// parse reads the lines that Go's benchmarks print.
func (m measured) parse(pkg string, out []byte) error {
	found := false
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		f := strings.Fields(s.Text())
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		name := f[0]
		if i := strings.LastIndexByte(name, '-'); i > 0 { // the name ends with the number of CPUs
			name = name[:i]
		}
		for i := 2; i+1 < len(f); i += 2 {
			x, err := strconv.ParseFloat(f[i], 64)
			if err != nil {
				return fmt.Errorf("%q: %w", s.Text(), err)
			}
			m.add(pkg+"/"+strings.TrimPrefix(name, "Benchmark"), f[i+1], x)
			found = true
		}
	}
	if !found {
		return errors.New("the output of the tests has no line of a benchmark")
	}
	return nil
}

// start measures a process from its start to its end. The process runs one program.
func (b *bencher) start(m measured) error {
	for range 5 {
		c := b.command(b.binary("simple"), "-e", program)
		begin := time.Now()
		out, err := c.Output()
		took := time.Since(begin)
		if err != nil || !bytes.Contains(out, []byte(`"title"`)) {
			return fmt.Errorf("examples/simple failed, or printed no title: %w: %s", err, out)
		}
		m.add("start", "ns/op", float64(took.Nanoseconds()))
		if u, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
			m.add("start", "MB", float64(u.Maxrss)/1e3) // Linux reports kilobytes
		}
	}
	return nil
}
