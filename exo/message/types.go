package message

// This file defines the parts of declarations: types, terms, parameters, methods and interfaces.

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
)

// Type is the type of a value or an expression. It is plain data, so that a catalogue can be sent
// to a worker. A scalar's Name is one of the Type constants; "list" has Args["of"]; "record" has
// Fields. Any other Name is an Interface in the catalogue, with its type arguments in Args. If a
// term with Own made the type, Fields has the additional fields.
type Type struct {
	Name   string
	Args   map[string]*Type
	Fields []TypeField
	Null   bool     // null is also a value of the type
	Enum   []string // for text: the only allowed values

	// Min and Max are the least and the greatest value of an int. If both are 0, any value is allowed.
	Min, Max int64

	// Label is the label of what an expression of this type shows. Only the checker sets it, for a
	// node, and a declaration that has one is refused. It is not encoded, and comparisons ignore it.
	Label value.Label
}

// TypeField is one field of a record type.
type TypeField struct {
	Name string
	Type *Type
	Opt  bool // for an argument: the field may be left out
	Doc  string

	// Needed is for an argument, with Opt: the object refuses most calls without the field. Descriptions show
	// the field as required, but the checker accepts a call without it.
	Needed bool

	// Trusted is for an argument: a run that has read a value labelled [value.Untrusted] can't give this field.
	Trusted bool
	// Label has two uses. In a result, programs see the field sealed, like a labelled column. In an argument, the label
	// joins the label of a program that gives the field, since the outcome reveals something about the host's data.
	Label value.Label
	// Admits is for an argument of a method with the effect InUnit, and has the labels that may be written
	// to the field. A message may carry the labels that all its fields admit, in addition to Method.Admits.
	Admits value.Label
}

// undescribed reports whether a name in a type names no interface.
func undescribed(name string) bool {
	return value.IsScalar(name) || name == value.TypeList || name == value.TypeRecord || name == value.TypeSelection || name == value.TypeKeys || name == value.TypeRow || name == value.TypeRows
}

// Field returns the type of a record's field, or nil.
func (t *Type) Field(name string) *Type {
	for i := range t.Fields {
		if t.Fields[i].Name == name {
			return t.Fields[i].Type
		}
	}
	return nil
}

// typeWords has the names of types in errors.
var typeWords = map[string]string{
	value.TypeBool: "true or false", value.TypeInt: "a whole number", value.TypeFloat: "a number", value.TypeNumber: "a number", value.TypeText: "text",
	value.TypeTime: "a date (a Date, or text like '2024-01-31T12:00:00Z')", value.TypeDate: "a day (text like '2024-01-31', or a Date)",
	value.TypeDecimal: "a decimal number (a number, or text like '12.50')", value.TypeInterval: "a length of time (text like 'P1DT2H30M')",
	value.TypeUUID: "a UUID (text like '123e4567-e89b-12d3-a456-426614174000')", value.TypeBytes: "bytes (base64 text)",
	value.TypeJSON: "plain data", value.TypeData: "plain data",
}

// String writes the type as error messages show it.
func (t *Type) String() string {
	if t == nil {
		return "nothing"
	}
	s := cmp.Or(typeWords[t.Name], t.Name)
	switch {
	case t.Name == value.TypeList:
		s = "a list of " + t.Args["of"].String()
	case t.Name == value.TypeRecord:
		s = "{" + fieldNames(t) + "}"
	case len(t.Enum) > 0:
		s = "one of '" + strings.Join(t.Enum, "', '") + "'"
	case t.ranged():
		s = fmt.Sprintf("a whole number from %d to %d", t.Min, t.Max)
	}
	if t.Null {
		s += " or null"
	}
	return s
}

// Term is a type with variables. A method's result is a term over the receiver's type arguments and
// the arguments of the call. It is plain data, so the recorder and the gate compute the same types
// from one catalogue.
type Term struct {
	Var  string           // a variable: "self", "ns", "item.ns"; "ns.*" is the type of the only field of ns
	Con  *Type            // a type without variables
	Ext  []*Term          // the record with the fields of all these records, which must have distinct names
	App  string           // an interface or "list", applied to Args
	Args map[string]*Term // the arguments of App, by the names of its type parameters
	Null bool             // the value may also be null
	Bare bool             // the type without null, and without Enum, Min and Max
	Key  string           // a record of one field: the static parameter Key gives its name, and Of its type
	Name string           // a record of one field of this name, with the type Of
	Of   *Term            // the type of the field Key or Name
	Own  *Term            // with App: the record of expressions that are the type's fields in addition to those of its interface

	// Wide is an expression of the narrowest type that fits all of these expressions or values.
	// Whole numbers fit in floats, and floats in decimals; no other types mix. The type admits null
	// if one of the given types does. To names the interface of expressions for each type; nil: the
	// result is the type itself. With Own, To is for fields that are plain values.
	Wide []*Term
	To   map[string]string
}

// Param is one parameter of a method.
type Param struct {
	Name   string
	Want   *Term // the type that the argument, or the callback's result, must have
	Lambda *Term // if not nil, the argument is a callback that gets this record, called once and at once
	Plain  bool  // with Lambda: the argument may also be given without a callback
	Filter bool  // with Lambda: the argument may also be an object {field: value}, which means "each field equals its value"
	Many   bool  // the argument may also be a list of Want
	Null   bool  // the argument may also be null
	Opt    bool  // the argument may be left out
	Count  bool  // for int: the argument must not be negative
	Fixed  bool  // for an operator: the argument must be a value of the program, no expression
	Static bool  // the literal belongs to the shape of the message, not to its arguments
	Ident  bool  // with Static: the text must be allowed as a name in the program
	Bind   string
}

// Method is an operation on an object.
type Method struct {
	Name, Doc string
	Params    []Param
	Result    *Term
	Sends     bool        // a call sends the message; a method without Sends only describes
	Row       bool        // the call depends on every column of a result row, so the labels of all of them join
	Sink      bool        // the message leaves the host through this method, so its Admits must admit the label of the run
	Label     value.Label // the label that a call adds to the message: a link, for example, reads the columns of its keys

	// Total is for a method that makes an expression from an expression. It gives a value or null for all receivers and
	// arguments, and its size is bounded by their declarations. So a selection with it shows what these show, without
	// reading them. Only the object that owns the expression may set Total, no policy.
	Total bool

	// Nested is the expression that the method gives within a callback, where nothing is sent. A
	// method with Nested that does not send exists only inside callbacks.
	Nested *Term

	// Trusted is for a method that sends. A run that has read a value labelled [value.Untrusted] can't call it, whatever the arguments.
	Trusted bool

	// Fresh reports that the reply is what the message added. The program alone wrote it, so only the integrity
	// tags of Reply join the run's label. Only the object may set Fresh, for what it adds, no policy.
	Fresh bool

	// Measure reports that the method gives one value for all rows of its receiver. Everything that is made from such rows has the method, too
	// (Interface.Many).
	Measure bool

	// Whole reports that the value has no fraction, so it can be used in place of a whole number, whatever its type.
	Whole bool

	// Effect reports whether the method changes something, and when.
	Effect EffectMode
	// Reply is the label that the reply may have in addition to the label of the message. It covers
	// the values, the error, and whether there is a reply. It joins the run's label before the
	// message acts. A reply that carries more is an internal error.
	Reply  value.Label
	Truth  string      // for a link to one row, or the first of many: the method of its result that reports whether the row exists. `!task.assignee` calls it
	Admits value.Label // with Sink or Effect: the labels that may leave through the method; zero: only public values

	// Declassifies has the secrecy tags that the method reveals a little about. The object gets the content of sealed values that
	// have no other tags, and the run does not get these tags. The result is one of few values (Bits), and each call takes its
	// bits from Config.Bits. Such a method sends, is a sink, has no effect, and gives a closed type or null. See [exo.BitBudget].
	Declassifies value.Label
}

// Property is one field of an interface.
type Property struct {
	Type  *Type
	Doc   string
	Label value.Label // the label that reading the field adds to the message
}

// Interface describes what can be done with the objects of one kind, and nothing else can be.
type Interface struct {
	Name, Doc string
	Is        []string             // the broader kinds that it may be used as
	Expr      bool                 // the object is an expression for a value of its type argument "of"
	Fields    map[string]*Property // the fields, by name
	Methods   map[string]*Method   // the methods, by each of their names; Method.Name is the canonical one
	Order     []string             // the names of Fields and Methods in the order in which they were declared
	Await     string               // the method that `await x` and returning x call; "": none
	Call      string               // for a granted object: the method that x(…) calls; the object then has no other members
	Label     value.Label          // the label of the existence and number of such objects, which joins the label of every message that mentions one; not for an Expr
	LabelBy   map[string][]string  // for each tag of Label, its source, if that is not the declaration itself; for people
	Many      string               // for one row: the interface of many such rows, with measures that their groups and joins also have (Catalog.Method); "": none
	Keys      string               // x.key means x.method("key") if no member named key is declared, and Keys names that method; "": such a member is an error
	Words     []Words              // the phrases that errors use about it, the most important first
}

// is reports whether i may be used as the kind called name.
func (i *Interface) is(name string) bool { return i.Name == name || slices.Contains(i.Is, name) }

// Names lists what can follow a dot: fields and canonical method names, in declared order, or else sorted.
func (i *Interface) Names() []string {
	if len(i.Order) > 0 {
		return i.Order
	}
	ns := slices.Collect(maps.Keys(i.Fields))
	for n, m := range i.Methods {
		if n == m.Name {
			ns = append(ns, n)
		}
	}
	slices.Sort(ns)
	return ns
}

// Catalog is every interface that a session's messages may mention, by name.
type Catalog map[string]*Interface
