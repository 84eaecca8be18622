package grantfile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/grantfile"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestRowLabel: the label of a table's rows is said by one facet of it and holds for all; two that differ are an error. What is shown,
// compared and told of flows has it.
func TestRowLabel(t *testing.T) {
	labelled := with(t, "    table: orgs\n", "    table: orgs\n    label: [deal]\n")
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, c := range []struct {
			text, program string
			label, told   string
		}{
			{labelled, "return me.org().count()", "{deal}", "denied"},
			{labelled, "return me.select(p => p.org().name)", "{deal}", "denied"},
			{labelled, "return me.select(p => p.name)", "{}", `["Ann"]`},
			{whole, "return me.org().count()", "{}", "1"},
		} {
			d := declare(t, e, c.text)
			p, err := d.File.ParseClaims("org=1,user=1,states=open")
			if err != nil {
				t.Fatal(err)
			}
			grants, err := d.Grants(p)
			if err != nil {
				t.Fatal(err)
			}
			tool, err := codemode.New(grants, &codemode.Options{Evaluator: exoeval.InProcess{}, Record: exo.Unrecorded})
			if err != nil {
				t.Fatal(err)
			}
			r := tool.Run(t.Context(), c.program)
			told := string(r.JSON)
			if r.Err != nil {
				told = exo.KindOf(r.Err).String()
			}
			if r.Label.String() != c.label || told != c.told {
				t.Errorf("%s: %s %v, label %v", c.program, told, r.Err, r.Label)
			}
			if m, err := d.Manifest(); err != nil || strings.Contains(fmt.Sprint(m), "deal") != (c.text == labelled) {
				t.Errorf("the manifest: %v", err)
			}
		}
	})
	if changes := grantfile.Diff(parse(t, labelled), parse(t, whole)); !strings.Contains(fmt.Sprint(changes), "rows are labelled") {
		t.Errorf("the label is gone, and exo diff says %v", changes)
	}
	second := func(tag string) []byte {
		return []byte(strings.Replace(labelled, "facets:\n", "facets:\n  other:\n    table: orgs\n    scope: id = $principal.org\n    columns: [id]\n    label: ["+tag+"]\n", 1))
	}
	if _, err := grantfile.Parse("exo.yaml", second("deal")); err != nil {
		t.Errorf("two that say the same: %v", err)
	}
	if _, err := grantfile.Parse("exo.yaml", second("x")); err == nil || !strings.Contains(err.Error(), "the label of the rows differs from line") {
		t.Errorf("two that differ: %v", err)
	}
}
