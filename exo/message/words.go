package message

// This file has the phrases with which errors describe an interface in the words of its declaration.

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Phrase is a part of an error about the objects of an interface, in the words of its declaration.
// It explains what to write instead of an unknown name, or what a refused operation means for these
// objects. If there is no phrase, exo and its evaluators use a general sentence that fits any
// interface.
//
// In Text, {name} is replaced by that part of the error; the variable situations lists the parts.
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
	// Needs lists members of the interface. If one is missing, the phrase is not used, so that no phrase
	// names a method that a policy removed. "*.select" is a member of any interface in the catalogue.
	Needs string
	Text  string
}

// Words has phrases, the most important first, as one text with a line for each. Every run of a
// worker gets all of them, but few runs need one.
type Words struct{ Lines string }

// NewWords makes Words of phrases. It panics if a phrase has a tab or a line break.
func NewWords(ps ...Phrase) Words {
	var b strings.Builder
	for _, p := range ps {
		if strings.ContainsAny(p.On+p.Needs+p.Text, "\t\n") {
			panic(fmt.Sprintf("exo: the phrase %q has a tab or a line break: leave it out", p.Text))
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

// situations lists the errors that have phrases, in addition to those for names. For each it lists
// the parts that the phrase's text may have.
var situations = map[string][]string{
	// These phrases are nouns.
	"member":    nil, // the noun for the members of a described thing, like "column"
	"path":      nil, // how a program writes a member, like "table.column"
	"all":       nil, // everything that a description has, like "the query"
	"whole":     nil, // something that has no value, like "a whole table or query"
	"describes": nil, // how errors describe such a thing, like "only describes a query"

	// A described thing is used as something else.
	"condition":      {"it"},                     // a condition is used as a value
	"asked":          {"of"},                     // a condition is used as a value outside of any callback, on something that was not sent
	"value":          {"it", "name"},             // another expression is used as a value
	"record":         {"it"},                     // a whole record is used as a value
	"unsent":         {"it", "chain", "await"},   // something that was not sent is used; chain is the program's own text of it, or … if that is too long
	"unsent.in":      {"it", "part"},             // something that was not sent is used within a callback
	"called":         {"it", "link"},             // the program calls a granted thing that is no function
	"linked.to":      {"it", "args"},             // a link is given arguments
	"early":          {"name", "chain", "await"}, // a member of arrays is used on something that was not sent
	"early.in":       {"it", "name", "part"},     // a member of arrays is used within a callback on something that was not sent
	"already":        {"it"},                     // a JavaScript function converts a value to the type that it already has
	"absent":         {"it", "link"},             // a record that may be missing is compared with null or undefined
	"again":          nil,                        // the program returns something that gives a new unsent thing each time it is read, so that awaiting never ends
	"many":           {"it"},                     // a link to many rows is used as a condition
	"links":          {"it", "link"},             // part of the error for an unknown name that lists other places to look
	"uncalled":       {"it"},                     // a method is named and not called
	"uncalled.link":  {"it"},                     // a link is named and not called
	"uncalled.shown": {"it", "name"},             // a method is named and not called, although what is shown has a field of that name, too
	"inside":         {"name", "part"},           // a member of the records is used on something that was not sent, within a callback
	"outside":        {"name"},                   // a member of the records is used outside of a callback on something that was not sent
	"template":       {"it"},
	"day.time":       nil,    // a method of a day is given a time, or the reverse; the phrase is appended to the error
	"time.number":    {"it"}, // a method of a time is given a number; the phrase is appended to the error
	"mixed":          {"it"}, // `??` is given a value of another type; the phrase is appended to the error
	"typeof":         nil,
	"decimal":        {"it", "by"},

	// In these situations a call is wrong.
	"shown":            {"name"}, // a synonym of a method of arrays, called after a call that chose what is shown
	"direction":        {"it"},   // the argument that follows an expression is no direction of sorting
	"operator":         {"name", "part"},
	"grouped":          nil,              // an aggregate is used after grouping by names: is it for each group, or for all?
	"sent":             nil,              // the program adds a call after one that sends
	"nested":           nil,              // a method that sends is called within a callback
	"callback":         nil,              // the method is given a callback, and takes none
	"number":           nil,              // the method takes one number, and is given more
	"options":          nil,              // a method that takes a number gets an object, and then another value
	"arguments":        nil,              // the method sends, takes no argument, and is given some
	"unsuited":         {"it", "member"}, // an expression of this type is used in place of another type
	"argument":         nil,              // an expression is used where only a value is allowed
	"negative":         nil,              // a negative number is used as a count
	"parameter":        {"example"},
	"list":             nil, // a list that is searched has an expression; this phrase is part of "oneof"
	"oneof":            {"list"},
	"filter.link":      {"name"},
	"filter.names":     {"name"},
	"read.none":        nil, // a callback returned a plain value and read nothing
	"clash":            {"name"},
	"one":              {"has"}, // the method works on one table, but there are several
	"which":            {"name"},
	"which.member":     {"part", "name"},
	"within":           {"name"},                   // an unknown member is a member of a part of the thing
	"within.all":       {"name", "keys", "method"}, // an unknown member is a member of a part, and the program wants one value of all
	"measured":         {"name", "key"},            // a measure is used where it can't be
	"measured.is":      {"name", "key", "is"},      // a measure is used in an object of conditions, where it can't be
	"elsewhere":        nil,                        // an unknown member may belong to something that is not part of the description yet
	"parts":            nil,                        // an unknown member belongs to nothing, and all parts of the thing are known
	"link.part":        {"link", "name"},
	"link":             {"link", "part"},
	"example":          {"name", "names"},
	"sample":           nil,
	"selection":        {"param", "sample", "got"},
	"keys":             {"param", "sample", "got"}, // a method that groups gets wrong keys
	"listed":           {"param", "got"},           // something that was not sent is used as a list
	"fraction":         nil,                        // a calculated number is used in place of a whole one
	"alike":            {"param", "want", "got"},   // a thing has the right kind, but shows something else
	"keys.are":         {"keys"},                   // lists the additional fields of a thing
	"keys.only":        {"keys"},                   // an unknown member is used on a thing with additional fields
	"taken":            {"name"},                   // an additional field hides a member
	"unselectable":     {"name", "part"},
	"unselectable.one": {"name", "it", "member"}, // a selection in a callback has a link to one row

	// A limit is exceeded, or a rule of the run is broken.
	"limit.read":   {"most"},
	"limit.bytes":  {"most"},
	"limit.result": nil,
	"limit.time":   nil,
	"limit.memory": nil,
	"withheld":     nil,
	"infinite":     {"it"}, // an argument is not finite
	"text":         nil,    // an argument has half a character (an unpaired surrogate)
	"second.store": nil,

	"result": {"instead"}, // the result is an array, and the program uses a member that an array lacks
	"linked": {"name"},    // the value is plain data, and the program uses a link of it

	// The program changes something. "read.name", "changed.name", "given.name", "nothing.name" and "api.name" are for one name only.
	"read":          nil,                // plain data that was read has no such method
	"changed":       {"method"},         // a call is added after one that changes something
	"given":         nil,                // a value for a field is an object, and none was wanted
	"fixed":         {"name"},           // the program assigns to data that was read
	"found.nothing": {"it"},             // a member is used on the result of a call that found nothing
	"assigned":      {"name", "method"}, // the program assigns in the callback of a method that changes something
	"nothing":       nil,                // a change replied 0; the phrase follows the name of the call
	"changes":       nil,                // the program uses a member of the number of changed rows
}

// Check returns an error if a phrase names an unknown situation, or a part that its situation
// lacks.
func (p Phrase) Check() error {
	for s := range strings.FieldsSeq(p.On) {
		parts, known := situations[s]
		before, _, named := strings.Cut(s, ".")
		switch {
		case known:
		case named && before == "unconditional": // the method of this name needs a condition, and got none
			parts = []string{"it"}
		case named && before == "options": // the method of this name got an object, but wants a callback
		case named && before == "result":
			parts = nil
		case named && (before == "read" || before == "changed" || before == "api" || before == "given" || before == "nothing"):
			parts = situations[before]
		case named && (before == "as" || before == "keyed"):
			continue // the Text of such a phrase is a name, not a sentence
		case named && (before == "" || before == "in"):
			parts = []string{"it", "part", "links"}
		case strings.HasPrefix(s, "op:"):
			parts = []string{"it", "op"}
		case strings.HasSuffix(s, "()"), strings.HasPrefix(s, "word:"), strings.HasPrefix(s, "begin:"), strings.HasPrefix(s, "call:"):
		default:
			return fmt.Errorf("exo: a phrase has On %q, which names no kind of error: want one that the comment on Phrase.On lists", s)
		}
		for _, rest := range strings.Split(p.Text, "{")[1:] {
			part, _, closed := strings.Cut(rest, "}")
			if closed && part != "" && !strings.ContainsAny(part, " .{") && !slices.Contains(parts, part) {
				return fmt.Errorf("exo: the phrase for %q has the part {%s}: want one of %q", s, part, parts)
			}
		}
	}
	return nil
}

// Say returns the text of an error in the situation on: the first phrase of i for which i has all members in Needs. If i is nil,
// Say searches the phrases of all interfaces. If no phrase fits, the text is otherwise. parts are names of parts of the error,
// each followed by its text.
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

// has reports whether i has all members that needs lists.
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
