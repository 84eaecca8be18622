package codemode_test

import (
	"runtime"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exoeval"
)

func liveHeap() uint64 {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Tools of one declaration share what is made of it, so a tool for one more user takes
// little; and nothing of a user is in what they share.
func TestToolsShare(t *testing.T) {
	for _, tables := range []int{50, 500} {
		grants := manyTablesOf(t, tables)
		opt := &codemode.Options{Evaluator: exoeval.InProcess{}}
		names := []string{"Ours", "Theirs"}
		var tools []*codemode.Tool
		for own := range names {
			tools = append(tools, newTool(t, grants(int64(own+1)), opt))
		}
		if tools[0].Description() != tools[1].Description() {
			t.Error("two tools of one declaration have two descriptions")
		}
		for range 3 {
			for own, name := range names {
				r := tools[own].Run(t.Context(), "(await company.execute()).map(c => c.name).join()")
				if r.Err != nil || r.Value.Text() != name {
					t.Errorf("user %d: %v %v", own+1, r.Value, r.Err)
				}
			}
		}
		const many = 50
		kept := make([]*codemode.Tool, 0, many)
		before := liveHeap()
		for own := range many {
			kept = append(kept, newTool(t, grants(int64(own)), opt))
		}
		each := (int64(liveHeap()) - int64(before)) / many
		t.Logf("%d tables: %d bytes for one more tool", tables, each)
		if each > 20<<10 {
			t.Errorf("%d tables: one more tool takes %d bytes", tables, each)
		}
		runtime.KeepAlive(kept)
	}
}
