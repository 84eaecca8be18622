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
	TypeJSON     = "json"     // a JSON value of a database: plain data

	TypeData   = "data"   // any plain data
	TypeList   = "list"   // Args["of"]
	TypeRecord = "record" // Fields
	// TypeSelection is what a projection wants: a record of expressions, scalars, whole rows or
	// further such records; one whole row (an interface that Is TypeRow); or one expression, which
	// makes the result a list of bare values.
	TypeSelection = "selection"
	// TypeKeys is what grouping wants: a record of expressions. A field of a row, or a list of fields, means
	// a record with the fields' own names. A calculated expression means a record with the one name key.
	TypeKeys = "keys"
	TypeRow  = "Row" // what an interface Is when it stands for a whole row

	// TypeRows and TypeRef are only types of a Value, see (Value).Type. But a selection also shows the rows of a link
	// as TypeRows: Args["of"] is the type of each row, or Args["one"] of the only row, which may be null.
	TypeRows = "rows" // many records of one shape
	TypeRef  = "ref"  // a reference to an Object
	// TypeSealed is only a type of a Value, too: a labelled value that the program has and can't read.
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
