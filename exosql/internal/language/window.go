package language

import (
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// DistinctBy keeps the first row, in the order of the query, of each key.
const DistinctBy = "distinctBy"

// PartitionBy gives each row a window: the rows with equal keys, in the order of the query.
const PartitionBy = "partitionBy"

// WindowInterface is the interface of a window in a callback, and WindowAlias its name there.
const (
	WindowInterface = "Window"
	WindowAlias     = "window"
)

// These are the functions of a window that are no aggregates of all its rows.
const (
	RowNumber = "rowNumber"
	Rank      = "rank"
	DenseRank = "denseRank"
	Lag       = "lag"
	Lead      = "lead"
	FirstOf   = "first"
	LastOf    = "last"
)

// RunningRows and MovingRows narrow a window for a measure or an aggregate: to the rows up to the current one, or to the last of these.
const (
	RunningRows = "running"
	MovingRows  = "moving"
)

// Running has the methods for a window's rows up to the current one, each with its aggregate. After RunningRows the program names the aggregate.
var Running = map[string]string{RunningRows: "", "runningCount": Count, "runningSum": Sum, "runningAvg": Avg, "runningMin": Min, "runningMax": Max}

// Moving has the methods for a window's last rows up to the current one, each with its aggregate. After MovingRows the program names the aggregate.
var Moving = map[string]string{MovingRows: "", "movingCount": Count, "movingSum": Sum, "movingAvg": Avg, "movingMin": Min, "movingMax": Max}

func distinctBy() *message.Method {
	return &message.Method{Name: DistinctBy, Doc: "the first of each key; after orderBy(t => t.at.desc()) the latest",
		Params: keys(), Result: v("self")}
}

// partitionBy returns the method that adds a window to the names in a query's callbacks.
func partitionBy() *message.Method {
	of := keys()
	of[0].Opt = true
	ns := &message.Term{Ext: []*message.Term{v("ns"), {Name: WindowAlias, Of: app(WindowInterface, map[string]*message.Term{"over": v("ns")})}}}
	return &message.Method{Name: PartitionBy, Params: of, Result: app(QueryInterface, map[string]*message.Term{"ns": ns, "row": v("row")})}
}

// windowInterface returns the interface of a window in a callback. Its type argument is named over,
// not ns, so that it is not treated as a group.
func windowInterface() *message.Interface {
	i := &message.Interface{Name: WindowInterface, Doc: "the rows of a partition", Words: []message.Words{phrases(windowPhrases)}, Methods: map[string]*message.Method{}}
	add := func(name string, result *message.Term, params ...message.Param) {
		i.Methods[name] = &message.Method{Name: name, Params: params, Result: result}
		i.Order = append(i.Order, name)
	}
	val := func(want string) message.Param {
		return message.Param{Name: "the value", Want: con(want), Lambda: v("over"), Bind: "value"}
	}
	away := message.Param{Name: "how many rows", Want: con(value.TypeInt), Count: true, Opt: true}
	for _, name := range []string{RowNumber, Rank, DenseRank} {
		add(name, whole)
	}
	for _, name := range []string{Lag, Lead} {
		add(name, same(scalarInterfaces), val(countable), away)
	}
	for _, name := range []string{FirstOf, LastOf} {
		add(name, same(scalarInterfaces), val(countable))
	}
	aggregate := func(name, of string, more ...message.Param) {
		if of == Count {
			add(name, whole, more...)
			return
		}
		for _, a := range functions {
			if a.name == of {
				add(name, a.result(scalarInterfaces), append([]message.Param{val(a.wants)}, more...)...)
			}
		}
	}
	for _, name := range []string{Count, Sum, Avg, Min, Max} {
		aggregate(name, name)
	}
	for _, name := range []string{"runningCount", "runningSum", "runningAvg", "runningMin", "runningMax"} {
		aggregate(name, Running[name])
	}
	last := message.Param{Name: "how many rows, with this one", Want: con(value.TypeInt), Count: true}
	for _, name := range []string{"movingCount", "movingSum", "movingAvg", "movingMin", "movingMax"} {
		aggregate(name, Moving[name], last)
	}
	add(RunningRows, v("self"))
	add(MovingRows, v("self"), last)
	add(WhereMethod, v("self"), message.Param{Name: "the condition", Want: con("Bool"), Lambda: v("over"), Filter: true})
	return i
}

// windowPhrases are the phrases about a window, which needs a function that returns a value for each row.
var windowPhrases = [][3]string{
	{"measured", "running moving", "write window.{name}() for the whole window, window.running().{name}() for the rows up to each, window.moving(7).{name}() for the last 7"},
	{"within", "first sum", "`{name}` is a column of its rows: window.first(t => t.{name}), or window.sum(t => t.{name})"},
	{"unsuited", "count where", "a window is no value: a function of it gives one, like window.count() or window.where(t => condition).count()"}, {"uncalled", "", "{it} is a function of a window: call it, {it}()"},
	{"callback arguments", "*.partitionBy *.orderBy", "takes no arguments: its rows are those that partitionBy puts together, in the order of the orderBy before it"},
	{".row_number .number .index .position .rowNum .rownum", "rowNumber", "write window.rowNumber()"}, {".dense_rank", "denseRank", "write window.denseRank()"}, {".prev .previous .before", "lag", "write window.lag(t => t.column)"},
	{".next .following .after", "lead", "write window.lead(t => t.column)"}, {".firstValue .first_value", "first", "write window.first(t => t.column)"}, {".lastValue .last_value", "last", "write window.last(t => t.column)"},
	{".cumSum .cumsum .cumulativeSum .runningTotal .cumulative .total", "runningSum sum", "write window.runningSum(t => t.column) for the rows up to each, or window.sum(t => t.column) for all rows"},
	{".cumCount .cumcount", "runningCount", "write window.runningCount()"}, {".average .mean", "avg", "write window.avg(t => t.column)"}, {".size .length", "count", "write window.count()"},
	{".orderBy .sort", "*.orderBy *.partitionBy", "it has the order of the query: write .orderBy(t => t.column) before .partitionBy(t => t.key)"}, {"as.filter", "where", "where"},
	{".rolling .movingAverage .rollingAvg .rollingMean .rollingSum .rows .rowsBetween .range .between .frame .preceding .slice .take .limit", "movingAvg movingSum", "for the last 7 rows up to each write window.movingAvg(t => t.column, 7), or movingSum, movingMin, movingMax, movingCount"},
	{".median .countDistinct .collect", "*.groupBy *.select *.median", "for a whole group write .groupBy(t => t.key).select(g => ({ key: g.key, median: g.median(t => t.column) }))"},
	{".ntile .percentRank .percent_rank .cumeDist .cume_dist", "rowNumber count", "calculate it: window.rowNumber() / window.count()"},
	{".partitionBy .over", "*.partitionBy *.orderBy", "its rows are those that .partitionBy(t => t.key) puts together, in the order of the .orderBy(t => t.column) before it"},
}

const (
	firstOfEach = "for the first row of each key write .orderBy(t => t.column.desc()).distinctBy(t => t.key)"
	windowOf    = ".orderBy(t => t.column).partitionBy(t => t.key)"
	windowForm  = "write " + windowOf + ".select(({ {part}, window }) => ({ id: {part}.id, n: window.rowNumber(), sum: window.runningSum(t => t.column), before: window.lag(t => t.column) }))"
)

// These phrases answer names for windows in other libraries, on queries, rows and columns, and as functions.
var (
	queryFirsts = [3]string{".selectDistinctOn .distinct_on .unique .uniq .dedupe .dropDuplicates .latestBy .latestPer .firstPer .lastPer .firstBy .lastBy .latest .newest .sliceMax", "distinctBy orderBy *.desc", firstOfEach}
	queryWindow = [3]string{".over .window .windowBy .partition .partition_by .rowNumber .row_number .rank .denseRank .dense_rank .lag .lead .runningSum .runningTotal .cumSum .cumsum .withRowNumber", "partitionBy orderBy select *.rowNumber *.runningSum *.lag", windowForm}
	rowWindow   = [3]string{".over .window .rowNumber .row_number .rank .denseRank .dense_rank .lag .lead .prev .previous .runningSum .runningTotal .cumSum .cumsum .partitionBy", "*.partitionBy *.orderBy *.select *.rowNumber *.runningSum *.lag", windowForm}
	callWindow  = [3]string{"rowNumber() row_number() rank() denseRank() dense_rank() lag() lead() firstValue() first_value() lastValue() last_value() over() runningSum() cumSum()", "partitionBy orderBy select *.rowNumber *.runningSum *.lag", windowOf + ".select(({ window }) => ({ n: window.rowNumber(), sum: window.runningSum(t => t.column), before: window.lag(t => t.column) }))"}
)

// RowWords returns the phrases for errors about a row.
func RowWords() []message.Words { return []message.Words{sharedWords().rows} }
