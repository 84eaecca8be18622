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

// Origin is where the value of a statement's parameter comes from: the arguments of the message,
// those of grant number n of the message, or one of the constants below.
type Origin int

const (
	FromMessage Origin = -1
	FromZone    Origin = -2 // FromZone: the value is the name of the program's time zone, which the host chose
	FromDepth   Origin = -3 // FromDepth: the value is the depth of a tree if the program does not choose one
	FromCursor  Origin = -4 // FromCursor: the value is in the last row of the previous page
	FromParent  Origin = -5 // FromParent: the value is in the row at the start of the link through which the write inserts
	FromConst   Origin = -6 // FromConst: the value is the number Index itself
)

// Source describes where the value of one parameter comes from, and how it is converted.
type Source struct {
	Origin Origin
	Index  int
	Item   int  // Item is the index in a list; -1 if the value is in none
	Count  bool // Count: the value is a limit or an offset, which must not be negative

	OneMore bool // OneMore: the value is the limit of a page, plus one row that shows whether there are more

	Kind    string // Kind is the kind with which the value is bound, if that differs from its own
	Elem    string // Elem is the type of an array's elements
	From    int    // From is 1 plus the index of the start position, if the value is an end position that becomes a length; else 0
	Or      int    // Or is 1 plus the index of another position: the smaller one counts
	Swap    bool   // Swap: the length begins at the smaller of both positions
	As      string // As is the database type to which the statement converts a text; "": it stays text
	Beside  string // Beside is, for errors, the program's name of the column that the argument is compared with or written into
	Column  string // Column is the column's name in the database, if the value is written
	Pattern bool   // Pattern: the value is a pattern of like
	Needle  bool   // Needle: the value is a text that is looked for in other texts

	Form cellform.Form // Form is how the SQLite column that the value is compared with or written to stores values of its type Of
	Of   string
}

// These kinds of arguments are not types of values.
const (
	ArgPosition = "position" // a position, counted from 1
	ArgLength   = "length"   // a length, or the distance between two positions
	ArgPlaces   = "places"   // digits after a decimal point
	ArgKey      = "key"      // a key of JSON
	ArgPath     = "path"     // a key of JSON, written as a path of SQLite
	ArgIndex    = "index"    // an index in a JSON array, from 0
	ArgZone     = "zone"     // the name of a time zone
	ArgDepth    = "depth"    // the depth of a tree, from 1
	ArgMoving   = "moving"   // the rows of a moving window, including the current row; the number of rows before the current one is bound
	ArgSearch   = "search"   // a text to search for, on SQLite
	ArgMatch    = "match"    // a text to search for, as a regular expression that matches the right texts, on PostgreSQL
	ArgRank     = "rank"     // a text to search for, as a regular expression with matches that are counted
	ArgSought   = "sought"   // a text that each matching text contains

	ArgStored      = "stored"       // PostgreSQL: a column's new value as text, for a column of any type
	ArgStoredBytes = "stored bytes" // PostgreSQL: a column's new value as bytes, for a column of any type
	ArgDocument    = "document"     // plain data as JSON text; with Elem an array in the form that SQLite stores
	ArgArray       = "array"        // PostgreSQL: a list, as the text of an array of Elem

	// The next four are for SQLite: the value becomes a cell of Form.
	ArgCell  = "cell"  // a cell that is written
	ArgBound = "bound" // a cell that is compared: the least cell with the value
	ArgKept  = "kept"  // a cell for a column in which SQLite turns texts into numbers; an error if it would read as another value
	ArgNext  = "next"  // the least cell of the millisecond after the value
)

// maxPattern bounds a pattern of like, in bytes. For each character of the text, matching takes one step for every 64 characters of the longest
// piece between two %.
const maxPattern = 1000

// MaxDepth bounds the depth of a tree, and DefaultDepth is its depth if a program gives none. Each level is a
// step of the engine over the rows of the level before. If the data has a cycle, there is always another level.
const (
	MaxDepth     = 1000
	DefaultDepth = 100
)

// MaxMoving bounds the rows of a moving window, since PostgreSQL reads them all again for each row in some aggregates.
const MaxMoving = 1000

// convert returns an argument in the form in which it is bound. all has all arguments of the same origin.
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
		return v, fail.Errorf(fail.Invalid, "", "a value of the type %s can't be compared with a column: use a text, a number, true, false or a date", v.Type())
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
		return StoredText(v), nil
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
			return v, fail.Errorf(fail.Invalid, "", "a moving window has 1 to %d rows; got %d. For all earlier rows use runningSum and similar functions", MaxMoving, v.Int())
		}
		return value.Int(v.Int() - 1), nil
	case ArgIndex:
		if v.Int() < 0 {
			return v, fail.Errorf(fail.Invalid, "", "an index into JSON counts from 0 and can't be negative: write one from 0 on")
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
		// The whole step is quoted, since SQLite would read a bare text that begins with $ or [ as a path.
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

// cell returns a value in the form in which a column of SQLite stores it.
func (a *Source) cell(v value.Value) (value.Value, error) {
	var cell any
	switch t := v.Type(); {
	case a.Kind == ArgKept:
		kept := t != value.TypeText || a.Of != value.TypeText || number.KeptText(v.Text())
		if cell = cellOf(v); a.Of != value.TypeText {
			cell, kept = number.Kept(cell, a.Of != "REAL")
		}
		if !kept {
			return v, fail.Errorf(fail.Invalid, "", "`%s` can't store this value, which the database would round to 15 digits: write a number with fewer digits", a.Beside)
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
	return v, fail.Errorf(fail.Invalid, "", "this value can't be compared with a column of the type %s: use a value of that type", a.Of)
}

// maxTotal is greater than every total of whole numbers.
const maxTotal = 1e60

// places returns the decimal places that strconv writes for a float: -1 for as many as distinguish it from other floats. For
// a whole number up to maxTotal it is 0, which writes all digits, since SQLite compares the float with whole numbers.
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
		return v, fail.Errorf(fail.Invalid, "", "this value is not an array: write one, like [value]")
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

// position bounds a position in a text to integers that both engines have.
func position(v value.Value) int64 { return min(v.Int(), 1<<30) }

// CheckPattern refuses patterns that would make PostgreSQL fail, or that take too long.
func CheckPattern(p string) error {
	if n := len(p) - len(strings.TrimRight(p, `\`)); n%2 == 1 {
		return fail.Errorf(fail.Invalid, "", `the pattern ends with a single \, which escapes nothing; write \\ for a backslash`)
	}
	if len(p) > maxPattern {
		return fail.Errorf(fail.Invalid, "", "the pattern is longer than %d bytes; write a shorter one", maxPattern)
	}
	return nil
}

// StoredText returns the text that PostgreSQL converts to a value of a column.
func StoredText(v value.Value) value.Value {
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
