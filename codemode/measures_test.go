package codemode_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
)

// TestMeasures: a model reads which measures there are and how they are called, finds them by their names, and what it reads is so.
func TestMeasures(t *testing.T) {
	w := newWorld(t)
	g := codemode.Grants{"tasks": w.measured}
	rules, _, err := codemode.Prompted(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := "What is marked [measure] the host has defined: call it, as `openHours()`, instead of calculating it. Groups, windows and links have it too, `g.openHours()`, also in where and orderBy."; rules["measures"] != want {
		t.Errorf("%q", rules["measures"])
	}
	tool := newTool(t, g, nil)
	for _, want := range []string{"openHours(): Promise<number | null>; // [measure] not done yet", "total(): Promise<number>; // [measure]\n"} {
		if !strings.Contains(tool.Declarations(), want) {
			t.Errorf("no %q in %s", want, tool.Declarations())
		}
	}
	for code, want := range map[string]string{
		"return [await api.tasks.openHours(), await api.tasks.where(t => t.hours > 1).total()]":                                                                          "[1.5,2]",
		"return api.tasks.groupBy(t => t.status).where(g => g.total() > 0).orderBy(g => g.openHours().desc()).select(g => ({ s: g.status, h: g.openHours() })).limit(1)": `[{"h":1.5,"s":"open"}]`,
		"return api.tasks.partitionBy().limit(1).select(({ window }) => window.openHours())":                                                                             "[1.5]",
	} {
		o := call(t, tool, code)
		if j, _ := json.Marshal(o.Result); o.Error != nil || string(j) != want {
			t.Errorf("%s: %s %+v", code, j, o.Error)
		}
	}
	o := call(t, newTool(t, g, searched), "return (await search('open hours'))[0]")
	if j, _ := json.Marshal(o.Result); o.Error != nil || !strings.Contains(string(j), "openHours") {
		t.Errorf("%s %+v", j, o.Error)
	}
	if rules, _, err := codemode.Prompted(codemode.Grants{"org": w.five}, nil); err != nil || rules["measures"] != "" {
		t.Error(rules["measures"], err)
	}
}
