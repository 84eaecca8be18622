package plan

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/number"
	"github.com/exoagent/exoagent/exosql/internal/search"
	"github.com/exoagent/exoagent/internal/cellform"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Origin says whose arguments a placeholder takes its value from: those of
// the message, or those of grant number n of the message.
type Origin int

const (
	FromMessage Origin = -1
	FromZone    Origin = -2 // the name of the time zone that the host gave the program
	FromDepth   Origin = -3 // how deep a tree is where the program does not say it
	FromCursor  Origin = -4 // a value of the last row of the page before
	FromParent  Origin = -5 // of a write: of the row that it goes through
	FromConst   Origin = -6 // the number Index itself
)

// Source is where the value of one placeholder comes from, and what is done
// to it on the way.
type Source struct {
	Origin Origin
	Index  int
	Item   int  // of a list, or -1
	Count  bool // a limit or offset: must not be negative

	OneMore bool // a limit of a page: one more than what was asked for, to see whether there is more

	Kind    string // what it is bound as, where that is not what it is
	Elem    string // the type of the elements of an array
	From    int    // of a length that is written as a position: the index of the one that it begins at, plus 1
	Or      int    // of a position: the index of another one, plus 1; the lesser counts
	Swap    bool   // of a length: from whichever position comes first
	As      string // the type of the database that a text becomes a value of where it stands; "": a text
	Beside  string // what programs call the column of that type
	Column  string // its name in the database, of a value that is written
	Pattern bool   // of like
	Needle  bool   // a text that is looked for

	Form cellform.Form // SQLite: how the column that it stands beside, or is written to, holds the values of its type Of
	Of   string
}

// Kinds of arguments that are no types of values.
const (
	ArgPosition = "position" // counted from 1
	ArgLength   = "length"   // also from one position to another
	ArgPlaces   = "places"   // behind a decimal point
	ArgKey      = "key"      // of JSON
	ArgPath     = "path"     // the same, as SQLite has it
	ArgIndex    = "index"    // of an array of JSON, from 0
	ArgZone     = "zone"     // the name of a time zone
	ArgDepth    = "depth"    // of a tree, from 1
	ArgMoving   = "moving"   // of the rows that move along with one, which is among them; bound is how many are before it
	ArgSearch   = "search"   // a text that is searched for; SQLite
	ArgMatch    = "match"    // the same, as the regular expression of what matches it; PostgreSQL
	ArgRank     = "rank"     // of what is counted
	ArgSought   = "sought"   // a part of each text that is matched

	ArgStored      = "stored"       // PostgreSQL: what a column is given, as a text of whatever type that has
	ArgStoredBytes = "stored bytes" // the same of bytes
	ArgDocument    = "document"     // plain data as the text of JSON; with Elem an array, as SQLite holds it
	ArgArray       = "array"        // PostgreSQL: a list as the text of an array of Elem

	// SQLite, with Form: a cell of that form.
	ArgCell  = "cell"  // to be written
	ArgBound = "bound" // to be compared with: the least cell of the value
	ArgKept  = "kept"  // to be stored in a column of SQLite that makes numbers of texts: an error if it would be read as another value
	ArgNext  = "next"  // the least one of a millisecond later
)

// maxPattern bounds a pattern of like, in bytes: matching takes a step for each
// character of the text and each 64 of the pattern's longest piece, see like.
const maxPattern = 1000

// How deep a tree may be, and how deep it is where a program does not say it. Each level is a step of the engine
// over the rows of the level before, and in a cycle of the data there is always one more.
const (
	MaxDepth     = 1000
	DefaultDepth = 100
)

// MaxMoving bounds how many rows move along with one: for some aggregates PostgreSQL reads them anew for each row.
const MaxMoving = 1000

// convert makes of an argument what is bound for it. all are those that it is one of.
func (a *Source) convert(v value.Value, all []value.Value) (value.Value, error) {
	switch v.Type() {
	case value.TypeNull:
		return v, nil
	case value.TypeBool, value.TypeInt, value.TypeFloat, value.TypeText, value.TypeTime, value.TypeList, value.TypeRecord:
		if a.Kind == ArgDocument || a.Kind == ArgArray {
			return a.whole(v)
		}
		if v.Type() != value.TypeList && v.Type() != value.TypeRecord {
			break
		}
		fallthrough
	default:
		return v, fail.Errorf(fail.Invalid, "", "this value can't be compared with a column")
	}
	switch a.Kind {
	case value.TypeFloat:
		return value.Float(v.Float()), nil
	case value.TypeDecimal:
		switch v.Type() {
		case value.TypeInt:
			return value.Text(strconv.FormatInt(v.Int(), 10)), nil
		case value.TypeFloat:
			return value.Text(strconv.FormatFloat(v.Float(), 'f', places(v.Float()), 64)), nil
		}
	case value.TypeBytes:
		b, err := base64.StdEncoding.DecodeString(v.Text())
		return value.Text(hex.EncodeToString(b)), err
	case ArgStored:
		return storedText(v), nil
	case ArgStoredBytes:
		b, err := base64.StdEncoding.DecodeString(v.Text())
		return value.Text(`\x` + hex.EncodeToString(b)), err
	case ArgCell, ArgBound, ArgNext, ArgKept:
		return a.cell(v)
	case ArgPosition:
		n := position(v)
		if a.Or > 0 {
			n = min(n, position(all[a.Or-1]))
		}
		return value.Int(n + 1), nil
	case ArgLength:
		if a.From == 0 {
			return value.Int(position(v)), nil
		}
		n := position(v) - position(all[a.From-1])
		if a.Swap && n < 0 {
			n = -n
		}
		return value.Int(max(0, n)), nil
	case ArgPlaces:
		return value.Int(min(v.Int(), scalar.MaxDigits)), nil
	case ArgDepth:
		if v.Int() < 1 || v.Int() > MaxDepth {
			return v, fail.Errorf(fail.Invalid, "recursive", "the depth of a tree must be from 1 to %d; got %d", MaxDepth, v.Int())
		}
	case ArgMoving:
		if v.Int() < 1 || v.Int() > MaxMoving {
			return v, fail.Errorf(fail.Invalid, "", "a moving window has 1 to %d rows; got %d; for all earlier rows use runningSum and its like", MaxMoving, v.Int())
		}
		return value.Int(v.Int() - 1), nil
	case ArgIndex:
		if v.Int() < 0 {
			return v, fail.Errorf(fail.Invalid, "", "an index into JSON must be 0 or more")
		}
		return value.Int(position(v)), nil
	case ArgSearch, ArgMatch, ArgRank, ArgSought:
		q, err := search.Parse(v.Text())
		switch {
		case err != nil:
			return v, fail.Errorf(fail.Invalid, "", "%s", err)
		case a.Kind == ArgMatch:
			return value.Text(q.Regexp()), nil
		case a.Kind == ArgRank:
			return value.Text(q.Counting()), nil
		case a.Kind == ArgSought:
			return value.Text(q.Needle()), nil
		}
		return v, nil
	case ArgPath:
		// The whole step, quoted: SQLite takes a bare text that begins with $ or [ for a path of its own.
		q, err := json.Marshal(v.Text())
		return value.Text("$." + string(q)), err
	}
	if a.Pattern {
		return v, CheckPattern(v.Text())
	}
	if a.Needle && len(v.Text()) > MaxNeedle {
		return v, fail.Errorf(fail.Invalid, "", "the text to look for is longer than %d bytes", MaxNeedle)
	}
	return v, nil
}

// cellOf is a number or a text as SQLite is given it.
func cellOf(v value.Value) any {
	switch v.Type() {
	case value.TypeInt:
		return v.Int()
	case value.TypeFloat:
		return v.Float()
	}
	return v.Text()
}

// cell is a value as a column of SQLite holds it.
func (a *Source) cell(v value.Value) (value.Value, error) {
	var cell any
	switch t := v.Type(); {
	case a.Kind == ArgKept:
		kept := t != value.TypeText || a.Of != value.TypeText || number.KeptText(v.Text())
		if cell = cellOf(v); a.Of != value.TypeText {
			cell, kept = number.Kept(cell, a.Of != "REAL")
		}
		if !kept {
			return v, fail.Errorf(fail.Invalid, "", "`%s` can't hold this value: the database would keep it as a number of at most 15 digits, which is another value", a.Beside)
		}
	case a.Of == value.TypeBool && t == value.TypeBool:
		cell = a.Form.Flag(v.Bool())
	case a.Of == value.TypeDate && t == value.TypeText:
		cell, _ = a.Form.Day(v.Text())
	case t != value.TypeTime || a.Of != value.TypeTime:
	case a.Kind == ArgCell:
		var err error
		if cell, err = a.Form.Write(v.Time()); err != nil {
			return v, fail.Errorf(fail.Invalid, "", "`%s` %s", a.Beside, err)
		}
	case a.Kind == ArgNext:
		cell = a.Form.Bound(v.Time().Add(time.Millisecond))
	default:
		cell = a.Form.Bound(v.Time())
	}
	switch x := cell.(type) {
	case int64:
		return value.Int(x), nil
	case float64:
		return value.Float(x), nil
	case string:
		return value.Text(x), nil
	}
	return v, fail.Errorf(fail.Invalid, "", "this value can't be compared with a column of the type %s", a.Of)
}

// maxTotal is beyond all totals of whole numbers.
const maxTotal = 1e60

// places is for strconv how many digits a float has as a decimal: those that distinguish it from other floats; of a whole number as large as
// a total can be, all, as SQLite compares the float with whole numbers.
func places(f float64) int {
	if f = math.Abs(f); f > scalar.SafeInteger && f < maxTotal {
		return 0
	}
	return -1
}

// whole is a document or an array as one argument.
func (a *Source) whole(v value.Value) (value.Value, error) {
	if a.Elem == "" {
		return document(v)
	}
	if v.Type() != value.TypeList {
		return v, fail.Errorf(fail.Invalid, "", "this value is no array")
	}
	v, err := elements(a.Elem, v)
	if err != nil || a.Kind == ArgDocument {
		if err == nil {
			v, err = document(v)
		}
		return v, err
	}
	return array(a.Elem, v), nil
}

// position keeps positions in a text within what an integer of the engines holds.
func position(v value.Value) int64 { return min(v.Int(), 1<<30) }

// CheckPattern refuses what PostgreSQL would fail on, and what takes too long.
func CheckPattern(p string) error {
	if n := len(p) - len(strings.TrimRight(p, `\`)); n%2 == 1 {
		return fail.Errorf(fail.Invalid, "", `the pattern ends with a single \, which stands for nothing; write \\ for a backslash`)
	}
	if len(p) > maxPattern {
		return fail.Errorf(fail.Invalid, "", "the pattern is longer than %d bytes", maxPattern)
	}
	return nil
}

// storedText is the text that PostgreSQL reads as a value of a column.
func storedText(v value.Value) value.Value {
	switch v.Type() {
	case value.TypeBool:
		return value.Text(strconv.FormatBool(v.Bool()))
	case value.TypeInt:
		return value.Text(strconv.FormatInt(v.Int(), 10))
	case value.TypeFloat:
		return value.Text(strconv.FormatFloat(v.Float(), 'g', -1, 64))
	case value.TypeTime:
		return value.Text(v.Time().UTC().Format(time.RFC3339Nano))
	}
	return v
}
