package codemode_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/policy"
	"github.com/exoagent/exoagent/internal/testutil"
)

// What can't be compared with values can be with null, in the words of JavaScript.
func TestNullOfWhatCannotBeCompared(t *testing.T) {
	tool := newTool(t, codemode.Grants{"things": kinds(t)}, nil)
	for program, want := range map[string]string{
		"return [await api.things.where({ meta: 1 }).count(), await api.things.where(c => c.meta == 1).count(), await api.things.where(c => 1 != c.meta).count(), await api.things.select(c => ({ a: c.meta.a })).first()]": `[0,0,1,{"a":[1]}]`,
		"return [await api.things.where(c => c.meta !== null).count(), await api.things.where(c => c.meta === null).count()]":                                                                                               "[1,0]",
		"return [await api.things.where(c => null == c.nums).count(), await api.things.where(c => undefined != c.nums).count()]":                                                                                            "[1,0]",
		"return [await api.things.where(c => c.nums === undefined).count(), await api.things.where(c => !(c.nums != null)).count()]":                                                                                        "[1,1]",
		"return [await api.things.where({ nums: null }).count(), await api.things.where({ meta: null, id: 1 }).count()]":                                                                                                    "[1,0]",
		"return api.things.select(c => ({ a: c.nums ?? null, b: c.tags ?? null }))":                                                                                                                                         `[{"a":null,"b":["x","y"]}]`,
	} {
		if o := call(t, tool, program); o.Error != nil {
			t.Errorf("%s: %+v", program, *o.Error)
		} else if j, _ := json.Marshal(o.Result); string(j) != normal(t, want) {
			t.Errorf("%s: %s, want %s", program, j, want)
		}
	}
}

// Frequent mistakes have errors that name the way out, at their place.
func TestMistakes(t *testing.T) {
	testutil.NotRaced(t)
	tool := newTool(t, codemode.Grants{"things": kinds(t), "mail": mailbox(t)}, nil)
	for _, c := range []struct{ program, says string }{
		{"return api.things.select(c => ({ a: c.meta ?? 1 }))", "give its type: column.key.asText()"},
		{"return api.things.select(c => ({ a: c.name ? 1 : 2 }))", "thing.name !== null or !== ''"},
		{"return api.things.select(c => ({ a: c.share ? 1 : 2 }))", "thing.share !== null or !== 0"},
		{"return api.things.select(c => ({ a: c.at ? 1 : 2 }))", "compare it, like thing.at !== null"},
		{"return api.things.where(c => c.name && c.done)", "thing.name !== null"},
		{"return api.things.where(c => c.id === 9007199254740993)", "beyond 2^53, where JavaScript's numbers are not exact: write it as text"},
		{"return api.things.where(c => c.id.in([1, 9007199254740993]))", "write it as text"},
		{"return api.things.where({ id: 9007199254740993 })", "write it as text"},
		{"return api.things.limit(9007199254740993)", "write it as text"},
		{"return api.things.select(c => ({ a: c.total.sum() }))", "write query.sum(t => t.column), or .groupBy(t => t.key)"},
		{"return api.things.select(c => ({ a: c.total.min() }))", "an aggregate is of rows"},
		{"return api.things.variance(c => c.total)", "there are sum, avg, median, min and max"},
		{"return api.things.having(c => c.total > 1)", "after .groupBy(t => t.key)"},
		{"return api.things.countBy('name', 3)", "wants a callback"},
		{"return api.things.groupBy(c => c.name).select(c => ({ name: c.name, n: count() }))", "g.count()"},
		{"return api.things.groupBy(c => c.name).select(({ thing }) => ({ name: thing.name }))", "group"},
		{"return api.things.select(c => ({ a: c.share.toFixed(2) }))", ".round(2)"},
		{"return api.things.where(c => c.name.match(/x/))", ".like('a%b')"},
		{"return api.things.where(c => c.name.indexOf('x') > 0)", ".includes('…')"},
		{"return api.things.where(c => c.name.charAt(0) === 'x')", ".slice(0, 1)"},
		{"return api.things.where(c => c.name[0] === 'x')", ".slice(0, 1)"},
		{"return api.things.select(c => ({ a: c.name.split(' ') }))", "do that with the rows"},
		{"return api.things.select(c => ({ a: c.name.replace('a', 'b') }))", "do that with the rows"},
		{"return api.things.select(c => ({ a: c.name.padStart(2) }))", "do that with the rows"},
		{"return api.things.select(c => ({ a: c.done.toFixed() }))", "do that with the rows"},
		{"return api.things.select(c => ({ a: c.tags[0] }))", "select it, and read it from the result"},
		{"return api.things.select(c => ({ a: c.tags.map(x => x) }))", "select it, and read them from the result"},
		{"return api.things.select(c => ({ a: c.at - c.due }))", "the time's .truncate('day')"},
		{"return api.things.select(c => ({ a: c.at + 1 }))", ".getTime()"},
		{"return api.things.select(c => ({ a: c.due - c.due }))", "a.daysSince(b)"},
		{"return api.things.select(c => ({ a: c.at.truncate('hour') }))", "one of 'day', 'week', 'month', 'quarter', 'year'"},
		{"return api.things.select(c => ({ a: c.at.date_trunc('month') }))", ".truncate('month')"},
		{"return api.things.select(c => ({ a: c.at.toDateString() }))", ".truncate('day')"},
		{"return api.things.select(c => ({ a: -c.name }))", ".desc()"},
		{"return api.things.where(c => c.at > c.due)", "the time's .truncate('day')"},
		{"return api.things.where(c => c.due.eq(c.at))", "the time's .truncate('day')"},
		{"return api.things.where(c => c.due.in([c.at]))", "the time's .truncate('day')"},
		{"return api.things.select(c => ({ a: c.name.slice(-3) }))", ".endsWith('…')"},
		{"return api.things.distinct(c => c.name)", "write .select(t => t.column) before it"},
		{"return api.things.distinct()", "`meta` can't be compared: write .select(…) with other columns before distinct"},
		{"(api) => ({ a: api.things.distinct() })", "`meta` can't be compared"},
		{"return await api.things.distinct()", "`meta` can't be compared"},
		{"return api.things.distinct().execute()", "`meta` can't be compared"},
		{"import { api } from 'exoagent';\nreturn 1", "remove the line: the granted objects are there by their names"},
		{"const x = await import('fs'); return 1", "remove the line"},
	} {
		o := call(t, tool, c.program)
		if o.Error == nil || !strings.Contains(o.Error.Message, c.says) || o.Error.Line != 1 || o.Error.Column == 0 {
			t.Errorf("%s\n got %v %+v\nwant …%s… and its place", c.program, o.Result, o.Error, c.says)
		}
	}
	// The ways out are ways.
	for program, want := range map[string]string{
		"return api.things.where(c => c.at.truncate('day') === c.due && new Date() - c.at > 1).count()":           "1",
		"return api.things.where(c => c.name.slice(0, 1) === 'Z' && c.name.endsWith('!')).count()":                "1",
		"return api.things.where(c => c.id < '9007199254740993').count()":                                         "1",
		"return api.things.where(c => c.id === '9007199254740993').count()":                                       "0",
		"return api.things.select(c => ({ a: c.at.getTime() - c.at.getTime(), b: c.share.round(0) })).distinct()": `[{"a":0,"b":1}]`,
	} {
		if o := call(t, tool, program); o.Error != nil {
			t.Errorf("%s: %+v", program, *o.Error)
		} else if j, _ := json.Marshal(o.Result); string(j) != normal(t, want) {
			t.Errorf("%s: %s, want %s", program, j, want)
		}
	}
}

// A way out is named only where it leads somewhere.
func TestNoWayOutThatIsNone(t *testing.T) {
	tool := newTool(t, codemode.Grants{"things": policy.Only(kinds(t), "where", "execute")}, nil)
	if o := call(t, tool, "return api.things.where(c => c.due.getTime() > 1)"); o.Error == nil || strings.Contains(o.Error.Message, "getTime() for") {
		t.Errorf("%+v", o.Error)
	}
	if o := call(t, tool, "return api.things.where(c => c.due - 1 > 1)"); o.Error == nil || strings.Contains(o.Error.Message, "getTime") {
		t.Errorf("%+v", o.Error)
	}
	if o := call(t, tool, "return api.things.where(c => c.share.charAt(0) === 1)"); o.Error == nil || strings.Contains(o.Error.Message, "slice") {
		t.Errorf("%+v", o.Error)
	}
}
