package exosql

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Decimal is an exact decimal number, written like "-12.5", for columns like numeric(10, 2). Programs get a Decimal that calculates exactly. In
// JSON it is a number if 15 digits are enough, and otherwise a text.
type Decimal string

// Date is a day of the calendar in the years 1 to 9999, without a time or a zone. The zero Date is no day: a condition with it is an error.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// DateOf returns the day of t in t's own zone.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date{y, m, d}
}

// String returns the date as 2006-01-02.
func (d Date) String() string { return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day) }

// Interval is a length of time as databases store it. Months and days have no fixed length, so the three parts stay apart. Programs see ISO 8601,
// like "P1Y2M3DT4H".
type Interval struct {
	Months, Days int32
	Micros       int64
}

// String returns the interval in ISO 8601, without parts that are zero.
func (i Interval) String() string { return scalar.Interval(i).String() }

// JSON is a JSON value of the database as text, decoded and encoded again. It keeps its values and the order of fields, but not its spaces, and a
// whole number beyond 64 bits becomes a float. Programs see plain data.
type JSON = json.RawMessage

var (
	timeType     = reflect.TypeFor[time.Time]()
	decimalType  = reflect.TypeFor[Decimal]()
	dateType     = reflect.TypeFor[Date]()
	intervalType = reflect.TypeFor[Interval]()
	jsonType     = reflect.TypeFor[JSON]()
	byteType     = reflect.TypeFor[byte]()
)

// kindOf returns the scalar type of a column with a field of type t, and for an array its elements' type. Both are "" if no column can have t.
func kindOf(t reflect.Type) (kind, elem string) {
	switch t {
	case timeType:
		return value.TypeTime, ""
	case decimalType:
		return value.TypeDecimal, ""
	case dateType:
		return value.TypeDate, ""
	case intervalType:
		return value.TypeInterval, ""
	case jsonType:
		return value.TypeJSON, ""
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return value.TypeInt, ""
	case reflect.Float32, reflect.Float64:
		return value.TypeFloat, ""
	case reflect.String:
		return value.TypeText, ""
	case reflect.Bool:
		return value.TypeBool, ""
	case reflect.Array:
		if t.Len() == 16 && t.Elem() == byteType { // packages of UUIDs use this type
			return value.TypeUUID, ""
		}
	case reflect.Slice:
		if t.Elem() == byteType {
			return value.TypeBytes, ""
		}
		of := t.Elem()
		if of.Kind() == reflect.Pointer {
			of = of.Elem() // a nil pointer is a NULL element
		}
		if elem, inner := kindOf(of); elem != "" && inner == "" && elem != value.TypeJSON && elem != value.TypeBytes && elem != value.TypeInterval && elem != value.TypeTime { // times are cut to milliseconds, so a search for one as an element could miss it
			return value.TypeList, elem
		}
	}
	return "", ""
}
