package exosql

import (
	"slices"
	"sync"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// operator is one row of the table that the typed API, the guests' interfaces
// and the compiler share: what is not here can't be expressed by anybody.
//
// Every operator is total: it has a value, or NULL, for all operands. One that
// could fail would fail for the rows that the engine happens to look at, those out
// of scope included, and say so.
type operator struct {
	name     string    // canonical
	also     []string  // other names that programs may use; JavaScript's own, where it has it
	on       []string  // the column interfaces that have it
	params   []string  // see paramOf
	result   string    // "": a condition; see resultTerm
	null     bool      // null is admitted as the value
	ast      sqlast.Op // sqlast.Not of a pattern: like, negated
	ifNull   sqlast.Op // what it becomes when the value is the literal null
	form     exprForm  // how it is compiled
	field    bool      // it is read like a field, without a call
	unlisted bool      // only words of JavaScript lead to it
	doc      string
}

// exprForm says how an operator is compiled.
type exprForm uint8

const (
	formPlain    exprForm = iota // the operands as they are compared
	formCompare                  // two or more operands of one kind
	formOrdered                  // the same, and by order
	formList                     // a value and a list
	formNumber                   // exact numbers give an exact number
	formReversed                 // the same, the operands exchanged
	formText                     // operands as text
	formPattern                  // the same, with a pattern
	formFolded                   // the same, without regard to case
	formSame                     // operands of one kind give a value of that kind
	formSlice                    // a text and positions in it
	formToText                   // a value as the text that results show
	formOrder                    // a term of an order; no value
	formHas                      // an array and an element
)

// The interfaces of column expressions by what their values can do.
var (
	anyColumn = []string{"Int", "Float", "Decimal", "Text", "Bool", "Time", "Day", "Interval", "Uuid", "Bytes", "Json", "Elements"}
	equal     = anyColumn[:10] // all but Json and Elements
	ordered   = []string{"Int", "Float", "Decimal", "Text", "Time", "Day", "Interval"}
	numbers   = []string{"Int", "Float", "Decimal"}
	written   = []string{"Int", "Float", "Decimal", "Text", "Bool", "Time", "Day", "Uuid"}
	texts     = []string{"Text"}
	truths    = []string{"Bool"}
	times     = []string{"Time"}
	days      = []string{"Time", "Day"}
	lists     = []string{"Elements"}
)

// operators. Names in `also` that are JavaScript's own operators are what the
// evaluator calls for them in callbacks: === is null-safe, as it is there.
var operators = []operator{
	{name: "eq", also: []string{"="}, on: equal, params: one, null: true, ast: sqlast.Eq, ifNull: sqlast.IsNull, form: formCompare, doc: "equal; eq(null) is isNull()"},
	{name: "ne", also: []string{"<>", "!="}, on: equal, params: one, null: true, ast: sqlast.Ne, ifNull: sqlast.IsNotNull, form: formCompare, doc: "not equal, and not null"},
	{name: "lt", also: []string{"<"}, on: ordered, params: one, ast: sqlast.Lt, form: formOrdered},
	{name: "le", also: []string{"<="}, on: ordered, params: one, ast: sqlast.Le, form: formOrdered},
	{name: "gt", also: []string{">"}, on: ordered, params: one, ast: sqlast.Gt, form: formOrdered},
	{name: "ge", also: []string{">="}, on: ordered, params: one, ast: sqlast.Ge, form: formOrdered},
	{name: "between", on: ordered, params: []string{"value", "high"}, form: formOrdered, doc: "both ends included"},
	{name: "is", also: []string{"==="}, on: equal, params: one, null: true, ast: sqlast.Is, ifNull: sqlast.IsNull, form: formCompare, doc: "equal, and null is equal to null"},
	{name: "isNot", also: []string{"!=="}, on: equal, params: one, null: true, ast: sqlast.IsNot, ifNull: sqlast.IsNotNull, form: formCompare, doc: "the opposite of is"},
	{name: "in", on: equal, params: []string{"list"}, form: formList},
	{name: "notIn", on: equal, params: []string{"list"}, form: formList, doc: "equal to none of a list, and not null"},
	{name: "isNull", on: anyColumn, ast: sqlast.IsNull},
	{name: "isNotNull", on: anyColumn, ast: sqlast.IsNotNull},
	{name: "coalesce", also: []string{"??"}, on: equal, params: []string{"bare"}, result: "coalesced", ast: sqlast.Coalesce, form: formSame, doc: "the value where this is null"},
	{name: "nullIf", on: equal, params: []string{"bare"}, result: "nullable", ast: sqlast.NullIf, form: formSame},

	{name: "and", also: []string{"&&"}, on: truths, params: []string{"condition"}, ast: sqlast.And},
	{name: "or", also: []string{"||"}, on: truths, params: []string{"condition"}, ast: sqlast.Or},
	{name: "not", also: []string{"!"}, on: truths, ast: sqlast.Not},
	{name: "case", also: []string{"?:"}, on: truths, params: []string{"then", "else"}, result: "case", null: true, ast: sqlast.Case, form: formSame, doc: "one value where it holds, the other elsewhere"},

	{name: "includes", on: texts, params: one, ast: sqlast.Includes, form: formText, doc: "contains; case counts"},
	{name: "startsWith", on: texts, params: one, ast: sqlast.StartsWith, form: formText},
	{name: "endsWith", on: texts, params: one, ast: sqlast.EndsWith, form: formText},
	{name: "like", also: []string{"LIKE"}, on: texts, params: []string{"pattern"}, ast: sqlast.Like, form: formPattern, doc: "% any text, _ one character, \\ escapes"},
	{name: "notLike", also: []string{"NOT LIKE"}, on: texts, params: []string{"pattern"}, ast: sqlast.Not, form: formPattern},
	{name: "ilike", also: []string{"ILIKE"}, on: texts, params: []string{"pattern"}, ast: sqlast.Like, form: formFolded, doc: "whatever the case"},
	{name: "notIlike", also: []string{"NOT ILIKE"}, on: texts, params: []string{"pattern"}, ast: sqlast.Not, form: formFolded},
	{name: "lower", also: []string{"toLowerCase", "toLocaleLowerCase"}, on: texts, result: "text", ast: sqlast.Lower, form: formText},
	{name: "upper", also: []string{"toUpperCase", "toLocaleUpperCase"}, on: texts, result: "text", ast: sqlast.Upper, form: formText},
	{name: "trim", on: texts, result: "text", ast: sqlast.Trim, form: formText},
	{name: "length", on: texts, result: "int", ast: sqlast.Length, form: formText, field: true, doc: "in characters"},
	{name: "slice", on: texts, params: []string{"start", "end"}, result: "text", ast: sqlast.Substr, form: formSlice, doc: "positions in characters, none negative"},
	{name: "substring", unlisted: true, on: texts, params: []string{"start", "end"}, result: "text", ast: sqlast.Substr, form: formSlice},
	{name: "substr", unlisted: true, on: texts, params: []string{"start", "length"}, result: "text", ast: sqlast.Substr, form: formSlice},
	{name: "concat", also: []string{"+"}, on: texts, params: []string{"part", "more", "more", "more", "more", "more", "more", "more"}, result: "text", ast: sqlast.Concat, form: formText, doc: "null if a part is null"},
	{name: "prepend", unlisted: true, on: texts, params: []string{"part"}, result: "text", ast: sqlast.Concat, form: formText},

	{name: "add", also: []string{"+"}, on: numbers, params: one, result: "wide", ast: sqlast.Plus, form: formNumber},
	{name: "sub", also: []string{"-"}, on: numbers, params: one, result: "wide", ast: sqlast.Minus, form: formNumber},
	{name: "rsub", unlisted: true, on: numbers, params: one, result: "wide", ast: sqlast.Minus, form: formReversed},
	{name: "mul", also: []string{"*"}, on: numbers, params: one, result: "wide", ast: sqlast.Times, form: formNumber},
	{name: "div", also: []string{"/"}, on: numbers, params: one, result: "quotient", ast: sqlast.Over, form: formNumber, doc: "with fraction; null for a division by 0"},
	{name: "rdiv", unlisted: true, on: numbers, params: one, result: "quotient", ast: sqlast.Over, form: formReversed},
	{name: "mod", also: []string{"%"}, on: numbers, params: one, result: "remainder", ast: sqlast.Modulo, form: formNumber, doc: "null for a division by 0"},
	{name: "rmod", unlisted: true, on: numbers, params: one, result: "remainder", ast: sqlast.Modulo, form: formReversed},
	{name: "neg", unlisted: true, on: numbers, result: "self", ast: sqlast.Negate, form: formNumber},
	{name: "abs", also: []string{"Math.abs"}, on: numbers, result: "self", ast: sqlast.Abs, form: formNumber},
	{name: "round", on: numbers, params: []string{"places"}, result: "self", ast: sqlast.Round, form: formNumber, doc: "halves away from 0"},
	{name: "roundUp", also: []string{"Math.round"}, on: numbers, result: "self", ast: sqlast.RoundUp, form: formNumber, doc: "to a whole number, halves up"},
	{name: "floor", also: []string{"Math.floor"}, on: numbers, result: "self", ast: sqlast.Floor, form: formNumber},
	{name: "ceil", also: []string{"Math.ceil"}, on: numbers, result: "self", ast: sqlast.Ceil, form: formNumber},
	{name: "toText", also: []string{"String", "toISOString"}, on: written, result: "text", form: formToText},

	{name: "year", also: []string{"getFullYear", "getUTCFullYear"}, on: days, result: "int", ast: sqlast.Year, doc: "in UTC, like all parts"},
	{name: "month", on: days, result: "int", ast: sqlast.Month, doc: "from 1"},
	{name: "getMonth", also: []string{"getUTCMonth"}, on: days, result: "int", ast: sqlast.Month0, doc: "from 0"},
	{name: "day", also: []string{"getDate", "getUTCDate"}, on: days, result: "int", ast: sqlast.Day},
	{name: "weekday", also: []string{"getDay", "getUTCDay"}, on: days, result: "int", ast: sqlast.Weekday, doc: "Sunday is 0"},
	{name: "hour", also: []string{"getHours", "getUTCHours"}, on: times, result: "int", ast: sqlast.Hour},
	{name: "minute", also: []string{"getMinutes", "getUTCMinutes"}, on: times, result: "int", ast: sqlast.Minute},
	{name: "second", also: []string{"getSeconds", "getUTCSeconds"}, on: times, result: "int", ast: sqlast.Second},
	{name: "getTime", on: times, result: "int", ast: sqlast.EpochMillis, doc: "milliseconds since 1970"},

	{name: "has", also: []string{"includes"}, on: lists, params: []string{"item"}, ast: sqlast.Has, form: formHas, doc: "one of its elements is the value"},
	{name: "length", on: lists, result: "int", ast: sqlast.Elements, field: true},

	{name: "asc", on: equal, result: "order", form: formOrder, doc: "null first"},
	{name: "desc", on: equal, result: "order", form: formOrder, doc: "null last"},
}

var one = []string{"value"}

// operatorOn finds the operators by the interface that has them.
var operatorOn = sync.OnceValue(func() map[string]map[string]*operator {
	m := map[string]map[string]*operator{}
	for i := range operators {
		for _, on := range operators[i].on {
			if m[on] == nil {
				m[on] = map[string]*operator{}
			}
			m[on][operators[i].name] = &operators[i]
		}
	}
	return m
})

// operatorByName finds what the typed API and programs alike call by one name on
// whatever column.
var operatorByName = sync.OnceValue(func() map[string]*operator {
	m := map[string]*operator{}
	for i := range operators {
		if m[operators[i].name] == nil {
			m[operators[i].name] = &operators[i]
		}
	}
	return m
})

// columnInterfaces are the interfaces of column expressions, by scalar kind.
var columnInterfaces = map[string]string{
	exo.TypeInt: "Int", exo.TypeFloat: "Float", exo.TypeDecimal: "Decimal", exo.TypeText: "Text", exo.TypeBool: "Bool", exo.TypeTime: "Time",
	exo.TypeDate: "Day", exo.TypeInterval: "Interval", exo.TypeUUID: "Uuid", exo.TypeBytes: "Bytes", exo.TypeJSON: "Json", exo.TypeList: "Elements",
}

// scalarInterfaces are those of values that operators can give.
var scalarInterfaces = func() map[string]string {
	m := map[string]string{}
	for kind, name := range columnInterfaces {
		if slices.Contains(equal, name) {
			m[kind] = name
		}
	}
	return m
}()
