package message

// This file has the phrases by which errors speak of an interface in the words of its declaration.

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Phrase is a part of an error about the objects of an interface, in the words of its declaration:
// what to write instead of an unknown name, or what a refused operation means for these objects.
// exo and its evaluators have only sentences that fit any interface. They use such a sentence if
// there is no phrase.
//
// Text has {name} for a part of the error; the variable situations lists the parts.
type Phrase struct {
	// On lists the situations of the phrase, separated by spaces:
	//
	//	.sum         the program used an unknown member of this name; ".*": if no other phrase fits an unknown member
	//	in.sum       the same within a callback, for a method that is sent outside of callbacks
	//	keyed.year   the default name of a group that is made by this method: Text is a name, "." for the name of
	//	             the method's receiver, "=" for the text of its argument
	//	result.sum   the same as .sum, for plain data that a call gave, or that was read from it
	//	eq()         the program called an unknown function of this name
	//	word:like    the program used this word where JavaScript has none
	//	begin:SELECT the program begins with this word, and is no JavaScript
	//	op:!         this operator is not available
	//	call:Number  this function of JavaScript can't be called with such an expression
	//	as.take      the program used an unknown member that is a synonym: Text lists the methods that it
	//	             stands for, the first with the arguments. "orderBy/desc": with the operator desc on
	//	             the argument; "where/in": with the operator in between a field's name and the rest;
	//	             "(where limit) first": an object may give these methods' arguments under their names;
	//	             "groupBy>where": only after a call of groupBy; "=where": a callback is an argument only
	//	             before the program chose what is shown. as.find(): the same, given a callback
	//	unsent       any of the situations below
	On string
	// Needs lists members of the interface. Without them the phrase is not used, so that no phrase
	// names what a policy removed. "*.select" is a member of any interface in the catalogue.
	Needs string
	Text  string
}

// Words are phrases, the most important first. They are kept as one text, with a line for each:
// every run of a worker gets them, and few runs need one.
type Words struct{ Lines string }

// NewWords makes Words of phrases. It panics if a phrase has a tab or a line break.
func NewWords(ps ...Phrase) Words {
	var b strings.Builder
	for _, p := range ps {
		if strings.ContainsAny(p.On+p.Needs+p.Text, "\t\n") {
			panic(fmt.Sprintf("exo: the phrase %q holds a tab or a line break", p.Text))
		}
		b.WriteString(p.On + "\t" + p.Needs + "\t" + p.Text + "\n")
	}
	return Words{b.String()}
}

// All yields the phrases.
func (w Words) All() iter.Seq[Phrase] {
	return func(yield func(Phrase) bool) {
		for line := range strings.Lines(w.Lines) {
			on, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			needs, text, _ := strings.Cut(rest, "\t")
			if !yield(Phrase{on, needs, text}) {
				return
			}
		}
	}
}

// situations lists the errors that have phrases, in addition to those for names, and for each the
// parts that its text may have.
var situations = map[string][]string{
	// Nouns.
	"member":    nil, // what the members of a described thing are called: "column"
	"path":      nil, // how a program writes one: "table.column"
	"all":       nil, // all that a description has: "the query"
	"whole":     nil, // what has no value: "a whole table or query"
	"describes": nil, // "only describes a query"

	// A described thing is used as something else.
	"condition":      {"it"},                     // a condition is used as a value
	"asked":          {"of"},                     // the same outside of any callback, on something that was not sent
	"value":          {"it", "name"},             // another expression is used as a value
	"record":         {"it"},                     // a whole record is used as a value
	"unsent":         {"it", "chain", "await"},   // chain is the program's own text of it, or … if that is too long
	"unsent.in":      {"it", "part"},             // the same, within a callback
	"called":         {"it", "link"},             // the program calls a granted thing that is no function
	"linked.to":      {"it", "args"},             // a link is given arguments
	"early":          {"name", "chain", "await"}, // a member of arrays is used on something that was not sent
	"early.in":       {"it", "name", "part"},     // the same, within a callback
	"already":        {"it"},                     // a JavaScript function converts a value to the type that it already has
	"absent":         {"it", "link"},             // a record of which all fields may be missing is compared with nothing
	"again":          nil,                        // a result that holds something unsent whenever it is read
	"many":           {"it"},                     // a link to many rows is used as a condition
	"links":          {"it", "link"},             // a part of the error for an unknown name: where else to look
	"uncalled":       {"it"},                     // a member that is named and not called
	"uncalled.link":  {"it"},                     // the same of a link
	"uncalled.shown": {"it", "name"},             // the same, where what is shown has that name too
	"inside":         {"name", "part"},           // a member of the records is used on something that was not sent, within a callback
	"outside":        {"name"},                   // the same, elsewhere
	"template":       {"it"},
	"day.time":       nil,    // a method of a day is given a time, or the reverse; the phrase is appended to the error
	"time.number":    {"it"}, // a method of a time is given a number; the phrase is appended to the error
	"mixed":          {"it"}, // `??` is given a value of another type; the phrase is appended to the error
	"typeof":         nil,
	"decimal":        {"it", "by"},

	// A call is wrong.
	"shown":            {"name"}, // a synonym of a method of arrays, called after a call that chose what is shown
	"direction":        {"it"},   // the argument after an expression is no direction
	"operator":         {"name", "part"},
	"grouped":          nil,              // an aggregate is asked of what was grouped by names: of each, or of all?
	"sent":             nil,              // something is added to what sends
	"nested":           nil,              // the method sends, within a callback
	"callback":         nil,              // the method is given a callback, and takes none
	"number":           nil,              // the method takes one number, and is given more
	"options":          nil,              // an object is given to what takes a number, and then another value
	"arguments":        nil,              // the method sends, takes no argument, and is given some
	"unsuited":         {"it", "member"}, // an expression of this type is given, where one of another is wanted
	"argument":         nil,              // an expression, where only a value is allowed
	"negative":         nil,              // a negative number, where a count is wanted
	"parameter":        {"example"},
	"list":             nil, // an expression within a list that is searched; a part of "oneof" there
	"oneof":            {"list"},
	"filter.link":      {"name"},
	"filter.names":     {"name"},
	"read.none":        nil, // a callback returned a plain value and read nothing
	"clash":            {"name"},
	"one":              {"has"}, // it works on one table, and there are several
	"which":            {"name"},
	"which.member":     {"part", "name"},
	"within":           {"name"},                   // an unknown member is a member of a part of the thing
	"within.all":       {"name", "keys", "method"}, // the same, where one value of all is asked
	"measured":         {"name", "key"},            // a measure is asked where it can't be
	"measured.is":      {"name", "key", "is"},      // the same, in an object of conditions
	"elsewhere":        nil,                        // an unknown member may belong to something that is not part of the description yet
	"parts":            nil,                        // the same, if all parts of the thing are known
	"link.part":        {"link", "name"},
	"link":             {"link", "part"},
	"example":          {"name", "names"},
	"sample":           nil,
	"selection":        {"param", "sample", "got"},
	"keys":             {"param", "sample", "got"}, // of a method that groups
	"listed":           {"param", "got"},           // something that was not sent is used as a list
	"fraction":         nil,                        // a calculated number is given where a whole one is wanted
	"alike":            {"param", "want", "got"},   // a thing of the right kind, which shows something else
	"keys.are":         {"keys"},                   // the fields of its own that a thing has
	"keys.only":        {"keys"},                   // an unknown member of a thing that has fields of its own
	"taken":            {"name"},                   // a field of its own hides a member
	"unselectable":     {"name", "part"},
	"unselectable.one": {"name", "it", "member"}, // a link to one row, in a callback

	// A limit, or a rule of the run.
	"limit.read":   {"most"},
	"limit.bytes":  {"most"},
	"limit.result": nil,
	"limit.time":   nil,
	"limit.memory": nil,
	"withheld":     nil,
	"infinite":     {"it"}, // an argument that is not finite
	"text":         nil,    // an argument with half a character
	"second.store": nil,

	"result": {"instead"}, // an array, for what has more members
	"linked": {"name"},    // plain data, for what has links

	// Something is changed. "read.name", "changed.name", "given.name", "nothing.name" and "api.name" are the same for one name.
	"read":          nil,                // plain data that was read has no such method
	"changed":       {"method"},         // something is added after what changes something
	"given":         nil,                // a value for a field is an object, and none was wanted
	"fixed":         {"name"},           // an assignment to data that was read
	"found.nothing": {"it"},             // a member is used on the result of a call that found nothing
	"assigned":      {"name", "method"}, // an assignment in the callback of what changes something
	"nothing":       nil,                // a change replied 0; behind what the program called
	"changes":       nil,                // a member of the number of what was changed
}

// Check returns an error if a phrase names an unknown situation, or a part that no error of its
// situation has.
func (p Phrase) Check() error {
	for s := range strings.FieldsSeq(p.On) {
		parts, known := situations[s]
		before, _, named := strings.Cut(s, ".")
		switch {
		case known:
		case named && before == "unconditional": // a method of this name wants a condition, and has none
			parts = []string{"it"}
		case named && before == "options": // an object is given to a method of this name, which wants a callback
		case named && before == "result":
			parts = nil
		case named && (before == "read" || before == "changed" || before == "api" || before == "given" || before == "nothing"):
			parts = situations[before]
		case named && (before == "as" || before == "keyed"):
			continue // Text is no sentence
		case named && (before == "" || before == "in"):
			parts = []string{"it", "part", "links"}
		case strings.HasPrefix(s, "op:"):
			parts = []string{"it", "op"}
		case strings.HasSuffix(s, "()"), strings.HasPrefix(s, "word:"), strings.HasPrefix(s, "begin:"), strings.HasPrefix(s, "call:"):
		default:
			return fmt.Errorf("exo: %q is no situation of an error", s)
		}
		for _, rest := range strings.Split(p.Text, "{")[1:] {
			part, _, closed := strings.Cut(rest, "}")
			if closed && part != "" && !strings.ContainsAny(part, " .{") && !slices.Contains(parts, part) {
				return fmt.Errorf("exo: the phrase of %q has the part {%s}; its parts are %q", s, part, parts)
			}
		}
	}
	return nil
}

// Say returns the text of an error in a situation of Phrase: that of the first phrase of i, or with
// nil of any interface, if the interface has the phrase's Needs; else otherwise. parts are the
// names of parts of the error, each followed by its text.
func (c Catalog) Say(i *Interface, on, otherwise string, parts ...string) string {
	text := otherwise
	if i != nil {
		if t, ok := c.phrase(i, on); ok {
			text = t
		}
	} else {
		for _, name := range slices.Sorted(maps.Keys(c)) {
			if t, ok := c.phrase(c[name], on); ok {
				text = t
				break
			}
		}
	}
	if len(parts) == 0 {
		return text
	}
	for k := 0; k < len(parts); k += 2 {
		parts[k] = "{" + parts[k] + "}"
	}
	return strings.NewReplacer(parts...).Replace(text)
}

func (c Catalog) phrase(i *Interface, on string) (text string, ok bool) {
	for _, w := range i.Words {
		for p := range w.All() {
			if p.on(on) && c.has(i, p.Needs) {
				return p.Text, true
			}
		}
	}
	return "", false
}

func (p Phrase) on(on string) bool {
	for s := range strings.FieldsSeq(p.On) {
		if s == on || s == ".*" && strings.HasPrefix(on, ".") {
			return true
		}
	}
	return false
}

// has reports whether i has all of the members that needs lists.
func (c Catalog) has(i *Interface, needs string) bool {
	for n := range strings.FieldsSeq(needs) {
		if any, ok := strings.CutPrefix(n, "*."); ok {
			if !c.anyHas(any) {
				return false
			}
		} else if !i.has(n) {
			return false
		}
	}
	return true
}

func (c Catalog) anyHas(member string) bool {
	for _, i := range c {
		if i.has(member) {
			return true
		}
	}
	return false
}

func (i *Interface) has(member string) bool {
	return i.Fields[member] != nil || i.Methods[member] != nil
}
