package codemode_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
)

// A tool is made for each user or conversation: this is what one costs, beside
// what one call of it costs.
func BenchmarkTool(b *testing.B) {
	w := newWorld(b)
	b.Run("new", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			newTool(b, codemode.Grants{"org": w.five}, nil)
		}
	})
	tool := newTool(b, codemode.Grants{"org": w.five}, nil)
	for name, program := range map[string]string{
		"call 1+1":      "1 + 1",
		"call two-join": "(api) => api.org.join(({ org }) => org.projects()).join(({ project }) => project.tasks()).where(({ task }) => task.done === false).select(({ project, task }) => ({ project: project.title, task: task.id })).execute()",
	} {
		in, _ := json.Marshal(map[string]string{"code": program})
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := tool.Call(b.Context(), in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A result of ten thousand rows, whole and cut.
func BenchmarkRender(b *testing.B) {
	rows := &value.Rows{Shape: &value.Shape{Names: []string{"id", "title", "done"}}}
	for i := range 10_000 {
		rows.Cells = append(rows.Cells, value.Int(int64(i)), value.Text(fmt.Sprintf("a task with the number %d", i)), value.Bool(i%3 == 0))
	}
	for name, limit := range map[string]int{"whole": 1 << 20, "cut": 256 << 10} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := codemode.Render(value.RowsValue(rows), limit, ""); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkTables is what a tool costs by the number of its tables: to make it, and
// to run a program that does nothing.
func BenchmarkTables(b *testing.B) {
	for _, n := range []int{5, 50, 500} {
		grants := manyTablesOf(b, n)
		g := grants(1)
		b.Run(fmt.Sprintf("%d/new", n), func(b *testing.B) { // each of another user
			b.ReportAllocs()
			for own := int64(1); b.Loop(); own++ {
				newTool(b, grants(own), nil)
			}
		})
		for name, inProcess := range map[string]bool{"process": true, "worker": false} {
			tool := newTool(b, g, &codemode.Options{Evaluator: evaluator(inProcess)})
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				for b.Loop() {
					call(b, tool, "return 1")
				}
			})
		}
		tool := newTool(b, g, &codemode.Options{Evaluator: exoeval.InProcess{}, DeclarationTokens: 1})
		b.Run(fmt.Sprintf("%d/search", n), func(b *testing.B) {
			for b.Loop() {
				call(b, tool, "return search('unpaid invoices of billing and xyzzy')")
			}
		})
	}
}
