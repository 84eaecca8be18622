package message

// This file has the vocabulary of declarations: types, terms, parameters, methods and interfaces.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
)

// Type is the type of a value or an expression. It is plain data, so that a catalogue crosses to a
// worker as it is. A scalar's Name is one of the Type constants; "list" has Args["of"]; "record"
// has Fields. Any other Name is an Interface in the catalogue, with its type arguments in Args; if
// a term with Own made the type, Fields has its own fields.
type Type struct {
	Name   string
	Args   map[string]*Type
	Fields []TypeField
	Null   bool     // null is admitted
	Enum   []string // text: its only values

	// Min and Max are for int: the least and the largest value; both 0: any value.
	Min, Max int64

	// Label is the label of what an expression of this type shows. Only the checker sets it, for a
	// node; a declaration with a Label is refused. It is not encoded, and comparisons ignore it.
	Label value.Label
}

// TypeField is one field of a record type.
type TypeField struct {
	Name string
	Type *Type
	Opt  bool // of an argument: may be left out
	Doc  string

	// Needed is for an argument, with Opt: the object refuses most calls without the field. Descriptions show
	// the field as required, and the check of a message still takes a call without it.
	Needed bool

	// Trusted is for an argument: a run that has read a value labelled [value.Untrusted] can't give this field.
	Trusted bool
	// Label has two uses. In a result, programs are shown the field sealed, like a labelled column. In an argument, a
	// program that gives the field has read the label, since the outcome reveals it. See [value.Label].
	Label value.Label
	// Admits is for an argument of a method with the effect InUnit: the labels that may be written to the
	// field. A message may carry the labels that all its fields admit, in addition to Method.Admits.
	Admits value.Label
}

// undescribed reports whether a name in a type stands for no interface.
func undescribed(name string) bool {
	return value.IsScalar(name) || name == value.TypeList || name == value.TypeRecord || name == value.TypeSelection || name == value.TypeKeys || name == value.TypeRow || name == value.TypeRows
}

// Field finds a record type's field.
func (t *Type) Field(name string) *Type {
	for i := range t.Fields {
		if t.Fields[i].Name == name {
			return t.Fields[i].Type
		}
	}
	return nil
}

// typeWords names types in errors.
var typeWords = map[string]string{
	value.TypeBool: "true or false", value.TypeInt: "a whole number", value.TypeFloat: "a number", value.TypeNumber: "a number", value.TypeText: "text",
	value.TypeTime: "a date (a Date, or text like '2024-01-31T12:00:00Z')", value.TypeDate: "a day (text like '2024-01-31', or a Date)",
	value.TypeDecimal: "a decimal number (a number, or text like '12.50')", value.TypeInterval: "a length of time (text like 'P1DT2H30M')",
	value.TypeUUID: "a UUID (text like '123e4567-e89b-12d3-a456-426614174000')", value.TypeBytes: "bytes (base64 text)",
	value.TypeJSON: "plain data", value.TypeData: "plain data",
}

// String writes the type as messages show it.
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

// Term is a type with holes. A method's result is a term over the receiver's
// type arguments and over what was passed; it is plain data, so the recorder
// and the gate compute the same types from the same catalogue.
type Term struct {
	Var  string           // "self", "ns", "item.ns"; "ns.*" is the type of the only field of ns
	Con  *Type            // closed
	Ext  []*Term          // disjoint union of records; no name can be there twice
	App  string           // an interface or "list", applied to Args
	Args map[string]*Term // by the names of its type parameters
	Null bool             // or null
	Bare bool             // without null, and without the list of its only values
	Key  string           // the record of one field: its name is the static parameter Key, its type is Of
	Name string           // the record of one field of this name; its type is Of
	Of   *Term            // the type of the field Key or Name
	Own  *Term            // of App: the record of expressions whose fields the type has, in addition to those of its interface

	// Wide is the expression of the least type that holds all of these expressions or values. Whole
	// numbers fit in floats, and floats in decimals; nothing else mixes. It is null if one of them
	// is. To names the interface of expressions for each type; nil: the type of the value itself.
	// With Own, To is for fields that are plain values.
	Wide []*Term
	To   map[string]string
}

// Param is one parameter of a method.
type Param struct {
	Name   string
	Want   *Term // what the argument, or the callback's result, must be
	Lambda *Term // not nil: a callback that is given this record, called once, at once
	Plain  bool  // with Lambda: the argument may also be given without a callback
	Filter bool  // with Lambda: a plain object {field: value} stands for "each field equals"
	Many   bool  // one Want, or a list of them
	Null   bool  // null is admitted, too
	Opt    bool  // may be left out
	Count  bool  // of int: not negative
	Fixed  bool  // of an operator: a value of the program's, no expression
	Static bool  // the literal belongs to the shape of the message, not to its arguments
	Ident  bool  // with Static: text that can be a name in the program
	Bind   string
}

// Method is an operation on an object.
type Method struct {
	Name   string
	Doc    string
	Params []Param
	Result *Term
	Sends  bool        // a call sends the message; without Sends it only describes
	Row    bool        // the call depends on every column of a result row, so the labels of all of them join
	Sink   bool        // the message leaves the host by it, so it must admit the label of the run
	Label  value.Label // what a call adds to the label of the message: a link reads the columns of its keys

	// Total is for a method of an expression that gives another expression. It has a value, or null, for every receiver
	// and all arguments, and takes no more room than their declarations say. So a selection with it shows what they
	// show, and reads nothing of them. Only the object that owns the expression may set Total, no policy.
	Total bool

	// Nested is the result within a callback: an expression. Nothing is sent there. A method with
	// Nested that does not send exists only inside callbacks.
	Nested *Term

	// Trusted is for a method that sends: a run that has read a value labelled [value.Untrusted] can't call it, whatever the arguments.
	Trusted bool

	// Fresh: the reply is what the message added. The program alone wrote it, so only the integrity tags of
	// Reply join the run's label. Only the object may set Fresh, for what it adds, no policy.
	Fresh bool

	// Measure: the method gives one value for all rows of its receiver, so whatever is made of such rows has the method, too: see Interface.Many.
	Measure bool

	// Whole: the value has no fraction, so it can be written where a whole number is wanted, whatever its type.
	Whole bool

	// Effect says whether it changes something, and when.
	Effect EffectMode
	// Reply is the most that the reply may carry in addition to the label of the message: its
	// values, whether there is a reply, and its error. It joins the run's label before the message
	// acts. A reply that carries more is an internal error.
	Reply  value.Label
	Truth  string      // for a link to at most one row, or the first of many: the method of its result that says whether the row is there; `!task.assignee` calls it
	Admits value.Label // with Sink or Effect: the labels that may leave this way; zero: public only

	// Declassifies are the secrecy tags of which the method reveals a little. Sealed values with no other tags are opened for the
	// object, and the run does not get these tags. The result is one of few values, see Bits, and each call takes its bits from
	// Config.Bits. Such a method sends, is a sink, has no effect, and gives a closed type or null: see [exo.BitBudget].
	Declassifies value.Label
}

// Property is one field of an interface.
type Property struct {
	Type  *Type
	Doc   string
	Label value.Label // what reading it adds to the label of the message
}

// Interface says what can be done with the objects of one kind. Nothing else can.
type Interface struct {
	Name    string
	Doc     string
	Is      []string             // broader kinds that it can stand for
	Expr    bool                 // stands for a value of its type argument "of"
	Fields  map[string]*Property // by name
	Methods map[string]*Method   // by every name they answer to; Method.Name is the canonical one
	Order   []string             // the names of Fields and Methods in the order in which they were declared
	Await   string               // the method that `await x` and returning x stand for, or ""
	Call    string               // of a granted object: the method that calling it, x(…), stands for; it has no other members then
	Label   value.Label          // the label of the existence and number of such objects: it joins the label of every message that mentions one. Not for an Expr
	LabelBy map[string][]string  // for each tag of Label: where it comes from, if not from the declaration itself. It is for people
	Many    string               // of one row: the interface of many such rows, with measures that groups and joins of them have, see Catalog.Method; "": there are none
	Keys    string               // x.key stands for x.method("key") if no member of the name key is declared: Keys names that method. "": such a member is an error
	Words   []Words              // what errors about it say, the most important first
}

// is reports whether i can stand for the kind named name.
func (i *Interface) is(name string) bool {
	if i.Name == name {
		return true
	}
	for _, k := range i.Is {
		if k == name {
			return true
		}
	}
	return false
}

// Names lists what can follow a dot: fields and canonical method names, as declared or else sorted.
func (i *Interface) Names() []string {
	if len(i.Order) > 0 {
		return i.Order
	}
	var ns []string
	for n := range i.Fields {
		ns = append(ns, n)
	}
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
