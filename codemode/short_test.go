package codemode_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/corpus/schemas"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

var (
	commented = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	// declaredName finds the names of members: of methods, and of fields, which stand behind a brace, a semicolon or a line's beginning.
	declaredName = regexp.MustCompile(`(?m)([A-Za-z_$][\w$]*)(?:<[^>(]*>)?\(|(?:[{;]\s|^\s*)([A-Za-z_$][\w$]*)\??: `)
	word         = regexp.MustCompile(`[A-Za-z_$][\w$]*`)
)

// unnamed returns the members of the declarations that the short description does not have.
func unnamed(declarations, short string) (out []string) {
	has := map[string]bool{"K": true}
	for _, w := range word.FindAllString(short, -1) {
		has[w] = true
	}
	text := commented.ReplaceAllString(declarations, "")
	for _, m := range declaredName.FindAllStringSubmatch(text[strings.Index(text, "interface "):], -1) {
		if name := m[1] + m[2]; !has[name] {
			out, has[name] = append(out, name), true
		}
	}
	return out
}

// TestShort: the short description costs at most two thirds of the long one, and has every column, link, method and function that it has.
func TestShort(t *testing.T) {
	for _, name := range []string{"chinook", "northwind", "pagila", "hr", "co", "crm", "shop", "press", "blog", "billing", "lab"} {
		t.Run(name, func(t *testing.T) {
			open := schemas.Open
			if name == "crm" || name == "billing" {
				open = schemas.OpenChanged
			}
			app, err := open(name)
			if err != nil {
				t.Fatal(err)
			}
			db, ids := app.Open(t, tu.SQLite)
			described := func(long bool) *codemode.Tool {
				tool, err := codemode.New(app.Grants(db, ids[0]), &codemode.Options{Long: long, DeclarationTokens: -1, Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
				if err != nil {
					t.Fatal(err)
				}
				return tool
			}
			long, short := described(true), described(false)
			if missing := unnamed(long.Declarations(), short.Description()); missing != nil {
				t.Errorf("%s: %q\n%s", name, missing, short.Description())
			}
			if l, s := long.Size().Description, short.Size().Description; 3*s > 2*l {
				t.Errorf("%s: %d tokens, and the long one has %d", name, s, l)
			}
			if missing := unnamed(long.Declarations(), strings.ReplaceAll(short.Description(), " notIn(", " ")); len(missing) != 1 {
				t.Errorf("this test can't fail: %q", missing)
			}
		})
	}
}
