package codemode_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
)

// A program that forgets return or await gives undefined; null alone would not say so.
func TestUndefinedIsNoticed(t *testing.T) {
	tool := newTool(t, codemode.Grants{"org": newWorld(t).five}, nil)
	for program, noticed := range map[string]bool{
		"const n = await api.org.count();":              true,
		"const rows = await api.org; return rows.name;": true,
		"console.log(1)":                                false, // what it logged is its answer
		"return null":                                   false,
		"return {x: undefined}":                         false,
		"return api.org.count()":                        false,
		"throw new Error('stop')":                       false,
	} {
		r := tool.Run(t.Context(), program)
		if got := strings.Contains(r.Notice, "undefined"); got != noticed {
			t.Errorf("%s: notice %q", program, r.Notice)
		}
	}
}
