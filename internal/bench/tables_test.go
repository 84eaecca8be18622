package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// BenchmarkTables is one more user of a file of N tables, which exo init has drafted.
func BenchmarkTables(b *testing.B) {
	bin := filepath.Join(b.TempDir(), "exo")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", bin, "../../cmd/exo").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			db, file := filepath.Join(b.TempDir(), "d.db"), filepath.Join(b.TempDir(), "exo.yaml")
			if err := makeTables(b.Context(), db, n); err != nil {
				b.Fatal(err)
			}
			if out, err := exec.Command(bin, "init", "-db", "sqlite:"+db, "-tenant", "orgs", file).CombinedOutput(); err != nil {
				b.Fatalf("%v\n%s", err, out)
			}
			text, err := os.ReadFile(file)
			if err == nil {
				err = os.WriteFile(file, bytes.Replace(text, []byte("reviewed: false"), []byte("reviewed: true"), 1), 0o600)
			}
			if err != nil {
				b.Fatal(err)
			}
			var u further
			for b.Loop() {
				if u, err = furtherUser(b.Context(), file); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(u.took.Nanoseconds()), "ns/user")
			b.ReportMetric(float64(u.kept/n), "B/grant")
		})
	}
}
