package language

import (
	"slices"
	"strings"
	"sync"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// Operator is one row of the table that the typed API, the programs' interfaces and the compiler share:
// nothing else can be expressed.
//
// Every operator is total: it has a value, or NULL, for all operands. An operator that could fail would
// fail for any row that the engine happens to read, even out of scope, and so reveal that row. For
// operators marked total the compiler also knows the largest size of the result, so that results of
// labelled columns can be sealed. Arithmetic (bounded by digits), patterns and conditions are not marked.
type Operator struct {
	Name     string    // Name is the canonical name
	also     []string  // also are other names that programs may use, including JavaScript's own
	sure     bool      // sure: a condition of JavaScript, which is false and not unknown if an operand is null
	on       []string  // on are the column interfaces that have the operator
	params   []string  // params are the kinds of the parameters: see paramOf
	result   string    // result is the kind of the result: see resultTerm; "" means a condition
	Null     bool      // Null: an argument may be null
	Ast      sqlast.Op // Ast is the operator in SQL; sqlast.Not for a pattern means a negated like
	IfNull   sqlast.Op // IfNull is the operator in SQL if the argument is a literal null
	Form     form      // Form is how the operator is compiled
	field    bool      // field: read without a call, like a field
	unlisted bool      // unlisted: only JavaScript's syntax uses it
	whole    bool      // whole: the result has no fraction
	total    bool      // total: programs may get the result for a labelled column, sealed, without reading the column (see message.Method)
	doc      string
}

// form is a way to compile an operator. The comments of its values list the operands.
type form uint8

const (
	formPlain      form = iota // operands in the form in which they are compared
	FormCompare                // two or more operands of one type
	FormOrdered                // two or more operands of one type, compared by order
	FormList                   // a value and a list
	FormNumber                 // exact numbers give an exact number
	FormReversed               // like FormNumber, with the operands exchanged
	FormText                   // operands as text
	FormPattern                // a text and a pattern
	FormFolded                 // a text and a pattern, without regard to case
	FormSame                   // operands of one type give a value of that type
	FormSlice                  // a text and positions in it
	FormToText                 // a value as the text that results show
	FormOrder                  // a term of an order, which is no value
	FormHas                    // an array and an element
	FormPart                   // a part of a time or a day, in local time
	FormUTC                    // a part of a time or a day, in UTC
	FormTruncate               // a time or a day, and a unit
	FormPlus                   // a time or a day, a whole number, and a unit
	FormElapsed                // two times give milliseconds
	FormDays                   // two times or days give days
	FormKey                    // a JSON value and the name of a key
	FormJSON                   // JSON, converted to the value that it contains
	FormJSONHas                // a JSON value, and a value that may be an element or a part of the first
	FormJSONLength             // the number of a JSON array's elements or of a JSON text's characters, else null
	FormJSONToText             // a JSON text, number or truth value as text, else null
	FormWhole                  // JSON or an array, compared with plain data
)

// These lists group the interfaces of column expressions by what their values can do.
var (
	anyColumn = []string{"Int", "Float", "Decimal", "Text", "Bool", "Time", "Day", "Interval", "Uuid", "Bytes", "Json", "Elements"}
	equal     = anyColumn[:10] // equal has all but Json and Elements
	ordered   = []string{"Int", "Float", "Decimal", "Text", "Time", "Day", "Interval"}
	numbers   = []string{"Int", "Float", "Decimal"}
	written   = []string{"Int", "Float", "Decimal", "Text", "Bool", "Time", "Day", "Uuid"}
	texts     = []string{"Text"}
	truths    = []string{"Bool"}
	times     = []string{"Time"}
	days      = []string{"Time", "Day"}
	lists     = []string{"Elements"}
	jsons     = []string{"Json"}

	// JSON is compared with another value in that value's type.
	matched = append(slices.Clip(equal), jsons...)
	ranged  = append(slices.Clip(ordered), jsons...)
)

// operators is the table of all operators. Names in `also` that are operators of JavaScript are the
// evaluator's names for them in callbacks: === treats null as a value, as in JavaScript.
var operators = []Operator{
	{Name: "eq", also: []string{"="}, on: matched, params: one, Null: true, Ast: sqlast.Eq, IfNull: sqlast.IsNull, Form: FormCompare, doc: "equal; eq(null) is isNull()"},
	{Name: "ne", also: []string{"<>", "!="}, on: matched, params: one, Null: true, Ast: sqlast.Ne, IfNull: sqlast.IsNotNull, Form: FormCompare, doc: "not equal, and not null"},
	{Name: "lt", also: []string{"<"}, on: ranged, params: one, Ast: sqlast.Lt, Form: FormOrdered},
	{Name: "le", also: []string{"<="}, on: ranged, params: one, Ast: sqlast.Le, Form: FormOrdered},
	{Name: "gt", also: []string{">"}, on: ranged, params: one, Ast: sqlast.Gt, Form: FormOrdered},
	{Name: "ge", also: []string{">="}, on: ranged, params: one, Ast: sqlast.Ge, Form: FormOrdered},
	{Name: "between", on: ranged, params: []string{"value", "high"}, Form: FormOrdered, doc: "both ends included"},
	{Name: "is", also: []string{"==="}, on: matched, params: one, Null: true, Ast: sqlast.Is, IfNull: sqlast.IsNull, Form: FormCompare, doc: "equal, and null is equal to null"},
	{Name: "isNot", also: []string{"!=="}, on: matched, params: one, Null: true, Ast: sqlast.IsNot, IfNull: sqlast.IsNotNull, Form: FormCompare, doc: "the opposite of is"},
	{Name: "in", also: []string{IsOneOf}, on: matched, params: []string{"list"}, Form: FormList},
	{Name: "notIn", on: matched, params: []string{"list"}, Form: FormList, doc: "equal to none of a list, and not null"},
	{Name: "isNull", total: true, on: anyColumn, Ast: sqlast.IsNull},
	{Name: "isNotNull", total: true, on: anyColumn, Ast: sqlast.IsNotNull},
	{Name: "coalesce", total: true, also: []string{"??"}, on: equal, params: []string{"bare"}, result: "coalesced", Ast: sqlast.Coalesce, Form: FormSame, doc: "the value where this is null"},
	{Name: "nullIf", on: equal, params: []string{"bare"}, result: "nullable", Ast: sqlast.NullIf, Form: FormSame},

	{Name: "and", also: []string{"&&"}, on: truths, params: []string{"condition"}, Ast: sqlast.And},
	{Name: "or", also: []string{"||"}, on: truths, params: []string{"condition"}, Ast: sqlast.Or},
	{Name: "not", also: []string{Negation}, on: truths, Ast: sqlast.Not},
	{Name: "case", also: []string{"?:"}, on: truths, params: []string{"then", "else"}, result: "case", Null: true, Ast: sqlast.Case, Form: FormSame, doc: "one value where it holds, the other elsewhere"},

	{Name: "includes", sure: true, on: texts, params: []string{"bare"}, Ast: sqlast.Includes, Form: FormText, doc: "contains; case counts"},
	{Name: "startsWith", sure: true, on: texts, params: []string{"bare"}, Ast: sqlast.StartsWith, Form: FormText},
	{Name: "endsWith", sure: true, on: texts, params: []string{"bare"}, Ast: sqlast.EndsWith, Form: FormText},
	{Name: "like", also: []string{"LIKE"}, on: texts, params: []string{"pattern"}, Ast: sqlast.Like, Form: FormPattern, doc: "% any text, _ one character, \\ escapes"},
	{Name: "notLike", also: []string{"NOT LIKE"}, on: texts, params: []string{"pattern"}, Ast: sqlast.Not, Form: FormPattern},
	{Name: "ilike", also: []string{"ILIKE"}, on: texts, params: []string{"pattern"}, Ast: sqlast.Like, Form: FormFolded, doc: "whatever the case"},
	{Name: "notIlike", also: []string{"NOT ILIKE"}, on: texts, params: []string{"pattern"}, Ast: sqlast.Not, Form: FormFolded},
	{Name: "lower", total: true, also: []string{"toLowerCase", "toLocaleLowerCase"}, on: texts, result: "text", Ast: sqlast.Lower, Form: FormText},
	{Name: "upper", total: true, also: []string{"toUpperCase", "toLocaleUpperCase"}, on: texts, result: "text", Ast: sqlast.Upper, Form: FormText},
	{Name: "trim", total: true, on: texts, result: "text", Ast: sqlast.Trim, Form: FormText},
	{Name: "length", on: texts, result: "int", Ast: sqlast.Length, Form: FormText, field: true, doc: "in characters"},
	{Name: "slice", on: texts, params: []string{"start", "end"}, result: "text", Ast: sqlast.Substr, Form: FormSlice, doc: "positions in characters, none negative"},
	{Name: "substring", unlisted: true, on: texts, params: []string{"start", "end"}, result: "text", Ast: sqlast.Substr, Form: FormSlice},
	{Name: "substr", unlisted: true, on: texts, params: []string{"start", "length"}, result: "text", Ast: sqlast.Substr, Form: FormSlice},
	{Name: "concat", total: true, also: []string{"+"}, on: texts, params: []string{"part", "more", "more", "more", "more", "more", "more", "more"}, result: "text", Ast: sqlast.Concat, Form: FormText, doc: "null if a part is null"},
	{Name: "prepend", total: true, unlisted: true, on: texts, params: []string{"part"}, result: "text", Ast: sqlast.Concat, Form: FormText},

	{Name: "add", also: []string{"+"}, on: numbers, params: one, result: "wide", Ast: sqlast.Plus, Form: FormNumber},
	{Name: "sub", also: []string{"-"}, on: numbers, params: one, result: "wide", Ast: sqlast.Minus, Form: FormNumber},
	{Name: "rsub", unlisted: true, on: numbers, params: one, result: "wide", Ast: sqlast.Minus, Form: FormReversed},
	{Name: "mul", also: []string{"*"}, on: numbers, params: one, result: "wide", Ast: sqlast.Times, Form: FormNumber},
	{Name: "div", also: []string{"/"}, on: numbers, params: one, result: "quotient", Ast: sqlast.Over, Form: FormNumber, doc: "with fraction; null for a division by 0"},
	{Name: "rdiv", unlisted: true, on: numbers, params: one, result: "quotient", Ast: sqlast.Over, Form: FormReversed},
	{Name: "mod", also: []string{"%"}, on: numbers, params: one, result: "remainder", Ast: sqlast.Modulo, Form: FormNumber, doc: "null for a division by 0"},
	{Name: "rmod", unlisted: true, on: numbers, params: one, result: "remainder", Ast: sqlast.Modulo, Form: FormReversed},
	{Name: "neg", unlisted: true, on: numbers, result: "self", Ast: sqlast.Negate, Form: FormNumber},
	{Name: "abs", also: []string{"Math.abs"}, on: numbers, result: "self", Ast: sqlast.Abs, Form: FormNumber},
	{Name: "round", on: numbers, params: []string{"places"}, result: "self", Ast: sqlast.Round, Form: FormNumber, doc: "halves away from 0"},
	{Name: "roundUp", whole: true, also: []string{"Math.round"}, on: numbers, result: "self", Ast: sqlast.RoundUp, Form: FormNumber, doc: "to a whole number, halves up"},
	{Name: "floor", whole: true, also: []string{"Math.floor"}, on: numbers, result: "self", Ast: sqlast.Floor, Form: FormNumber},
	{Name: "ceil", whole: true, also: []string{"Math.ceil"}, on: numbers, result: "self", Ast: sqlast.Ceil, Form: FormNumber},
	{Name: "toText", also: []string{"String", "toISOString"}, on: written, result: "text", Form: FormToText},

	{Name: "year", total: true, also: []string{"getFullYear"}, on: days, result: "int", Ast: sqlast.Year, Form: FormPart, doc: "local, like all parts"},
	{Name: "quarter", total: true, unlisted: true, on: days, result: "int", Ast: sqlast.Quarter, Form: FormPart},
	{Name: "month", total: true, on: days, result: "int", Ast: sqlast.Month, Form: FormPart, doc: "from 1"},
	{Name: "getMonth", total: true, unlisted: true, on: days, result: "int", Ast: sqlast.Month0, Form: FormPart},
	{Name: "week", total: true, unlisted: true, also: []string{"isoWeek"}, on: days, result: "int", Ast: sqlast.Week, Form: FormPart},
	{Name: "isoYear", total: true, unlisted: true, also: []string{"isoWeekYear"}, on: days, result: "int", Ast: sqlast.WeekYear, Form: FormPart},
	{Name: "day", total: true, also: []string{"getDate"}, on: days, result: "int", Ast: sqlast.Day, Form: FormPart},
	{Name: "weekday", total: true, also: []string{"getDay"}, on: days, result: "int", Ast: sqlast.Weekday, Form: FormPart, doc: "Sunday is 0"},
	{Name: "hour", total: true, also: []string{"getHours"}, on: times, result: "int", Ast: sqlast.Hour, Form: FormPart},
	{Name: "minute", total: true, also: []string{"getMinutes"}, on: times, result: "int", Ast: sqlast.Minute, Form: FormPart},
	{Name: "second", total: true, also: []string{"getSeconds"}, on: times, result: "int", Ast: sqlast.Second, Form: FormPart},
	{Name: "getUTCFullYear", total: true, unlisted: true, on: days, result: "int", Ast: sqlast.Year, Form: FormUTC},
	{Name: "getUTCMonth", total: true, unlisted: true, on: days, result: "int", Ast: sqlast.Month0, Form: FormUTC},
	{Name: "getUTCDate", total: true, unlisted: true, on: days, result: "int", Ast: sqlast.Day, Form: FormUTC},
	{Name: "getUTCDay", total: true, unlisted: true, on: days, result: "int", Ast: sqlast.Weekday, Form: FormUTC},
	{Name: "getUTCHours", total: true, unlisted: true, on: times, result: "int", Ast: sqlast.Hour, Form: FormUTC},
	{Name: "getUTCMinutes", total: true, unlisted: true, on: times, result: "int", Ast: sqlast.Minute, Form: FormUTC},
	{Name: "getUTCSeconds", total: true, unlisted: true, on: times, result: "int", Ast: sqlast.Second, Form: FormUTC},
	{Name: "truncate", also: []string{"startOf"}, on: days, params: []string{"unit"}, result: "day", Form: FormTruncate, doc: "the first day; of a week, Monday"},
	{Name: "plus", unlisted: true, on: days, params: []string{"number", "unit"}, result: "day", Form: FormPlus},
	{Name: "daysSince", unlisted: true, on: days, params: one, result: "int", Form: FormDays},
	{Name: "getTime", unlisted: true, on: times, result: "int", Ast: sqlast.EpochMillis, Form: FormUTC},
	{Name: "asMilliseconds", unlisted: true, on: []string{"Interval"}, result: "int", Ast: sqlast.IntervalMillis, Form: FormUTC},
	{Name: "sub", unlisted: true, also: []string{"-"}, on: times, params: one, result: "int", Form: FormElapsed},
	{Name: "rsub", unlisted: true, on: times, params: one, result: "int", Form: FormElapsed},

	{Name: "has", on: lists, params: []string{"item"}, Ast: sqlast.Has, Form: FormHas, doc: "one of its elements is the value"},
	{Name: "includes", sure: true, unlisted: true, on: lists, params: []string{"item"}, Ast: sqlast.Has, Form: FormHas},
	{Name: "length", on: lists, result: "int", Ast: sqlast.Elements, field: true},

	{Name: "has", unlisted: true, on: jsons, params: []string{"element"}, Form: FormJSONHas},
	{Name: "includes", sure: true, also: []string{"contains"}, on: jsons, params: []string{"element"}, Form: FormJSONHas, doc: "an element of an array, or a part of a text; false for anything else"},
	{Name: "length", unlisted: true, on: jsons, result: "int", Form: FormJSONLength, field: true},
	{Name: "toText", unlisted: true, also: []string{"String"}, on: jsons, result: "textNull", Form: FormJSONToText},
	{Name: GetKey, unlisted: true, on: jsons, params: []string{"key"}, result: "json", Form: FormKey},
	{Name: "asText", on: jsons, result: "textNull", Ast: sqlast.JSONText, Form: FormJSON, doc: "of a text; null for anything else"},
	{Name: "asNumber", on: jsons, result: "float", Ast: sqlast.JSONNumber, Form: FormJSON},
	{Name: "asBool", on: jsons, result: "boolNull", Ast: sqlast.JSONBool, Form: FormJSON},

	// IfUnchanged compares JSON and arrays in its filter object by these operators.
	{Name: IfUnchanged, unlisted: true, on: jsons, params: []string{"whole"}, Ast: sqlast.SameJSON, Form: FormWhole},
	{Name: IfUnchanged, unlisted: true, on: lists, params: []string{"elements"}, Ast: sqlast.SameArray, Form: FormWhole},

	{Name: "asc", on: equal, result: "order", Form: FormOrder, doc: "null first"},
	{Name: "desc", on: equal, result: "order", Form: FormOrder, doc: "null last"},
}

var one = []string{"value"}

// Units are what times and days are truncated to, and what is added to days. A program names a unit
// in a literal, which is part of the message's shape: no text of a program gets into the statement.
var Units = []struct {
	Name        string
	First, Plus sqlast.Op
}{
	{"day", sqlast.DayOf, sqlast.PlusDays}, {"week", sqlast.WeekOf, sqlast.PlusWeeks}, {"month", sqlast.MonthOf, sqlast.PlusMonths},
	{"quarter", sqlast.QuarterOf, sqlast.PlusQuarters}, {"year", sqlast.YearOf, sqlast.PlusYears},
}

// These are JavaScript's names for not and in. A negation is true if its condition is false or unknown.
const (
	Negation = "!"
	IsOneOf  = "is in"
)

// GetKey is the operator for reading a key of JSON: t.data.key.
const GetKey = "getKey"

// Sure reports whether the operator, under the name in a message, is a condition of JavaScript, which is never unknown.
func (o *Operator) Sure(name string) bool {
	return o.sure || name == Negation || name == IsOneOf || o.Form == FormOrdered && name != o.Name
}

// OperatorOn returns the operators by interface, and then by their names in messages.
var OperatorOn = sync.OnceValue(func() map[string]map[string]*Operator {
	m := map[string]map[string]*Operator{}
	for i := range operators {
		for _, on := range operators[i].on {
			if m[on] == nil {
				m[on] = map[string]*Operator{}
			}
			for _, n := range append([]string{operators[i].Name}, operators[i].also...) {
				m[on][n] = &operators[i]
			}
		}
	}
	return m
})

// Shown returns an operator's name for errors: JavaScript's sign if it has one. A message has only
// this table's name, but most programs write the sign.
func Shown(name string) string {
	if op := OperatorByName()[name]; op != nil {
		for _, also := range op.also {
			if also != "=" && also != "<>" && also != "!=" && strings.ContainsAny(also[:1], "=!<>+-*/%&|?") {
				return also
			}
		}
	}
	return name
}

// OperatorByName returns the operators that have the same name in the typed API and in programs,
// for any column.
var OperatorByName = sync.OnceValue(func() map[string]*Operator {
	m := map[string]*Operator{}
	for i := range operators {
		if m[operators[i].Name] == nil {
			m[operators[i].Name] = &operators[i]
		}
	}
	return m
})

// ColumnInterfaces are the interfaces of column expressions, by scalar kind.
var ColumnInterfaces = map[string]string{
	value.TypeInt: "Int", value.TypeFloat: "Float", value.TypeDecimal: "Decimal", value.TypeText: "Text", value.TypeBool: "Bool", value.TypeTime: "Time",
	value.TypeDate: "Day", value.TypeInterval: "Interval", value.TypeUUID: "Uuid", value.TypeBytes: "Bytes", value.TypeJSON: "Json", value.TypeList: "Elements",
}

// scalarInterfaces are the interfaces of values that operators can return, by kind.
var scalarInterfaces = func() map[string]string {
	m := map[string]string{}
	for kind, name := range ColumnInterfaces {
		if slices.Contains(equal, name) {
			m[kind] = name
		}
	}
	return m
}()
