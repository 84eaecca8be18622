package sqlite

import (
	"database/sql/driver"
	"encoding/json"
	"maps"
	"math"
	"math/big"
	"strconv"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/number"
)

// jsonCell returns the document in a cell, or "" if the cell has none. In a column of type JSON, SQLite turns a document that is a number into a number.
func jsonCell(cell driver.Value) string {
	switch x := cell.(type) {
	case string:
		return x
	case int64:
		return strconv.FormatInt(x, 10)
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return ""
}

// These functions read a piece of JSON in SQLite's syntax. They return nil for JSON of another type.

func jsonText(s string) any {
	var text string
	if len(s) == 0 || s[0] != '"' || json.Unmarshal([]byte(s), &text) != nil {
		return nil
	}
	return text
}

func jsonNumber(s string) any {
	if len(s) == 0 || s[0] != '-' && (s[0] < '0' || s[0] > '9') {
		return nil
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || x >= 1e308 || x <= -1e308 {
		return nil
	}
	return x + 0 // x + 0 turns -0 into 0, since PostgreSQL has no -0
}

// jsonDigits returns the digits of a whole number of at least 2^53.
func jsonDigits(s string) any {
	if x, ok := jsonNumber(s).(float64); ok && math.Abs(x) >= 1<<53 {
		if r, ok := new(big.Rat).SetString(s); ok && r.IsInt() {
			return r.Num().String()
		}
	}
	return nil
}

// jsonLength returns the length of an array as JavaScript counts it, or an object's whole number under the key length.
func jsonLength(s string) any {
	var list []json.RawMessage
	var object map[string]json.RawMessage
	switch {
	case len(s) > 0 && s[0] == '[' && json.Unmarshal([]byte(s), &list) == nil:
		return int64(len(list))
	case len(s) > 0 && s[0] == '{' && json.Unmarshal([]byte(s), &object) == nil:
		if x, ok := jsonNumber(string(object["length"])).(float64); ok && x >= 0 && x < 1e9 && x == math.Trunc(x) {
			return int64(x)
		}
	}
	return nil
}

func jsonBool(s string) any {
	switch s {
	case "true":
		return int64(1)
	case "false":
		return int64(0)
	}
	return nil
}

// jsonHas reports whether the array s has an element that equals v; nil if s is no array. The function of reads an element as v's type.
func jsonHas(s string, v driver.Value, of func(string) any) any {
	var list []json.RawMessage
	if len(s) == 0 || s[0] != '[' || json.Unmarshal([]byte(s), &list) != nil {
		return nil
	}
	if whole, ok := v.(int64); ok && of("0") != nil { // v is a number without a fraction
		v = float64(whole)
	}
	for _, x := range list {
		if is := of(string(x)); is == v || is == nil && jsonDigits(string(x)) == v && v != nil { // programs read a number beyond 2^53 as text
			return int64(1)
		}
	}
	return int64(0)
}

// same reports whether two documents are equal in jsonb's sense: numbers by value, objects in any
// order of fields. A text that is no document equals nothing.
func same(a, b value.Value) bool {
	switch typ := a.Type(); {
	case isNumber(a) && isNumber(b):
		return sameNumber(a, b)
	case typ == "" || typ != b.Type() || a.Len() != b.Len():
		return false
	case typ == value.TypeList:
		for i := range a.Len() {
			if !same(a.At(i), b.At(i)) {
				return false
			}
		}
		return true
	case typ == value.TypeRecord: // a map is used since a document may have a hundred thousand fields
		of := make(map[string]value.Value, b.Len())
		maps.Insert(of, b.Fields())
		for name, x := range a.Fields() {
			if y, ok := of[name]; !ok || !same(x, y) {
				return false
			}
		}
		return true
	}
	return plain(a) == plain(b)
}

// sameArray reports whether two arrays have the same elements. A decimal may be stored as a number or as a text.
func sameArray(a, b value.Value) bool {
	if a.Type() != value.TypeList || b.Type() != value.TypeList || a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		x, y := a.At(i), b.At(i)
		if !same(x, y) && !(isNumber(x) != isNumber(y) && sameNumber(x, y)) {
			return false
		}
	}
	return true
}

func isNumber(v value.Value) bool { return v.Type() == value.TypeInt || v.Type() == value.TypeFloat }

func sameNumber(a, b value.Value) bool {
	if a.Type() == value.TypeBool || b.Type() == value.TypeBool {
		return false
	}
	x, okX := number.Read(plain(a))
	y, okY := number.Read(plain(b))
	return okX && okY && x.Cmp(y) == 0
}
