package language_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	"github.com/exoagent/exoagent/exosql/internal/language"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// receivers are what has members in a program, each with a place for one.
var receivers = map[string]string{
	"Query": "things.%s", "many": "things.select(t => ({ x: t.selves().%s }))", "rows": "things.select(t => ({ x: t.selves().select(x => x.s).%s }))",
	"Group": "things.groupBy(t => t.s).select(g => ({ x: g.%s }))", "group": "things.groupBy(t => t.s).select(({ group }) => ({ x: group.%s }))",
	"Window":   "things.orderBy(t => t.n).partitionBy(t => t.s).select(({ window }) => ({ x: window.%s }))",
	"Selected": "things.select(t => ({ status: t.s })).union(things.select(t => ({ status: t.s }))).where(row => row.%s)",
	"row":      "things.select(t => ({ x: t.%s }))", "one": "things.select(t => ({ x: t.self().%s }))", "first": "things.select(t => ({ x: t.selves().orderBy(x => x.id).first().%s }))",
	"key": "things.groupBy(t => ({ status: t.s })).select(g => ({ x: g.status.%s }))", "keys": "things.groupBy(t => ({ status: t.s })).select(g => ({ x: g.%s }))",
	"Int": "things.select(t => ({ x: t.n.%s }))", "Float": "things.select(t => ({ x: t.f.%s }))", "Decimal": "things.select(t => ({ x: t.d.%s }))",
	"Text": "things.select(t => ({ x: t.s.%s }))", "Bool": "things.select(t => ({ x: t.b.%s }))", "Time": "things.select(t => ({ x: t.at.%s }))",
	"Day": "things.select(t => ({ x: t.day.%s }))", "Interval": "things.select(t => ({ x: t.iv.%s }))", "Uuid": "things.select(t => ({ x: t.u.%s }))",
	"Bytes": "things.select(t => ({ x: t.raw.%s }))", "Json": "things.select(t => ({ x: t.j.%s }))", "Elements": "things.select(t => ({ x: t.tags.%s }))",
	"Order": "things.orderBy(t => t.n.desc().%s)",
}

var meant = regexp.MustCompile("did you mean `([^`]+)`")

// TestNearest: a member that is misspelled by one letter, of whatever has members, is answered with a name that is one letter
// away and is there; and a member of something else is an error that never proposes that name again.
func TestNearest(t *testing.T) {
	tu.NotRaced(t)
	f := kit.ThingFacet()
	f.Add(exosql.Via(exosql.One("self", kit.ThingID, kit.ThingID), f), exosql.Via(exosql.Many("selves", kit.ThingID, kit.ThingID), f))
	r := tu.NewRunner(t, map[string]exo.Object{"things": f.Of(exosql.Grant(kit.OpenThings(t, tu.SQLite), kit.Things, exosql.AllRows[kit.Thing]()))}, exo.Limits{})
	members, all := map[string][]string{}, map[string]bool{}
	for _, i := range language.SharedInterfaces() {
		for n := range i.Methods {
			if regexp.MustCompile("^[A-Za-z]+$").MatchString(n) {
				members[i.Name] = append(members[i.Name], n+"()")
			}
		}
		members[i.Name] = slices.AppendSeq(members[i.Name], maps.Keys(i.Fields))
	}
	row := []string{"tags", "day", "selves()"}
	maps.Copy(members, map[string][]string{"many": members["Query"], "rows": members["Query"], "group": members["Group"], "key": members["Text"],
		"keys": {"status"}, "Selected": {"status"}, "row": row, "one": row, "first": row})
	for _, ns := range members {
		for _, n := range ns {
			all[n] = true
		}
	}
	run := func(receiver, member string) tu.Outcome {
		return r.Run(t, "return await "+fmt.Sprintf(receivers[receiver], member))
	}
	for receiver, ns := range members {
		for _, n := range ns {
			name, call := strings.CutSuffix(n, "()")
			if receivers[receiver] == "" || len(name) < 3 {
				continue
			}
			wrong := name[:len(name)-2] + name[len(name)-1:]
			if call {
				wrong += "()"
			}
			if slices.Contains(ns, wrong) || receiver == "Json" && !call { // any name may be a key
				continue
			}
			if o := run(receiver, wrong); o.Kind != fail.Denied || !meant.MatchString(o.Message) {
				t.Errorf("%s.%s: %s", receiver, wrong, o)
			}
		}
	}
	for receiver := range receivers {
		for n := range all {
			name, _ := strings.CutSuffix(n, "()")
			o := run(receiver, n)
			if m := meant.FindStringSubmatch(o.Message); m != nil && m[1] == name {
				t.Errorf("%s.%s: %s", receiver, n, o)
			}
			if o.Kind != 0 && !strings.ContainsAny(o.Message, ";:") {
				t.Errorf("%s.%s says nothing that is right: %s", receiver, n, o)
			}
		}
	}
}

// TestWhatIsRight: an error says what was wrong in the program's own terms, and what would be right.
func TestWhatIsRight(t *testing.T) {
	f := kit.ThingFacet()
	r := tu.NewRunner(t, map[string]exo.Object{"things": f.Of(exosql.Grant(kit.OpenThings(t, tu.SQLite), kit.Things, exosql.AllRows[kit.Thing]()))}, exo.Limits{})
	for program, want := range map[string]string{
		"things.groupBy(t => ({ status: t.s })).select(g => ({ x: g.statu }))": "did you mean `status`?",
		"things.groupBy(t => ({ status: t.s })).select(g => ({ x: g.other }))": "its keys are group.status",
		"things.groupBy(t => t.s).groupBy(t => t.n)":                           "to group by it write .groupBy(t => t.n), or by several in one list, .groupBy(t => [t.n, …])",
		"things.groupBy(t => t.s).groupBy(g => g.n.length)":                    "to group by it write .groupBy(t => t.n), or by several in one list, .groupBy(t => [t.n, …])",
		"things.select(t => ({ x: t.j.asDate() }))":                            "a date in JSON is a text: compare it, like column.key.asText() >= '2024-01-31'",
		"things.where(t => t.j.os.asTex() === 'x')":                            "thing.j.os has no method `asTex`, and a key can't be called; did you mean `asText`?",
		"things.where(t => t.j.os.years() === 1)":                              "thing.j.os has no method `years`, and a key can't be called; it has `isNull`",
		"things.exists()":                                                  "things.exists(): works in callbacks, where it asks about each row; here write (await things.limit(1).count()) > 0",
		"things.none(t => t.b)":                                            "write (await things.where(t => condition).count()) === 0",
		"things.isNull()":                                                  "it has `",
		"things.orderBy(t => t.n.asc().nullsLast())":                       ".orderBy(t => [t.column === null, t.column])",
		"things.where(t => t.j === t.j)":                                   "===: give the type of the JSON",
		"things.where(t => t.j !== t.s)":                                   "!==: give the type of the JSON",
		"things.where(t => t.j < t.at)":                                    "<: JSON can be compared with a text, a number",
		"things.partitionBy(t => t.s).select(w => ({ n: w.rowNumber() }))": "write window.rowNumber(): ({ window }) => window.rowNumber()",
		"things.partitionBy(t => t.s).select(w => ({ n: w.s }))":           "write thing.s: ({ thing }) => thing.s",
		"things.select(t => ({ s: t.s })).union(things.select(t => ({ s: t.s }))).where(row => row.nothing)": "it has `row`, `s`; the rows have only what the two queries show",
	} {
		if o := r.Run(t, "return await "+program); o.Kind != fail.Denied && o.Kind != fail.Invalid || !strings.Contains(o.Message, want) {
			t.Errorf("%s\n%s\nwant %s", program, o, want)
		}
	}
}
