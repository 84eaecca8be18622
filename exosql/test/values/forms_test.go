package values_test

// What errors tell a program to write is written here to the letter, and has to run: each form that a phrase names is cut
// out of its text, its placeholders are filled in, and it is run.

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// formStart is where a form begins in a phrase: a chain of calls on a thing that the text names, or on what the error is about.
var formStart = regexp.MustCompile(`(?:^|[\s(,:;!])(\(await |\{it\}\.|(?:query|column|group|window|row|rows|a)\.|\.)[A-Za-z…]`)

// forms are the chains of calls that a text names.
func forms(text string) (found []string) {
	for {
		at := formStart.FindStringSubmatchIndex(text)
		if at == nil {
			return found
		}
		i := at[2]
		if text[i] == '(' {
			i = closing(text, i)
		}
		for i < len(text) {
			if m := regexp.MustCompile(`^(\{it\}|…|\w+)?\.[A-Za-z]\w*|^\{it\}|^\w+`).FindString(text[i:]); m != "" && (i == at[2] || m[0] == '.' || text[i-1] == '.') {
				i += len(m)
			} else if text[i] == '(' || text[i] == '[' {
				i = closing(text, i)
			} else {
				break
			}
		}
		if f := text[at[2]:i]; strings.Contains(f, "(") && !slices.Contains(found, f) {
			found = append(found, f)
		}
		text = text[max(i, at[2]+1):]
	}
}

// closing is the place behind the bracket that closes the one at i.
func closing(s string, i int) int {
	depth := 0
	for ; i < len(s); i++ {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// filled is a form with values in the place of its placeholders.
func filled(form string) string {
	form = strings.NewReplacer("g.{name}()", "g.revenue()", "g.key,", "g.s,", "window.{name}()", "window.revenue()").Replace(form)
	form = strings.NewReplacer("{part} => {part}.column", "thing => thing.n", "[t.{name}, …]", "[t.n, t.s]", "({ … }) =>", "t =>", "{ where: …, orderBy: …, take: … }", "{ where: { n: 1 }, take: 2 }", "().…", "().count()", "{chain}.", "things.", "{await}", "execute", "[...map.keys()]", "[1]",
		"{list}", "[1]", "({ {it} }) => !{link}", "t => !t.selves()", ".offset(…)", ".offset(2)", "insertMany([{ column: value }, …])", "insertMany([{ id: #, big: # }])", "{name}: value", "n: 1", "t.{name}().…", "t.selves().count()", "({ a }) => a.link()", "t => t.selves().as('other')", "t.{name}()", "t.selves()", "{name}:", "x:", "}).{name}()", "}).selves()", "t.parentId.in(ids)", "t.n.in([1])",
		"({ row })", "({ thing: row })", "condition || other", "t.n > 0 || t.b", ").filter", ").filter(t => t.n)", "insert({ … })", "insert({ id: #, big: # })", "insert({ column: value })", "insert({ id: #, big: # })", "{ … }", "{ n: 1 }").Replace(form)
	return strings.NewReplacer(
		"….", "things.", "{part}", "thing", "{name}", "n", "{link}", "selves", "{example}", "t => t.n", "{method}", "update", "otherQuery", "things", "query", "things",
		"{keys}{method}: g.{method}(t => t.{name})", "s: g.s, sum: g.sum(t => t.n)", "t => t.column === value", "t => t.n === 1", "t => !condition", "t => !(t.n > 0)", "condition || other", "t.n > 0 || t.b", "t => condition", "t => t.n > 0",
		"where(condition)", "where(t => t.n > 0)", "{ column: value }", "{ n: 1 }", "{ … }", "{ n: 1 }", "row.id", "1", "column: t.column", "n: t.n", "t.column", "t.n", "t => t.key", "t => t.s", "column:", "n:",
		"{part}.column", "thing.n", "thing.column", "thing.n", "value", "1", "(n)", "(2)", "'words'", "'hello'", "'…'", "'a'", "'%…%'", "'a%'", "next)", "null)", "(low, high)", "(1, 2)", "[…]", "[1]", "(…)", "(t => t.n > 0)", "(b)", "(t.at)", ".key.", ".b.",
		"linked: t.link()", "linked: t.selves()", ".link()", ".selves()").Replace(form)
}

// onColumn are the columns on which a method of a column is tried, one of each kind.
var onColumn = []string{"t.s", "t.n", "t.at", "t.day", "t.d", "t.j", "t.tags", "t.b", "t.iv"}

// TestFormsOfPhrases: each form that a phrase names, on any interface, runs on both engines as it is written there.
func TestFormsOfPhrases(t *testing.T) {
	tu.NotRaced(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		f := kit.ThingFacet()
		f.Add(exosql.Via(exosql.One("self", kit.ThingID, kit.ThingID), f), exosql.Via(exosql.Many("selves", kit.ThingID, kit.ThingID), f))
		f.Add(exosql.NewSearch(kit.Things, kit.ThingS))
		f.Add(exosql.Sum(kit.ThingN).As("revenue"))
		plain := exosql.NewFacet(kit.Things, "other", kit.ThingID, kit.ThingN, kit.ThingBig).AllowInsert(kit.ThingID, kit.ThingBig)
		f.AllowInsert(kit.ThingID, kit.ThingN, kit.ThingBig).AllowUpdate(kit.ThingN, kit.ThingB).AllowDelete()
		db := kit.OpenThings(t, e)
		granted := map[string]exo.Object{"things": f.Of(exosql.Grant(db, kit.Things, exosql.AllRows[kit.Thing]()))}
		others := tu.NewRunner(t, map[string]exo.Object{"others": plain.Of(exosql.Grant(db, kit.Things, exosql.AllRows[kit.Thing]()))}, exo.Limits{})
		r := tu.NewRunner(t, granted, exo.Limits{})
		texts := map[string][]string{} // the interfaces that have each
		d, err := granted["things"].Describe()
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range d.Interfaces {
			for _, w := range i.Words {
				for p := range w.All() {
					if strings.HasPrefix(p.On, "as.") || strings.HasPrefix(p.On, "keyed.") || strings.HasPrefix(p.On, "result.") {
						continue
					}
					texts[p.Text] = append(texts[p.Text], i.Name)
				}
			}
		}
		tried := 0
		for _, text := range slices.Sorted(maps.Keys(texts)) {
			if strings.Contains(text, "window.running()") || strings.Contains(text, "{is}") { // of measures: TestMeasureHint and TestMeasureErrors apply these
				continue
			}
			for _, form := range forms(text) {
				tried++
				var errs []string
				for _, program := range programsOf(filled(form), texts[text]) {
					on := r
					if strings.Contains(program, "others.") {
						on = others
					}
					o := on.Run(t, "return await "+strings.ReplaceAll(program, "#", strconv.Itoa(100+tried)))
					if o.Kind == 0 {
						errs = nil
						break
					}
					errs = append(errs, program+": "+o.Message)
				}
				if len(errs) > 0 {
					t.Errorf("%q names %s, which does not run:\n\t%s", text, form, strings.Join(errs[:min(len(errs), 3)], "\n\t"))
				}
			}
		}
		if tried < 150 {
			t.Errorf("%d forms", tried)
		}
	})
}

// programsOf are the programs that a form comes to where it stands, of which one has to run.
func programsOf(form string, on []string) (out []string) {
	inSelect := func(x string) string { return "things.select(t => ({ x: " + x + " }))" }
	form = strings.Replace(form, "a.daysSince(t.at)", "column.daysSince(t.at)", 1)
	rest, column := strings.CutPrefix(form, "column.")
	switch {
	case strings.HasPrefix(form, "row."):
		return []string{inSelect("t." + strings.TrimPrefix(form, "row."))}
	case strings.Contains(form, "insert"):
		return []string{strings.Replace(strings.Replace("things"+form, "things(await things", "(await others", 1), "things.", "others.", 1)}
	case strings.HasPrefix(form, ".update("):
		return []string{"things.where(t => t.n > 0)" + form}
	case strings.HasPrefix(form, "(await "), strings.HasPrefix(form, "things."):
		return []string{form, "things.where(t => " + form + ").count()"}
	case strings.HasPrefix(form, "group."):
		return []string{"things.groupBy(t => t.s).select(group => ({ x: " + form + " }))"}
	case strings.HasPrefix(form, "window."):
		return []string{"things.orderBy(t => t.n).partitionBy(t => t.s).select(({ window }) => ({ x: " + form + " }))", "things.groupBy(t => t.day).orderBy(g => g.day).partitionBy().select(({ window }) => ({ x: " + form + " }))"}
	case strings.HasPrefix(form, "{it}."):
		it := strings.ReplaceAll(form, "{it}", "t.selves()")
		return []string{inSelect(it), "things.where(t => " + it + ").count()", strings.ReplaceAll(form, "{it}", "things")}
	case !column:
		rest = strings.TrimPrefix(form, ".")
	}
	for _, c := range onColumn {
		x := inSelect(c + "." + rest)
		if strings.HasSuffix(rest, "sc()") {
			x = "things.orderBy(t => " + c + "." + rest + ")"
		}
		out = append(out, x)
	}
	if column {
		return out
	}
	return append([]string{"things." + rest, "things.groupBy(t => t.s)." + rest, "things.orderBy(t => t.n).partitionBy(t => t.s)." + rest, "(await things.execute())." + rest}, out...)
}
