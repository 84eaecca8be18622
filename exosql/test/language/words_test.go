package language_test

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/message"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

var namedMember = regexp.MustCompile(`(?:\.(\w+)\(|\b(select|leftJoin|orderBy|execute|offset|Math\.\w+)\b|((?:[!=]== null|[!=]==|&&|\|\||\?\?)))`)

// forNull are the members that operators with null stand for.
var forNull = map[string]string{"=== null": "isNull", "!== null": "isNotNull"}

// What a phrase names, it needs: else an error could name what a policy took away.
func TestPhrasesNeedWhatTheyName(t *testing.T) {
	members, said := map[string]bool{}, 0
	var all []*message.Interface
	for _, o := range tu.Tenant(tu.SQLite.Open(t), 1) {
		d, err := o.Describe()
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range d.Interfaces {
			all = append(all, i)
			for n := range i.Methods {
				members[n] = true
			}
		}
	}
	for _, i := range all {
		var all []message.Phrase
		for _, w := range i.Words {
			all = slices.AppendSeq(all, w.All())
		}
		for _, p := range all {
			if strings.HasPrefix(p.On, "result.") { // JavaScript's own
				continue
			}
			for _, m := range namedMember.FindAllStringSubmatch(p.Text, -1) {
				name := m[1] + m[2] + m[3]
				name = cmp.Or(forNull[name], name)
				if !members[name] {
					continue
				}
				said++
				if needs := " " + p.Needs + " "; !strings.Contains(needs, " "+name+" ") && !strings.Contains(needs, " *."+name+" ") {
					t.Errorf("%s: %q names %s, which it does not need (%s)", i.Name, p.Text, name, p.Needs)
				}
			}
		}
	}
	if said < 100 {
		t.Errorf("%d names", said)
	}
}

// TestWordsOfPromises: of what an await itself asks a promise for there is no phrase: exoeval looks for none.
func TestWordsOfPromises(t *testing.T) {
	seen := 0
	for _, o := range tu.Tenant(tu.SQLite.Open(t), 1) {
		d, err := o.Describe()
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range d.Interfaces {
			for _, w := range i.Words {
				for p := range w.All() {
					for on := range strings.FieldsSeq(p.On) {
						rest, then := strings.CutPrefix(on, "as.then.")
						name, changed := strings.CutPrefix(rest, "changed.")
						if !then && !changed {
							continue
						}
						if seen++; slices.Contains([]string{"then", "catch", "finally", "constructor"}, name) {
							t.Errorf("%s: %s", i.Name, on)
						}
					}
				}
			}
		}
	}
	if seen == 0 {
		t.Error("no phrase is of a promise")
	}
}
