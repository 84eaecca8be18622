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

// Origin is the source of a placeholder's value: the message's own arguments, those of grant
// number n of the message, or one of the constants below.
type Origin int

const (
	FromMessage Origin = -1
	FromZone    Origin = -2 // the name of the program's time zone, which the host chose
	FromDepth   Origin = -3 // how deep a tree is if the program does not say
	FromCursor  Origin = -4 // a value of the last row of the previous page
	FromParent  Origin = -5 // of a write through a link: a value of the row at the start of the link
	FromConst   Origin = -6 // the number Index itself
)

// Source describes the value of one placeholder: its source, and how it is converted.
type Source struct {
	Origin Origin
	Index  int
	Item   int  // of a list, or -1
	Count  bool // a limit or offset: must not be negative

	OneMore bool // a limit of a page: one row more than was asked for, to find out whether there are more

	Kind    string // the kind as which it is bound, if that is not the kind of the value
	Elem    string // the type of the elements of an array
	From    int    // if the argument is an end position and the statement needs a length: 1 plus the index, among the values, of the start position; 0: no
	Or      int    // of a position: 1 plus the index of another position; the lesser of the two counts
	Swap    bool   // of a length: it begins at whichever position comes first
	As      string // the database type that a text is converted to in the statement; "": it stays a text
	Beside  string // the program's name for the column with which the argument is compared, or into which it is written; for errors
	Column  string // the column's name in the database, if the value is written
	Pattern bool   // a pattern of like
	Needle  bool   // a text that is looked for in other texts

	Form cellform.Form // SQLite: how the column that the value is compared with, or written to, stores values of its type Of
	Of   string
}

// The kinds of arguments that are not types of values.
const (
	ArgPosition = "position" // counted from 1
	ArgLength   = "length"   // a number, or the distance between two positions
	ArgPlaces   = "places"   // after a decimal point
	ArgKey      = "key"      // of JSON
	ArgPath     = "path"     // a key of JSON, as a path of SQLite
	ArgIndex    = "index"    // of an array of JSON, from 0
	ArgZone     = "zone"     // the name of a time zone
	ArgDepth    = "depth"    // of a tree, from 1
	ArgMoving   = "moving"   // rows of a moving window, with the current one; bound is the number before it
	ArgSearch   = "search"   // a text that is searched for; SQLite
	ArgMatch    = "match"    // a searched text as a regular expression that matches the texts in question; PostgreSQL
	ArgRank     = "rank"     // a searched text as a regular expression that is counted
	ArgSought   = "sought"   // a text that each matching text contains

	ArgStored      = "stored"       // PostgreSQL: the new value of a column, as a text, for a column of any type
	ArgStoredBytes = "stored bytes" // PostgreSQL: the new value of a column of any type, as bytes
	ArgDocument    = "document"     // plain data as JSON text; with Elem an array, as SQLite stores it
	ArgArray       = "array"        // PostgreSQL: a list as the text of an array of Elem

	// SQLite, with Form: a cell of that form.
	ArgCell  = "cell"  // a cell to be written
	ArgBound = "bound" // a cell to be compared with: the least cell of the value
	ArgKept  = "kept"  // a cell for a column in which SQLite turns texts into numbers: an error if it would be read as another value
	ArgNext  = "next"  // the least cell of the next millisecond
)

// maxPattern bounds a pattern of like, in bytes: matching takes a step for each character of
// the text and each 64 characters of the longest piece between two %.
const maxPattern = 1000

// MaxDepth is how deep a tree may be, DefaultDepth its depth if a program doesn't give one. Each level is a
// step of the engine over the rows of the level before. If the data has a cycle, there is always another level.
const (
	MaxDepth     = 1000
	DefaultDepth = 100
)

// MaxMoving bounds the rows of a moving window: for some aggregates PostgreSQL reads all of them again for each row.
const MaxMoving = 1000

// convert returns an argument as it is bound. all are the arguments that it belongs to.
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
		// Quote the whole step. SQLite would read a bare text that begins with $ or [ as a path.
		q, err := json.Marshal(v.Text())
		return value.Text("$." + string(q)), err
	}
	if a.Pattern {
		return v, CheckPattern(v.Text())
	}
	if a.Needle && len(v.Text()) > MaxNeedle {
		return v, fail.Errorf(fail.Invalid, "", "the text to look for is longer than %d bytes; look for a shorter one", MaxNeedle)
	}
	return v, nil
}

// cellOf returns a number or a text as a Go value for SQLite.
func cellOf(v value.Value) any {
	switch v.Type() {
	case value.TypeInt:
		return v.Int()
	case value.TypeFloat:
		return v.Float()
	}
	return v.Text()
}

// cell returns a value as a column of SQLite stores it.
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

// maxTotal is greater than every total of whole numbers.
const maxTotal = 1e60

// places returns how many decimal places strconv writes for a float: -1, so as many as distinguish it from other floats.
// For a whole number up to maxTotal it is 0, so all digits are written: SQLite compares the float with whole numbers.
func places(f float64) int {
	if f = math.Abs(f); f > scalar.SafeInteger && f < maxTotal {
		return 0
	}
	return -1
}

// whole converts a document or an array to one argument.
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

// position bounds a position in a text to the integers of both engines.
func position(v value.Value) int64 { return min(v.Int(), 1<<30) }

// CheckPattern refuses patterns on which PostgreSQL would fail, or that take too long.
func CheckPattern(p string) error {
	if n := len(p) - len(strings.TrimRight(p, `\`)); n%2 == 1 {
		return fail.Errorf(fail.Invalid, "", `the pattern ends with a single \, which stands for nothing; write \\ for a backslash`)
	}
	if len(p) > maxPattern {
		return fail.Errorf(fail.Invalid, "", "the pattern is longer than %d bytes; write a shorter one", maxPattern)
	}
	return nil
}

// storedText returns the text that PostgreSQL reads as a value of a column.
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
