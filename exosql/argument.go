package exosql

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// argOrigin says whose arguments a placeholder takes its value from: those of
// the message, or those of grant number n of the message.
type argOrigin int

const fromMessage argOrigin = -1

// argSource is where the value of one placeholder comes from, and what is done
// to it on the way.
type argSource struct {
	origin argOrigin
	index  int
	item   int  // of a list, or -1
	count  bool // a limit or offset: must not be negative

	kind    string // what it is bound as, where that is not what it is
	from    int    // of a length that is written as a position: the index of the one that it begins at, plus 1
	or      int    // of a position: the index of another one, plus 1; the lesser counts
	swap    bool   // of a length: from whichever position comes first
	pattern bool   // of like
	needle  bool   // a text that is looked for
}

// Kinds of arguments that are no types of values.
const (
	argPosition = "position" // counted from 1
	argLength   = "length"   // also from one position to another
	argPlaces   = "places"   // behind a decimal point
)

// maxPattern bounds a pattern of like, in bytes: matching takes a step for each
// character of the text and each 64 of the pattern's longest piece, see like.
const maxPattern = 1000

// arg makes a placeholder. What PostgreSQL would infer from the place where it
// stands is said where it is not the type of the value.
func (c *compiler) arg(s argSource) sqlast.Expr {
	c.slots = append(c.slots, s)
	return sqlast.Arg{Slot: len(c.slots) - 1, Cast: casts[s.kind]}
}

var casts = map[string]sqlast.Cast{
	exo.TypeDecimal: sqlast.CastNumeric, exo.TypeDate: sqlast.CastDate, exo.TypeInterval: sqlast.CastInterval,
	exo.TypeUUID: sqlast.CastUUID, exo.TypeBytes: sqlast.CastBytea, argPosition: sqlast.CastInteger, argLength: sqlast.CastInteger, argPlaces: sqlast.CastInteger,
}

// convert makes of an argument what is bound for it. all are those that it is one of.
func (a *argSource) convert(v exo.Value, all []exo.Value) (exo.Value, error) {
	switch v.Type() {
	case exo.TypeNull:
		return v, nil
	case exo.TypeBool, exo.TypeInt, exo.TypeFloat, exo.TypeText, exo.TypeTime:
	default:
		return v, exo.Errorf(exo.Invalid, "", "this value can't be compared with a column")
	}
	switch a.kind {
	case exo.TypeFloat:
		return exo.Float(v.Float()), nil
	case exo.TypeDecimal:
		switch v.Type() {
		case exo.TypeInt:
			return exo.Text(strconv.FormatInt(v.Int(), 10)), nil
		case exo.TypeFloat:
			return exo.Text(strconv.FormatFloat(v.Float(), 'f', -1, 64)), nil
		}
	case exo.TypeBytes:
		b, err := base64.StdEncoding.DecodeString(v.Text())
		return exo.Text(hex.EncodeToString(b)), err
	case argPosition:
		n := position(v)
		if a.or > 0 {
			n = min(n, position(all[a.or-1]))
		}
		return exo.Int(n + 1), nil
	case argLength:
		if a.from == 0 {
			return exo.Int(position(v)), nil
		}
		n := position(v) - position(all[a.from-1])
		if a.swap && n < 0 {
			n = -n
		}
		return exo.Int(max(0, n)), nil
	case argPlaces:
		return exo.Int(min(v.Int(), exo.MaxDigits)), nil
	}
	if a.pattern {
		return v, checkPattern(v.Text())
	}
	if a.needle && len(v.Text()) > maxNeedle {
		return v, exo.Errorf(exo.Invalid, "", "the text to look for is longer than %d bytes", maxNeedle)
	}
	return v, nil
}

// position keeps positions in a text within what an integer of the engines holds.
func position(v exo.Value) int64 { return min(v.Int(), 1<<30) }

// checkPattern refuses what PostgreSQL would fail on, and what takes too long.
func checkPattern(p string) error {
	if n := len(p) - len(strings.TrimRight(p, `\`)); n%2 == 1 {
		return exo.Errorf(exo.Invalid, "", `the pattern ends with a single \, which stands for nothing; write \\ for a backslash`)
	}
	if len(p) > maxPattern {
		return exo.Errorf(exo.Invalid, "", "the pattern is longer than %d bytes", maxPattern)
	}
	return nil
}
