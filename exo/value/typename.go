package value

// This file names the types that values can have. exo/message makes types of them.

// Names of the types that need no interface.
const (
	TypeNull   = "null"
	TypeBool   = "bool"
	TypeInt    = "int"    // 64-bit integer
	TypeFloat  = "float"  // finite 64-bit float
	TypeNumber = "number" // int, float or decimal, as a wanted type
	TypeText   = "text"
	TypeTime   = "time"

	// TypeDecimal and those that follow have texts in one canonical form for values, since
	// JavaScript has no type that holds them exactly.
	TypeDecimal  = "decimal"  // "-12.5": no exponent, no trailing zeros
	TypeDate     = "date"     // "2024-01-31"
	TypeInterval = "interval" // ISO 8601: "P1Y2M3DT4H5M6.789S"
	TypeUUID     = "uuid"     // lower case, with hyphens
	TypeBytes    = "bytes"    // standard base64 with padding
	TypeJSON     = "json"     // what a database holds as JSON: plain data

	TypeData   = "data"   // any plain data
	TypeList   = "list"   // Args["of"]
	TypeRecord = "record" // Fields
	// TypeSelection is wanted by a projection: a record of expressions, scalars,
	// whole rows or further such records, one whole row (an interface that Is TypeRow), or
	// one expression, of which the result has the bare values.
	TypeSelection = "selection"
	// TypeKeys is wanted by what groups: a record of expressions. One field of a row, and a list of
	// them, stand for the record of them under their own names, and what is calculated for that of it as key.
	TypeKeys = "keys"
	TypeRow  = "Row" // what an interface Is when it stands for a whole row

	// TypeRows and TypeRef are of a Value alone, see (Value).Type; but TypeRows is also what a selection shows of a
	// link, Args["of"] for each of its rows or Args["one"] for its one row, which may be null.
	TypeRows = "rows" // many records of one shape
	TypeRef  = "ref"  // a reference to an Object
	// TypeSealed is of a Value alone, too: a labelled value that the program holds and can't read.
	TypeSealed = "sealed"
)

// IsScalar reports whether values of the named type have no parts that programs see.
func IsScalar(name string) bool {
	switch name {
	case TypeNull, TypeBool, TypeInt, TypeFloat, TypeNumber, TypeText, TypeTime, TypeData,
		TypeDecimal, TypeDate, TypeInterval, TypeUUID, TypeBytes, TypeJSON:
		return true
	}
	return false
}
