package codemode_test

import (
	"encoding/json"
	"testing"

	"github.com/exoagent/exoagent/codemode"
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
