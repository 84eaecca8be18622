package language

import (
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// Aggregates return one value for many rows. Each is a method of a query, which it runs, and of a
// group.
const (
	Count         = "count"
	CountDistinct = "countDistinct"
	Collect       = "collect" // collect is only for groups
	Sum           = "sum"
	Avg           = "avg"
	Median        = "median"
	Min           = "min"
	Max           = "max"
)

// WhereMethod chooses the rows of a group for an aggregate.
const WhereMethod = "where"

// These interfaces are what aggregates accept. They have no members; the interfaces of columns include them.
const (
	numeric   = "Numeric"
	minMax    = "Comparable"
	countable = "Countable"
)

// comparables are the interfaces of columns with a least and a greatest value.
var comparables = []string{"Int", "Float", "Decimal", "Text", "Time", "Day"}

// Groupable lists the types that rows can be grouped by. Equal values of these types have the same text.
var Groupable = map[string]bool{value.TypeInt: true, value.TypeFloat: true, value.TypeDecimal: true, value.TypeText: true, value.TypeBool: true, value.TypeTime: true, value.TypeDate: true, value.TypeUUID: true}

// GroupInterface is the interface of a group in a callback.
const GroupInterface = "Group"

// functions are the aggregates in the order in which descriptions list them. wants is the interface that an
// aggregate accepts. The function result returns its result as an expression (to) or, if to is nil, as a value.
var functions = []struct {
	name, doc, wants string
	result           func(to map[string]string) *message.Term
}{
	{Sum, "exact; null of no values", numeric, same},
	{Avg, "", numeric, quotient},
	{Median, "", numeric, quotient},
	{Min, "", minMax, same},
	{Max, "", minMax, same},
	{CountDistinct, "null not counted", countable, func(to map[string]string) *message.Term {
		if to == nil {
			return con(value.TypeInt)
		}
		return whole
	}},
}

var whole = &message.Term{Con: &message.Type{Name: "Int", Args: map[string]*message.Type{"of": {Name: value.TypeInt}}}}

func same(to map[string]string) *message.Term {
	return &message.Term{Wide: []*message.Term{v("value")}, To: to, Null: true}
}

// quotient is the type of a result with a fraction, even for whole numbers.
func quotient(to map[string]string) *message.Term {
	return &message.Term{Wide: []*message.Term{v("value"), con(value.TypeFloat)}, To: to, Null: true}
}

// aggregate returns the method of a query, if to is nil, or of a group.
func aggregate(name string, to map[string]string) *message.Method {
	for _, a := range functions {
		if a.name == name {
			doc := a.doc
			if to != nil {
				doc = "" // only the query's method has the doc
			}
			return &message.Method{Name: name, Doc: doc, Result: a.result(to),
				Params: []message.Param{{Name: "the value", Want: con(a.wants), Lambda: v("ns"), Bind: "value"}}}
		}
	}
	return nil
}

func queryAggregate(name string) *message.Method {
	m := aggregate(name, nil)
	m.Sends, m.Nested = true, aggregate(name, scalarInterfaces).Result
	return m
}

// quantifier returns a method that tests in a callback whether rows of a link meet a condition.
func quantifier(name string) *message.Method {
	return &message.Method{Name: name, Result: boolExpr, Nested: boolExpr,
		Params: []message.Param{{Name: "the condition", Want: con("Bool"), Lambda: v("ns"), Filter: true}}}
}

// GroupBy and CountBy make groups of rows. A group has its keys as fields.
const (
	GroupBy = "groupBy"
	CountBy = "countBy"
)

func groupBy() *message.Method {
	return &message.Method{Name: GroupBy, Doc: "groups by a column or { name: column }; then .select(g => ({ name: g.name, n: g.count(), sum: g.sum(t => t.x) })), and where and orderBy of groups",
		Params: keys(), Result: groups(v("keys"))}
}

// countBy returns the method that groups rows, and selects the keys and the number of rows of each group.
func countBy() *message.Method {
	count := &message.Term{Con: &message.Type{Name: value.TypeRecord, Fields: []message.TypeField{{Name: Count, Type: whole.Con}}}}
	return &message.Method{Name: CountBy,
		Params: keys(), Result: groups(&message.Term{Ext: []*message.Term{v("keys"), count}})}
}

func keys() []message.Param {
	return []message.Param{{Name: "the keys", Want: con(value.TypeKeys), Lambda: v("ns"), Bind: "keys"}}
}

// groups returns the type of a query of groups, each of which shows a value of the type row.
func groups(row *message.Term) *message.Term {
	return app(QueryInterface, map[string]*message.Term{"row": row,
		"ns": {Name: GroupAlias, Of: &message.Term{App: GroupInterface, Args: map[string]*message.Term{"ns": v("ns"), message.ShownArg: v("row")}, Own: v("keys")}}})
}

// groupInterface returns the interface of a group in a callback, with aggregates over its rows. Its
// type argument ns is that of the grouped query.
func groupInterface() *message.Interface {
	i := &message.Interface{Name: GroupInterface, Doc: "g.where(t => t.done).count() counts some of the rows of a group", Words: groupWords(), Methods: map[string]*message.Method{}}
	add := func(m *message.Method) {
		i.Methods[m.Name] = m
		i.Order = append(i.Order, m.Name)
	}
	add(&message.Method{Name: Count, Result: whole})
	for _, a := range functions {
		add(aggregate(a.name, scalarInterfaces))
	}
	// Collect is left out of i.Order, so the model is not shown it: most programs that need lists read the rows and group them.
	i.Methods[Collect] = &message.Method{Name: Collect, Result: &message.Term{Con: &message.Type{Name: "Json", Args: map[string]*message.Type{"of": {Name: value.TypeJSON}}}},
		Params: []message.Param{{Name: "the value", Want: con(countable), Lambda: v("ns")}}}
	add(&message.Method{Name: WhereMethod, Doc: "only some of the rows of the group",
		Params: []message.Param{{Name: "the condition", Want: con("Bool"), Lambda: v("ns"), Filter: true}}, Result: v("self")})
	return i
}
