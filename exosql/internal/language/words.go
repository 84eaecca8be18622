package language

import (
	"slices"
	"strings"
	"sync"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/internal/scalar"
)

// This file has the phrases of errors about columns, queries and rows. Programs use the words of
// SQL and of other libraries for this table's operators and methods. Each phrase names what to
// write instead, and is used only if the members that it names exist (see message.Phrase).

const updateCalculates = "to calculate write .where(condition).update(t => ({ column: t.column + 1 }))"

const onRows = "select it, and do that with the rows"

// onlyOnRows are members of JavaScript's values that no column has.
const onlyOnRows = ".sum .avg .average .min .max .count .groupBy .indexOf .lastIndexOf .match .matchAll .search .test .contains " +
	".isBefore .before .isAfter .after .lessThan .greaterThan .equals .equal .isEmpty .isNil .startsWith .endsWith .includes .like .ilike .slice .substring " +
	".getDate .getDay .charAt .at .0 .toFixed .toPrecision .split .replace .replaceAll .padStart .padEnd .repeat .normalize .charCodeAt .codePointAt " +
	".localeCompare .toLocaleString .toLocaleDateString .toLocaleTimeString .toDateString .setDate .trimStart .trimEnd"

// columnWords returns the phrases about a kind of column expression.
func columnWords(name string) []message.Words {
	if w := sharedWords(); slices.Contains(equal, name) {
		return []message.Words{w.columns}
	} else if slices.Contains(jsons, name) {
		return []message.Words{w.json}
	} else {
		return []message.Words{w.whole, w.columns}
	}
}

// jsonWords returns the phrases about JSON. Any name may be a key of it, so it has no phrases about
// members.
func jsonWords() message.Words {
	table := slices.Clone(jsonPhrases)
	for _, p := range columnPhrases {
		if !strings.HasPrefix(p[0], ".") {
			table = append(table, p)
		}
	}
	return phrases(table)
}

// groupWords returns the phrases about a group in a callback.
func groupWords() []message.Words { return []message.Words{phrases(groupPhrases)} }

// QueryWords returns the phrases about queries.
func QueryWords() []message.Words { return []message.Words{sharedWords().queries} }

type words struct{ columns, whole, json, queries, rows message.Words }

var sharedWords = sync.OnceValue(func() words {
	return words{columns: phrases(columnPhrases), whole: phrases(wholePhrases), json: jsonWords(), queries: phrases(append(slices.Clip(searchPhrases), queryPhrases...)), rows: phrases(append(slices.Clip(rowSearchPhrases), rowPhrases...))}
})

func phrases(table [][3]string) message.Words {
	ps := scalar.Each(table, func(p [3]string) message.Phrase { return message.Phrase{On: p[0], Needs: p[1], Text: p[2]} })
	return message.NewWords(ps...)
}

// Each line has the use that the phrase is for, the members that it needs, and the phrase.
var columnPhrases = [][3]string{
	{"member", "", "column"}, {"path", "", "table.column"}, {"condition", "&& ||", "{it} is a condition of the database and has no value in the program; join conditions with && and || in the callback itself, where operators become part of what is asked"},
	{"condition", "", "{it} is a condition of the database and has no value in the program"},
	{"value", "=== *.select *.execute", "{it} is a column of the database and has no value in the program; write the condition in the callback itself, like t => t.{name} === value, or select it and execute"},
	{"value", "===", "{it} is a column of the database and has no value in the program; write the condition in the callback itself, like t => t.{name} === value"},
	{"value", "*.select *.execute", "{it} is a column of the database and has no value in the program; select it and execute"}, {"value", "", "{it} is a column of the database and has no value in the program"},
	{"fraction", "Math.round Math.floor Math.ceil", "make the result whole: Math.round(…), Math.floor(…) or Math.ceil(…)"},
	{"template", "*.select", "a template can't contain {it}, which has no value in the program; select the column and build the text from the rows"},
	{"decimal", "*.select", "{by} can't calculate with {it}, which has no value in the program: in a callback write t.column * Decimal('1.5'), or select the column and calculate with the rows"},
	{"argument", "", "only a value of the program is allowed here, not a column"},
	{"negative", "endsWith *.select", "; to compare an end use .endsWith('…'), for anything else " + onRows}, {"list", "=== *.||", "write column === value for each, joined with ||"},
	{"typeof", "isNull", "to ask whether it is empty write .isNull()"}, {"oneof", "in", "for one of several values write column.in({list})"},
	{"operator", "", "a filter object compares `{name}` with a value, a list of values, or conditions like { gt: value }; or write a callback, like ({ {part} }) => condition"},
	{"direction", "asc desc", "the direction of {it} is 'asc' or 'desc'"}, {".mode", "ilike", "to find a text whatever its case write { ilike: '%…%' } in its place"},
	{".exists", "isNull isNotNull", "write { isNull: true } or { isNotNull: true }"}, {".regex .regexp", "ilike", "to find a text whatever its case write { ilike: '%…%' }"},
	{"filter.names", "", "a filter object has the names of columns: write `{name}`"}, {"read.none", "", "it read no column"},

	{"already", "", "it has that type already: write {it}"}, {"call:Date", "*.plus", "for a later time write column.plus(7, 'day'), with 'week', 'month', 'quarter' or 'year' too"},
	{"keyed.getFullYear keyed.getUTCFullYear", "", "year"}, {"keyed.getMonth keyed.getUTCMonth", "", "month"}, {"keyed.getDate keyed.getUTCDate", "", "day"},
	{"keyed.getDay keyed.getUTCDay", "", "weekday"}, {"keyed.getHours keyed.getUTCHours", "", "hour"}, {"keyed.year", "", "year"}, {"keyed.quarter", "", "quarter"}, {"keyed.month", "", "month"},
	{"keyed.week", "", "week"}, {"keyed.day", "", "day"}, {"keyed.weekday", "", "weekday"}, {"keyed.hour", "", "hour"},
	{"keyed.truncate", "", "="}, {"keyed.lower keyed.upper keyed.trim keyed.toText keyed.asText keyed.asNumber keyed.asBool", "", "."}, {"op:Math.max op:Math.min", "?:", "for other values write a {op} b ? a : b"},
	{"op:**", "*.select", "for another select the column, and calculate with the rows"}, {"mixed", "?? String *.select", "for a text write String({it}) ?? '…'; for values of two types select {it}, and write ?? with the rows"},
	{"call:Number", "getTime", "for the milliseconds since 1970 write .getTime()"}, {"call:Number call:parseInt call:parseFloat", "*.select", "select the column and convert the rows"},
	{"call:Boolean call:isFinite", "isNotNull", "compare it, like column !== null"}, {"call:isNaN", "isNull", "compare it, like column === null"},
	{"call:Math", "Math.abs Math.round Math.floor Math.ceil *.max", "for columns there are Math.abs, Math.round, Math.floor, Math.ceil and, of two or more values, Math.max and Math.min; the greatest of many rows is query.max(t => t.column)"},
	{"call:has", "in", "for one of its keys write column.in([...map.keys()])"},
	{"call:test call:exec", "includes like *.select", "for a part of a text use column.includes('…'), or column.like('…%'); for other patterns " + onRows}, {"call:test call:exec", "includes like", "for a part of a text use column.includes('…'), or column.like('…%')"},

	{"op:!", "round === isNull", "for an empty value use .isNull(), and for 0 write column === 0"}, {"unsuited op:+ op:- op:* op:/ op:% op:neg", "asMilliseconds", "for a number write .asMilliseconds()"},
	{"op:!", "startsWith === isNull", "for a missing value use .isNull(), and for an empty text write column === ''"},
	{"op:!", "isNull", "for an empty value use .isNull()"}, {"op:neg", "desc", "to sort backwards use .desc()"}, {"op:-", "daysSince", "for the days between them write a.daysSince(b)"},
	{"op:+", "getTime plus", "for a later day write .plus(7, 'day'), with 'week', 'month', 'quarter' or 'year' too; or write .getTime() for the milliseconds since 1970, a number"},
	{"op:+", "plus", "for a later day write .plus(7, 'day'), with 'week', 'month', 'quarter' or 'year' too"}, {"day.time", "*.truncate", "; compare the time's .truncate('day') with the day"},
	{"time.number", "", "; for milliseconds since 1970 write new Date({it})"}, {"op:||", "??", "for another value where this one is empty use ??"},

	// These lines are for functions and words of other languages.
	{"eq()", "===", "column === value, in a callback like t => t.column === value"}, {"ne()", "!==", "column !== value, in a callback like t => t.column !== value"},
	{"gt()", ">", "column > value"}, {"gte()", ">=", "column >= value"}, {"lt()", "<", "column < value"}, {"lte()", "<=", "column <= value"}, {"inArray()", "in", "column.in([…])"}, {"notInArray()", "notIn", "column.notIn([…])"},
	{"isNull() word:is", "isNull", "column === null"}, {"isNotNull()", "isNotNull", "column !== null"},
	{"between() word:between", "between", "column.between(low, high)"}, {"like() word:like", "like", "column.like('a%b')"}, {"ilike() word:ilike", "ilike", "column.ilike('a%b')"},
	{"contains()", "includes", "column.includes('…')"}, {"desc() word:desc", "desc", "column.desc(), in a callback like t => t.column.desc()"}, {"asc() word:asc", "asc", "column.asc(), in a callback like t => t.column.asc()"},
	{"coalesce()", "??", "column ?? value"}, {"lower()", "lower", "column.lower()"}, {"upper()", "upper", "column.upper()"},
	{"date_trunc() dateTrunc() trunc() startOf() startOfMonth() startOfWeek()", "truncate", "column.truncate('month')"}, {"date() DATE()", "truncate", "column.truncate('day')"},
	{"extract() date_part() datepart()", "year month day", "column.year(), column.month() or column.day()"}, {"dateAdd() date_add() addDays() addWeeks() addMonths() addYears()", "plus", "column.plus(14, 'day')"},
	{"datediff() age() differenceInDays() daysBetween()", "daysSince", "a.daysSince(b)"},

	// These lines are for synonyms.
	{"as.contains", "includes", "includes"}, {"as.equals as.equal as.equalTo", "eq", "eq"}, {"as.neq as.notEqual as.notEquals", "ne", "ne"}, {"as.gte as.greaterThanOrEqual", "ge", "ge"}, {"as.lte as.lessThanOrEqual", "le", "le"},
	{"as.greaterThan as.isAfter as.after", "gt", "gt"}, {"as.lessThan as.isBefore as.before", "lt", "lt"}, {"as.inArray as.oneOf as.anyOf as.IN", "in", "in"}, {"as.nin as.notInArray as.noneOf", "notIn", "notIn"},
	{"as.startswith", "startsWith", "startsWith"}, {"as.endswith", "endsWith", "endsWith"}, {"as.notNull", "isNotNull", "isNotNull"}, {"as.DESC as.descending as.-1", "desc", "desc"}, {"as.ASC as.ascending as.1", "asc", "asc"},

	// These lines are for members that columns don't have.
	rowWindow, averages, aggregates, isEmpty, oneElement, columnSearch,
	{".indexOf .lastIndexOf", "includes", "write .includes('…')"},
	{".match .matchAll .search .test", "includes startsWith like *.select", "write .includes('…'), .startsWith('…') or .like('a%b'); for other patterns " + onRows},
	{".match .matchAll .search .test", "includes startsWith like", "write .includes('…'), .startsWith('…') or .like('a%b')"},
	{".format .toFormat .strftime .trunc .dateTrunc .date_trunc .startOfMonth .startOfWeek .startOfQuarter .startOfYear .yearMonth .monthYear", "truncate", "write .truncate('month')"},
	{".date .toDate .dateOnly .startOfDay .toDateString", "truncate", "write .truncate('day')"}, {".dayOfWeek .dow", "weekday", "write .weekday(): Sunday is 0"},
	{".add .addDays .addWeeks .addMonths .addYears .plusDays .plusWeeks .plusMonths .plusYears", "plus", "write .plus(14, 'day')"},
	{".minus .subtract .subDays .subMonths", "daysSince plus", "write .plus(-14, 'day'), or for the days between two a.daysSince(b)"}, {".diff .daysBetween .differenceInDays", "daysSince", "write a.daysSince(b)"},
	{".slice .substring .substr", "truncate year", "it is a time: for its month write .truncate('month'), for its day .truncate('day'), for its year .year()"},
	{".startsWith .endsWith .includes .like .ilike", "getTime >= < *.&&", "it is a time: compare it, like column >= '2024-01-01' && column < '2024-02-01'"},
	{".charAt .at .0", "slice", "for the character at a position write .slice(0, 1)"}, {".toFixed .toPrecision", "round", "write .round(2), or do it with the rows"},
	{onlyOnRows, "*.select", onRows},
}

var (
	averages   = [3]string{".avg .average .mean", "*.avg *.groupBy *.select", "an aggregate is of rows: write query.avg(t => t.column), or .groupBy(t => t.key).select(g => ({ key: g.key, avg: g.avg(t => t.column) }))"}
	aggregates = [3]string{".sum .min .max .median .count .countDistinct .countBy .groupBy", "*.sum *.groupBy *.select *.count", "an aggregate is of rows: write query.sum(t => t.column), or .groupBy(t => t.key).select(g => ({ key: g.key, sum: g.sum(t => t.column), n: g.count() }))"}
	isEmpty    = [3]string{".isEmpty .isNil", "isNull", "write column === null"}
	oneElement = [3]string{".charAt .at .0", "has *.select", "select it, and read it from the result"}
)

// jsonPhrases are about members of texts and arrays: a program that writes one means the member, not a key of the JSON.
var jsonPhrases = [][3]string{
	{".startsWith .endsWith .indexOf .like .ilike .toLowerCase .toUpperCase .lower .upper .trim .slice .substring .split .match .replace .charAt .concat",
		"asText getKey", "for a text in it write column.key.asText() first; a key of this name is column.getKey('…')"},
	{".map .filter .some .every .find .forEach .reduce .at .join .push .keys .values .entries .flatMap .sort .isArray", "*.select getKey", "for an array in it select it, and go on with the rows; a key of this name is column.getKey('…')"},
	{".toFixed .toPrecision .round .floor .ceil", "asNumber getKey", "for a number in it write column.key.asNumber() first; a key of this name is column.getKey('…')"},
	{"asDate() asTime() asDay() asTimestamp() asDateTime() toDate()", "asText", "a date in JSON is a text: compare it, like column.key.asText() >= '2024-01-31'"}, {"asString() asStr() asVarchar()", "asText", "write .asText()"},
	{"asInt() asInteger() asFloat() asDecimal() asDouble() asNum()", "asNumber", "write .asNumber()"}, {"asBoolean()", "asBool", "write .asBool()"}, {".asc .desc", "asText asNumber", "to sort by it give its type: column.key.asText() or column.key.asNumber()"},
	{"unsuited op:?? op:+ op:- op:* op:/ op:% op:neg op:! op:&& op:|| op:?:", "asText asNumber asBool", "give its type: column.key.asText(), .asNumber() or .asBool()"},
	{"call:Number call:parseInt call:parseFloat call:Math", "asNumber", "write column.key.asNumber()"}, {"call:Boolean", "asBool", "write column.key.asBool()"},
}

// wholePhrases are about arrays, which can be shown but hardly compared. They come first, since
// their last phrase is for every other member that such a column lacks.
var wholePhrases = [][3]string{
	averages, aggregates, isEmpty, oneElement,
	{"op:=== op:!== op:?? op:< op:<= op:> op:>= op:in", "isNull *.select", "a condition can only ask whether it is null: select it, and go on with the rows"},
	{".join", "*.select", "select it, and make one text of it with the rows of the result"}, {".some .find .indexOf .any", "has *.select", "whether a value is among its elements is column.has(value); for all else select it, and go on with the rows"}, {".*", "*.select", "its elements can't be read in the database: select it, and read them from the result"},
}

var queryPhrases = [][3]string{
	{"all", "", "the query"}, {"whole", "", "a whole table or query"}, {"describes", "", "only describes a query"}, {"record", "", "{it} is a row of the database and no data: it is always there; compare one of its columns"},
	{"unsent", "", "{it} is a query that has not run yet: use await {chain}.{await}()"},
	{"unsent.in", "count max some *.===", "{it} is a list of rows of the database here: ask of all, like {it}.count(), {it}.max({part} => {part}.column) or {it}.some({part} => {part}.column === value)"},
	{"nothing.update nothing.delete", "execute", "changed no row: no row that is granted here meets all conditions of that query; to see which rows there are, run it with fewer conditions and .execute()"},
	{"links", "", "; rows of other tables are reached by links, like {it}.{link}()"}, {"called", "", "{it} is a query and no function: to go on from it write {it}.{link}(), without () behind {it}"},
	{"linked.to", "where orderBy offset limit select", "a link takes no arguments: write {it}.where(…) for some of its rows, or {it}.find({ where: …, orderBy: …, take: … })"},
	{"early.in", "count max some *.=== join", "`{name}` is for arrays, and {it} is a list of rows of the database: ask of all, like {it}.count(), {it}.max({part} => {part}.column) or {it}.some({part} => {part}.column === value)"},
	{"in.reduce", "sum min max avg count", "write {it}.sum({part} => {part}.column), or .min, .max, .avg and .count()"}, {"in.slice", "offset limit", "write {it}.limit(n), or {it}.offset(n).limit(n)"},
	{"in.at in.0", "first", "write {it}.first()"}, {"in.includes", "some *.===", "write {it}.some({part} => {part}.column === value)"},
	{"early", "", "`{name}` is for arrays, and this is a query that has not run yet: use (await {chain}.{await}()).{name}"}, {"again", "", "has a new query each time it is read; await the query before"},
	{"many", "exists", "{it} is a list of rows and has no value in the program; to ask whether there are any write {it}.exists()"}, {"uncalled.link", "", "{it} is a link: call it, and write {it}()"},
	{"uncalled.shown", "select", "{it} is a link, and not what .select(…) shows under that name: give that another name there, like {name}2: …, and use t.{name}2"},
	{"inside", "some max *.=== join", "it is a list of rows here, and `{name}` a column of them: ask of all, like .some({part} => {part}.{name} === value) or .max({part} => {part}.{name}), or join it before, and use {part}.{name}"},
	{"inside", "join", "it is a query, and `{name}` a column of its rows: join it before, and use {part}.{name}"},
	{"outside", "select", "`{name}` is a column of its rows: await it and read row.{name}, or write .select(t => ({ {name}: t.{name} }))"}, {"sent", "", "sends the query: nothing can be added after it; await its result first"},
	{"nested", "", "runs the query, which can't be done inside a callback that describes one; await it before, or ask for the rows and go on in JavaScript"},
	{"callback", "select", "takes no callback, and acts on what is selected: write .select(t => t.column) before it"}, {"number", "offset", "takes one number; to leave out rows before them write .offset(…)"},
	{"options.groupBy options.countBy", "groupBy count select sum", "for what each group shows write .groupBy(t => t.key).select(g => ({ key: g.key, n: g.count(), sum: g.sum(t => t.column) }))"},
	{"options", "page", "write .page(50) for { rows, next }, and .page(50, next) for the rows after"}, {"arguments", "where", "takes no arguments; write conditions and orders before it, like .where(…)"},
	{"parameter", "", "the callback gets one argument, the tables of the query by name: write {example}"},
	{"filter.link", "join where count", "`{name}` is a link, and a filter object compares the columns of one table: ask it in a callback, like .where(t => t.{name}().count() > 3), or join it, and then write .where(({ … }) => condition)"},
	{"clash", "as", "{name} is already in this query; give the other one a name of its own with .as('{name}2'), and use that name in callbacks"}, {"clash", "", "{name} is already in this query"},
	{"one", "", "works on a query of one table; this one has {has}"}, {"which", "", "this query has several tables; name the one that is meant: ({ {name} }) => …"},
	{"which.member", "", "this query has several tables; write {part}.{name}: ({ {part} }) => {part}.{name}"}, {"elsewhere", "join", "to use another table, join it first"},
	{"link.part", "", "`{link}` is a link; in this query its rows are called `{name}`"}, {"link", "join", "`{link}` is a link, and no table of this query; join it first: .join(({ {part} }) => {part}.{link}())"},
	{"example", "", "({ {names} }) => ({ name: {name}.column })"}, {"sample", "", "{ name: table.column }"},
	{"keys", "count sum", "{param} must be a column, like t => t.column, or an object of columns like {sample}; got {got}; for numbers of all rows together write query.count() and query.sum(t => t.column)"},
	{"keys", "", "{param} must be a column, like t => t.column, or an object of columns like {sample}; got {got}"}, {"selection", "", "{param} must be a column, an object like {sample}, or one whole table; got {got}"},
	{"alike", "select", "{param} must show the same columns, of the same names and types in the same order: {want}; it shows {got}. Select them so in both"},
	{"listed", "select", "{param} must be values of the column's type, or a query of one such column: write .select(t => t.column) behind it; got {got}"},
	{"unsuited", "max select *.in", "a query is no value: write column.in(query.select(t => t.column)) to look for the column's value in it, or take one value, like query.max(t => t.column)"},
	{"unselectable.one", "select", "`{name}` is one row: name the column that is meant, like {it}.{member}"},
	{"unselectable", "count max join select", "`{name}` is a list of rows, not a column: show how many with .count() or one value with .max({part} => {part}.column), or join it before, and select columns of the joined rows"},
	{"unselectable", "join select", "`{name}` is a query, not a column: join it before, and select columns of the joined rows"}, {"op:! op:=== op:!==", "exists", "to ask whether there is one write {it}.exists(), and for none !{it}.exists()"},

	{"infinite", "", "{it} is no number that a database can store"}, {"text", "", "the text contains a NUL or half a character, which no database can store"},
	{"limit.read", "where limit count page", "more than {most} rows were read; ask for fewer with where or limit, use count, or read them in pages: .page(50) gives { rows, next }, and .page(50, next) the rows after"},
	{"limit.read", "where limit count", "more than {most} rows were read; ask for fewer with where or limit, or use count"}, {"limit.read", "", "more than {most} rows were read; ask for fewer"},
	{"limit.bytes", "select", "more than {most} bytes were read; select fewer columns or rows"}, {"limit.result", "count", "return less, or count and sum in the query"}, {"limit.time", "", "do more in the query and less in loops"},
	{"limit.memory", "", "keep less at a time, and do more in the query"},
	{"withheld", "select where orderBy", "select shows them sealed, which reads none of them; where, orderBy, ifUnchanged, groups, sums, unionAll, rows within rows, reveal and writing one read them, and so does any question about rows that carry a label"},
	{"second.store", "", "this program has already changed something in another database, and a program can change only one: write a second program for this one"},

	{"begin:SELECT begin:WITH begin:INSERT begin:UPDATE begin:DELETE", "where select", "a program is JavaScript, and this is SQL: begin with a granted object, and write .where(…), .select(…) and other declared methods"},
	{"count()", "count groupBy", "query.count(), or after groupBy g => ({ key: g.key, n: g.count() })"}, {"sum()", "sum groupBy", "query.sum(t => t.column), or after groupBy g => ({ key: g.key, sum: g.sum(t => t.column) })"},
	{"avg()", "avg groupBy", "query.avg(t => t.column), or after groupBy g => ({ key: g.key, avg: g.avg(t => t.column) })"},
	{"min() max()", "min max groupBy", "query.min(t => t.column) or query.max(t => t.column), or after groupBy g => ({ key: g.key, max: g.max(t => t.column) })"},

	// These lines are for synonyms: words of other libraries with one meaning.
	{"as.filter", "where", "=where"}, {"as.andWhere as.filterBy as.findBy as.match", "where", "where"}, {"as.map", "select", "=select"}, {"as.project as.pick as.only as.fields as.columns", "select", "select"},
	{"as.distinctOn as.uniqBy as.uniqueBy", "distinctBy", "distinctBy"}, {"as.take as.top", "limit", "limit"}, {"as.skip", "offset", "offset"},
	{"as.sort as.sortBy", "orderBy", "=orderBy"}, {"as.order as.order_by as.thenBy", "orderBy", "orderBy"}, {"as.orderByDesc", "orderBy *.desc", "orderBy/desc"}, {"as.maxBy", "orderBy first *.desc", "=orderBy/desc first"},
	{"as.having", "where groupBy", "groupBy>where"}, {"as.all()", "every", "every"}, {"as.updateMany as.updateAll as.set as.patch as.modify", "update where", "update"}, {"as.update{}", "update where", "where data"},
	{"as.delete as.deleteMany as.deleteWhere as.remove as.destroy as.del", "delete where", "=(where) delete"}, {"as.create as.insertOne as.add", "insert", "insert"}, {"as.insert{} as.insertMany{}", "", "data"}, {"as.insert[]", "insertMany", "insertMany"},
	{"as.createMany as.insertAll as.bulkInsert as.bulkCreate as.addMany", "insertMany", "insertMany"}, {"as.then.execute as.then.run as.then.exec", "", "then"},

	// These lines are for methods that change rows: they act at once, and return a number or a row.
	{"changed.where changed.filter changed.and changed.andWhere changed.eq changed.neq changed.gt changed.gte changed.lt changed.lte changed.is changed.in changed.match changed.whereIn changed.limit changed.orderBy", "where",
		"{method} acts at once, on the rows of the query before it: write .where(condition).{method}(…)"},
	{"changed.set", "where", "{method} takes the values directly: write .where(condition).{method}({ column: value })"}, {"changed.values", "", "{method} takes the row directly: write .{method}({ column: value })"},
	{"changed.onConflict changed.onConflictDoUpdate changed.onConflictDoNothing changed.onDuplicateKeyUpdate changed.orIgnore changed.orUpdate changed.ignore changed.merge", "insert update where", "write .where(condition).update({ … }), and .insert({ … }) if that gives 0"},
	{"changed.returning changed.select changed.single changed.output changed.first changed.returningAll", "", "nothing follows {method}: insert returns the new row, the others return the number of rows; to see the rows send a query after it"},
	{"read.update read.save read.set read.patch read.updateAttributes read.increment read.decrement", "update where", "write query.where({ id: row.id }).update({ column: value })"},
	{"read.delete read.remove read.destroy read.del", "delete where", "write query.where({ id: row.id }).delete()"}, {"given.$set given.$unset given.set given.data given.values", "update", "write the values themselves, .update({ column: value })"},
	{"given.where given.filter", "update where", "name the rows before it, .where(condition).update({ column: value })"},
	{"given given.$inc given.$mul given.increment given.decrement", "update where", updateCalculates},
	{"read.getFullYear read.getMonth read.getDate read.getDay read.getHours read.getMinutes read.getTime read.toISOString read.toLocaleDateString read.toDateString", "", "a time that was read is a text: new Date(row.column) is the time"},
	{"found.nothing", "first", "{it} found no row and returned null; test it with if (row), or read row?.member"},
	{"fixed", "update where", "`{name}` of a row that was read can't be assigned, since that would change only the program's copy: to change the row write query.where({ id: row.id }).update({ {name}: value }), and to show another value { ...row, {name}: value }"},
	{"assigned", "update", "the callback must not assign: it returns the new values, like .{method}(t => ({ {name}: value }))"},
	{"changes", "", "it is a number and has no members: update, delete and insertMany return the number of changed rows; to see the rows send a query after it"},
	{"grouped", "count select groupBy", "acts on groups: for the number of rows of each write .select(g => ({ key: g.key, n: g.count() })) before it; for the number of groups write .groupBy(t => t.key).count()"},
	{"as.any", "some", "some"}, {"as.find()", "where first", "=where first"}, {"as.find as.findMany as.findAll", "where orderBy offset limit select", "(where orderBy offset limit select)"},
	{"as.first as.findFirst as.findOne as.findUnique as.findOneBy as.firstOrNull", "where orderBy offset select first", "=(where orderBy offset select) first"}, {"as.count", "where count", "=(where) count"},
	{"as.length", "count", ".count"}, {"as.countDocuments", "where count", "=(where) count"}, {"as.all as.toArray as.exec as.run as.fetch as.fetchAll as.list as.getMany", "execute", "execute"}, {"as.average as.mean", "avg", "avg"},
	{"as.total", "sum", "sum"}, {"as.tree as.recurse as.transitive as.closure", "recursive", "recursive"}, {"as.group as.group_by as.groupby", "groupBy", "groupBy"}, {"as.innerJoin", "join", "join"},
	{"as.leftOuterJoin as.left_join", "leftJoin", "leftJoin"}, {"as.whereIn as.in", "where *.in", "where/in"}, {"as.whereNotIn", "where *.notIn", "where/notIn"},
	{"as.whereNull", "where *.isNull", "where/isNull"}, {"as.whereNotNull", "where *.isNotNull", "where/isNotNull"}, {"as.whereBetween", "where *.between", "where/between"},
	{"as.eq", "where *.eq", "where/eq"}, {"as.neq as.ne", "where *.ne", "where/ne"}, {"as.gt", "where *.gt", "where/gt"}, {"as.gte", "where *.ge", "where/ge"}, {"as.lt", "where *.lt", "where/lt"}, {"as.lte", "where *.le", "where/le"},
	{"as.like", "where *.like", "where/like"}, {"as.ilike", "where *.ilike", "where/ilike"},
	{"as.= as.is", "some", "some"}, {"as.isNot", "none", "none"}, // these are for a link of a row in a filter object
	{"asked", "count where limit", "works in callbacks, where it asks about each row; here write (await {of}.limit(1).count()) > 0, with .where(condition) before .limit for some of the rows"},
	{".none", "where count *.===", "write (await ….where(t => condition).count()) === 0; in a callback it asks about the rows of a link"},
	{"shown", "select execute", "`{name}` after .select(…) would use what select shows: put it before .select(…), or do it with the rows: (await ….execute()).{name}"},

	// These lines are for members that queries don't have: other libraries' names of methods.
	{".findMany .find .findAll .findBy .filterBy .andWhere .whereIn .whereNull .whereNotNull .whereBetween .match .eq", "where", "write .where(t => condition)"},
	{".filter", "where execute", "write .where(t => condition), or filter the rows: (await ….execute()).filter"}, {".all .toArray .get .exec .run .fetch .fetchAll .list .getMany .many .rows .results .data", "execute", "write .execute() for all rows"},
	{".findOne .findFirst .findUnique .findById .findByPk .one .single .maybeSingle .getOne .firstOrNull", "where first", "write .where(t => condition) and .first()"}, {".take .top", "limit", "write .limit(n)"},
	{".skip", "offset", "write .offset(n)"}, {".0", "first execute", "it is a query that has not run yet: write await ….first() for its first row, or (await ….execute())[0]"},
	{".paginate .cursor .after .before .seek .startAfter .nextPage .pages .keyset .forPage .iterate .stream", "page", "write await ….page(50) for { rows, next }, and .page(50, next) for the rows after; next is null at the end"},
	{".page .paginate .range .slice", "orderBy offset limit", "write .orderBy(t => t.column), .offset(n) and .limit(n)"},
	{".orderByDesc .orderByDescending .sortBy .sort .order .desc .asc .order_by .thenBy", "orderBy *.desc", "write .orderBy(t => t.column), or .orderBy(t => t.column.desc()) to sort backwards"},
	{".project .pluck .fields .columns .returning .pick .only", "select", "write .select(t => ({ name: t.column }))"},
	{".include .with .populate .preload .including .eager", "select where", "a link in select is its rows: .select(t => ({ id: t.id, linked: t.link() })), with .where(…) or .select(…) behind the link for some of them"},
	{".innerJoin", "join select", "write .join(({ a }) => a.link()), and select from both tables"}, {".leftOuterJoin .left_join", "leftJoin", "write .leftJoin(({ a }) => a.link())"},
	{".average .mean", "avg", "write .avg(t => t.column)"}, {".includes .contains .has", "select *.in", "in a callback write column.in(query.select(t => t.column)) to look for a value in it; elsewhere await it, and look in the rows"},
	{".unionDistinct .merge", "union unionAll select", "for two queries that show the same columns write .select(t => ({ x: t.column })).union(otherQuery.select(t => ({ x: t.column }))), or .unionAll to keep equal rows"},
	{".minus .difference .exceptAll", "except select", "for two queries that show the same columns write .select(t => ({ x: t.column })).except(otherQuery.select(t => ({ x: t.column })))"},
	{".intersection .intersectAll", "intersect select", "for two queries that show the same columns write .select(t => ({ x: t.column })).intersect(otherQuery.select(t => ({ x: t.column })))"},
	{".descendants .ancestors .withRecursive .tree .subtree .findDescendants .findAncestors .connectBy", "recursive", "write query.link().recursive(), with the link to the same table that is meant: all rows below or above, each with its depth"},
	{".descendants .ancestors .recursive .withRecursive .tree .children .parents .subtree", "where *.in", "trees are followed level by level: in a loop, as long as there are ids, await query.where(t => t.parentId.in(ids))"},
	{".total", "sum", "write .sum(t => t.column)"}, {".maxBy .last .findLast", "orderBy first *.desc", "write .orderBy(t => t.column.desc()).first()"},
	{".minBy", "where orderBy first *.isNotNull", "write .where(t => t.column !== null).orderBy(t => t.column).first()"},
	{"unconditional.some unconditional.every", "exists", "to ask whether there is a row at all write {it}.exists()"}, {"unconditional.none", "exists", "to ask whether there is no row write !{it}.exists()"}, {"in.isEmpty", "exists", "write !{it}.exists()"}, {".isEmpty", "count *.===", "write (await ….count()) === 0"},
	{".query .raw .sql .$queryRaw .$queryRawUnsafe .whereRaw .selectRaw .havingRaw .orderByRaw .joinRaw .fromRaw .rawQuery", "where select groupBy", "no SQL is taken here: write .where(t => condition), .select(t => ({ name: t.column })) and .groupBy(t => t.key){links}"},
	{".orWhere .or", "where *.||", "write one .where(t => condition || other)"}, {".whereNot .not", "where", "write .where(t => !condition)"}, {".countDocuments .estimatedDocumentCount", "count", "write .count()"},
	{".collect .toList", "select execute", "write (await ….select(t => ({ x: t.column })).execute()).map(r => r.x)"},
	{".percentile .quantile .stddev .stdDev .std .variance", "median select", "there are sum, avg, median, min and max; for another select the column, and calculate with the rows"},
	{".group_by .group .aggregate .agg .groupby .sumBy .avgBy .meanBy", "groupBy select count sum", "write .groupBy(t => t.key).select(g => ({ key: g.key, n: g.count(), sum: g.sum(t => t.column) })), or .count() and .sum(t => t.column) for all rows"},
	{".having", "groupBy where count", "write .where(g => g.count() > 1) after .groupBy(t => t.key)"},
	queryFirsts, queryWindow, callWindow,
	{".upsert .updateOrInsert .insertOrUpdate .createOrUpdate .insertOrReplace .replace .findOrCreate .findOrCreateBy .firstOrCreate .findOneOrCreate .updateOrCreate", "insert update where", "write .where(condition).update({ … }), and .insert({ … }) if that gives 0"},
	{".save", "insert update where", "write .where({ id: row.id }).update({ … }) for a row that is there, and .insert({ … }) for a new one"},
	{".increment .decrement .inc .dec .toggle .touch", "update where", updateCalculates},
	{".update .updateMany .updateAll .set .patch .modify .save", "update where", "write .where(condition).update({ column: value }), or with a callback that calculates .update(t => ({ column: t.column + 1 }))"},
	{".updateOne .updateFirst .updateBy .updateById .updateWhere .replaceOne .findAndUpdate .findOneAndUpdate .findByIdAndUpdate", "update where limit", "write .where(condition).update({ column: value }); .limit(1) before it leaves the first row"},
	{".deleteOne .deleteById .deleteFirst .findOneAndDelete .findByIdAndDelete .findByIdAndRemove .pop .shift .splice", "delete where limit", "write .where(condition).delete(); .limit(1) before it leaves the first row"},
	{".truncate .clear .deleteAll .empty", "delete all", "write .all().delete()"}, {".delete .deleteMany .remove .destroy .del .deleteWhere", "delete where", "write .where(condition).delete()"},
	{".insertMany .createMany .insertAll .bulkInsert .bulkCreate .addMany", "insertMany", "write .insertMany([{ column: value }, …])"}, {".insertGetId .insertReturning", "insert", "write (await ….insert({ column: value })).id: it gives the row"},
	{".insert .insertOne .create .save .add .values .push .unshift", "insert insertMany", "write .insert({ column: value }), and for several rows .insertMany([{ column: value }, …])"},
	{"api.transaction api.$transaction api.begin api.commit api.rollback .transaction .$transaction .begin .beginTransaction .commit .rollback .savepoint .atomic", "", "the whole program is one transaction: it keeps all changes when it ends, and none if it throws an error"},
	{".insert .insertOne .insertMany .create .createMany .insertAll .bulkInsert .bulkCreate .add", "", "no right to add rows was granted here"},
	{".update .updateMany .updateOne .save .set .patch .upsert", "", "no right to change rows was granted here"}, {".delete .deleteMany .deleteOne .remove .destroy", "", "no right to delete rows was granted here"},

	// These lines are for members that results don't have: results are JavaScript's arrays and objects.
	{"result.then", "execute", "of a query it is .execute().then(…)"}, {"result.sum", "", "rows.reduce((n, r) => n + r.x, 0)"}, {"result.avg result.average", "", "rows.reduce((n, r) => n + r.x, 0) / rows.length"},
	{"result.min", "", "Math.min(...rows.map((r) => r.x))"}, {"result.max", "", "Math.max(...rows.map((r) => r.x))"}, {"result.count", "", "rows.length"}, {"result.first", "", "rows[0]"}, {"result.last", "", "rows.at(-1)"},
	{"result.groupBy", "", "Object.groupBy(rows, (r) => r.x)"}, {"result.sortBy result.orderBy", "", "rows.toSorted((a, b) => a.x - b.x)"},
	{"result.where", "", "rows.filter((r) => r.x === 1)"}, {"result.select", "", "rows.map((r) => r.x)"}, {"result.limit result.take", "", "rows.slice(0, n)"}, {"result.skip result.offset", "", "rows.slice(n)"},
	{"result.execute", "", "nothing: the rows are there already"}, {"result.toArray", "", "nothing: it is an array already"}, {"result.distinct result.uniq", "", "[...new Set(rows.map((r) => r.x))]"}, {"result", "", "with an array of rows write {instead}"},
	{"linked", "select where", "a row that was read is plain data and has no `{name}`: links belong to a query, before it is run: query.select(t => ({ id: t.id, {name}: t.{name}().… })) for each row, or query.where({ id: row.id }).{name}() for one"},
}

var wholeRow = [3]string{"unsuited", "", "it is a whole row: name the column that is meant, like {it}.{member}"}

// rowPhrases are the phrases about a row in a callback.
var rowPhrases = [][3]string{
	wholeRow,
	rowWindow,
	{"absent", "*.exists *.where", "for rows without one write .where(({ {it} }) => !{link}.exists()), before any join"},
	{".where .filter .count .sum .avg .min .max .groupBy .countBy .length .map .reduce", "*.where *.count *.groupBy *.select", "it is one row, and this asks of many: for one number write await query.where(t => condition).count() apart, and for one of each key .groupBy(t => t.key).select(g => ({ key: g.key, n: g.where(t => condition).count() }))"},
}

// orderPhrases are the phrases about the result of desc and asc.
var orderPhrases = [][3]string{
	{".nullsFirst .nullsLast .nulls", "*.desc *.orderBy *.isNull *.===", "null comes first, and last of .desc(); for another place sort by it before: .orderBy(t => [t.column === null, t.column])"},
	{".*", "", "nothing can follow a direction: write it at the end of the whole expression"},
}

// recordPhrases are the phrases about a row of combined queries, which has what select showed.
var recordPhrases = [][3]string{
	{"parts", "", "the rows have only what the two queries show"},
	wholeRow,
}

// groupPhrases are the phrases about a group, which has its keys as fields.
var groupPhrases = [][3]string{
	{"taken", "", "`{name}` is already a member of groups: give the key another name, like { {name}Key: t.column }"}, {"within.all", "*.select", "of each group write .select(g => ({ {keys}{method}: g.{method}(t => t.{name}) }))"},
	{"within", "max count *.groupBy", "`{name}` is a column of its rows, so ask for an aggregate of it: group.max(t => t.{name}), or group.count(); to group by it write .groupBy(t => t.{name}), or by several in one list, .groupBy(t => [t.{name}, …])"},
	{"within", "max count", "`{name}` is a column of its rows, so ask for an aggregate of it: group.max(t => t.{name}), or group.count()"}, {"keys.are", "", "its keys are {keys}"},
	{"unsuited", "count", "it is a whole group: name a key or an aggregate of it, like {it}.{member} or {it}.count()"},
	{"keys.only", "max", "its keys are {keys}; what else its rows have is in aggregates, like group.max(t => t.column)"}, {"parts", "max", "what else its rows have is in aggregates, like group.max(t => t.column)"},
	{"uncalled", "", "{it} is an aggregate: call it, {it}()"}, {"callback arguments", "where count", "takes no arguments; group.where(t => condition).count() counts some of the rows"},
	{"as.key", "", "#"}, {"as.length as.size", "count", ".count"}, {".key .keys", "", "its keys are its members by their names: after groupBy(t => t.status) it is group.status"}, {"as.average as.mean", "avg", "avg"},
	{"as.count", "where count", "=(where) count"}, {"as.filter", "where", "where"},
	{".join .joinText .stringAgg .string_agg .groupConcat .group_concat .listAgg .concat", "collect", "group.collect(t => t.column) gives a list; make one text of it with the rows of the result"},
	{".map .rows .values .items .toArray .array .list .arrayAgg .array_agg .push .flatMap .forEach .orderBy .sort", "collect *.orderBy *.groupBy", "its rows can't be read, only aggregates of them, like group.collect(t => t.column) for a list of values, in the order of an orderBy before groupBy"},
	{".size .length .total", "count", "write group.count()"},
	{".first .last .at .0 .maxBy .minBy", "min max *.distinctBy *.orderBy *.desc *.groupBy", "its rows can't be read, only aggregates of them, like group.min(t => t.column) and group.max(t => t.column); " + firstOfEach + " in place of groupBy"},
	{".first .last .at .0 .maxBy .minBy", "min max", "its rows can't be read, only aggregates of them, like group.min(t => t.column) and group.max(t => t.column)"},
	{".find", "where count", "write group.where(t => condition).count()"}, {".some .any", "where count *.>", "write group.where(t => condition).count() > 0"},
	{".every .all", "where count *.=== *.!", "write group.where(t => !condition).count() === 0"}, {".none", "where count *.===", "write group.where(t => condition).count() === 0"},
	{".distinct .unique .uniq .nunique", "countDistinct", "write group.countDistinct(t => t.column)"}, {".reduce .fold", "sum", "write group.sum(t => t.column)"},
	{".percentile .quantile .stddev .stdDev .std .variance", "collect", "there are sum, avg, median, min and max; for another write group.collect(t => t.column), and calculate with the rows of the result"},
}
