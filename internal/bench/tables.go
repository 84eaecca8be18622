package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/internal/grantfile"
)

// This file measures databases with many tables and dense links: how long exo init, exo validate and exo run take, and what one more user costs.

// sizes are the numbers of tables that are measured.
var sizes = []int{50, 100, 200, 400, 1000, 2000}

// tableStatements returns the statements for a database of n tables: orgs, and tables with a tenant column and foreign keys to up to four
// earlier tables.
func tableStatements(n int) (out []string) {
	out = append(out, "CREATE TABLE orgs (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
	for i := range n - 1 {
		cols := []string{"id INTEGER PRIMARY KEY", "org_id INTEGER NOT NULL REFERENCES orgs(id)", "title TEXT NOT NULL", "status TEXT NOT NULL", "amount INTEGER"}
		keys := []string{"org_id"}
		seen := map[int]bool{}
		for _, j := range []int{i - 1, i / 2, i / 3, i * 7 / 11} {
			if j >= 0 && j < i && !seen[j] {
				seen[j] = true
				cols = append(cols, fmt.Sprintf("t%d_id INTEGER REFERENCES t%[1]d(id)", j))
				keys = append(keys, fmt.Sprintf("t%d_id", j))
			}
		}
		out = append(out, fmt.Sprintf("CREATE TABLE t%d (%s)", i, strings.Join(cols, ", ")))
		for k, key := range keys {
			out = append(out, fmt.Sprintf("CREATE INDEX i%d_%d ON t%[1]d(%[3]s)", i, k, key))
		}
	}
	return out
}

// makeTables writes the database of tableStatements to a file.
func makeTables(ctx context.Context, path string, n int) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	for _, s := range tableStatements(n) {
		if _, err := tx.ExecContext(ctx, s); err != nil {
			return errors.Join(err, tx.Rollback(), db.Close())
		}
	}
	return errors.Join(tx.Commit(), db.Close())
}

// runTables measures each size, and prints or writes the table.
func runTables(ctx context.Context, write bool) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "tables")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bin := filepath.Join(dir, "exo")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", bin, "./cmd/exo").CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	var b strings.Builder
	b.WriteString("| tables | `exo init` | `exo validate` | `exo run -e 1` | one more user | kept of the user, per grant | allocated, per grant |\n|---|---|---|---|---|---|---|\n")
	for _, n := range sizes {
		cells := []string{grouped(n)}
		db, file := filepath.Join(dir, fmt.Sprintf("d%d.db", n)), filepath.Join(dir, fmt.Sprintf("d%d.yaml", n))
		if err := makeTables(ctx, db, n); err != nil {
			return err
		}
		for _, args := range [][]string{{"init", "-db", "sqlite:" + db, "-tenant", "orgs", file}, {"validate", file}, {"run", file, "-as", "org=1", "-e", "1"}} {
			cell, err := spent(exec.CommandContext(ctx, bin, args...))
			if err != nil {
				return err
			}
			if cells = append(cells, cell); args[0] == "init" {
				text, err := os.ReadFile(file)
				if err == nil {
					err = os.WriteFile(file, bytes.Replace(text, []byte("reviewed: false"), []byte("reviewed: true"), 1), 0o600)
				}
				if err != nil {
					return err
				}
			}
		}
		u, err := furtherUser(ctx, file)
		if err != nil {
			return err
		}
		cells = append(cells, took(u.took), fmt.Sprintf("%d B", u.kept/n), fmt.Sprintf("%d B", u.allocated/n))
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	b.WriteString("\n")
	if !write {
		fmt.Print(b.String())
		return nil
	}
	return put(root, "docs/performance.md", beginTables, b.String())
}

// spent returns the processor time and the largest memory of a command and the processes that it started.
func spent(cmd *exec.Cmd) (string, error) {
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	text := took(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime())
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok && runtime.GOOS == "linux" {
		text += fmt.Sprintf(", %d MB", u.Maxrss>>10)
	}
	return text, nil
}

func took(d time.Duration) string {
	if d < 10*time.Millisecond {
		return fmt.Sprintf("%.2f ms", d.Seconds()*1000)
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}

// further is the cost of one more user of a file, before the user runs a program.
type further struct {
	took            time.Duration
	kept, allocated int // the bytes that one more user keeps in memory, and all that were allocated
}

// furtherUser measures the cost of one more user: it makes tools for many users, after the first user's tool, and divides.
func furtherUser(ctx context.Context, file string) (further, error) {
	const users = 50
	text, err := os.ReadFile(file)
	if err != nil {
		return further{}, err
	}
	f, err := grantfile.Parse(file, text)
	if err != nil {
		return further{}, err
	}
	d, err := f.Declare(ctx, nil)
	if err != nil {
		return further{}, err
	}
	defer d.Close()
	pool, err := worker.NewPool(worker.PoolOptions{Require: worker.Process})
	if err != nil {
		return further{}, err
	}
	defer pool.Close()
	tools := make([]*codemode.Tool, 0, users+1)
	user := func(i int) error {
		p, err := f.ParseClaims(fmt.Sprint("org=", i))
		if err != nil {
			return err
		}
		grants, err := d.Grants(p)
		if err != nil {
			return err
		}
		opt := f.ToolOptions(p)
		opt.Evaluator = pool
		tool, err := codemode.New(grants, &opt)
		tools = append(tools, tool)
		return err
	}
	if err := user(0); err != nil {
		return further{}, err
	}
	memory := func() (m runtime.MemStats) {
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m
	}
	before, began := memory(), time.Now()
	for i := range users {
		if err := user(i + 1); err != nil {
			return further{}, err
		}
	}
	u := further{took: time.Since(began) / users}
	after := memory()
	u.kept = int(int64(after.HeapAlloc)-int64(before.HeapAlloc)) / users
	u.allocated = int(after.TotalAlloc-before.TotalAlloc) / users
	runtime.KeepAlive(tools)
	return u, nil
}
