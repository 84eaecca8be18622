package value

// This file names the types that values can have. exo/message builds types with these names.

// These are the names of the built-in types. Any other name of a message.Type is the name of an interface in the catalogue.
const (
	TypeNull   = "null"
	TypeBool   = "bool"
	TypeInt    = "int"    // 64-bit integers
	TypeFloat  = "float"  // finite 64-bit floats
	TypeNumber = "number" // only a wanted type: an int, a float or a decimal fits it
	TypeText   = "text"
	TypeTime   = "time"

	// TypeDecimal and the types after it have values that are texts in one canonical form, since no
	// JavaScript type represents them exactly.
	TypeDecimal  = "decimal"  // like "-12.5": without exponent and trailing zeros
	TypeDate     = "date"     // like "2024-01-31"
	TypeInterval = "interval" // texts in ISO 8601, like "P1Y2M3DT4H5M6.789S"
	TypeUUID     = "uuid"     // texts in lower case, with hyphens
	TypeBytes    = "bytes"    // standard base64 with padding
	TypeJSON     = "json"     // plain data from a JSON column of a database

	TypeData   = "data"   // any plain data
	TypeList   = "list"   // a list with items of type Args["of"]
	TypeRecord = "record" // a record with the fields in Fields
	// TypeSelection is the argument of a projection: a record of expressions, scalars, whole rows
	// or further such records; one whole row (an interface that Is TypeRow); or one expression,
	// which makes the result a list of bare values.
	TypeSelection = "selection"
	// TypeKeys is the argument of a grouping: a record of expressions. A field of a row, or a list of fields,
	// means a record with the fields' own names. A calculated expression means a record with the one name key.
	TypeKeys = "keys"
	TypeRow  = "Row" // the kind of every interface that represents a whole row

	// TypeRows and TypeRef are types of a Value only, not of a declaration. But a selection shows the rows of a link
	// as TypeRows: Args["of"] is the type of each row, or Args["one"] of the only row, which may be null.
	TypeRows = "rows" // many records of one shape
	TypeRef  = "ref"  // a reference to an Object
	// TypeSealed is a type of a Value only, not of a declaration: a labelled value that the program has but can't read.
	TypeSealed = "sealed"
)

// IsScalar reports whether values of the named type have no parts that a program could see.
func IsScalar(name string) bool {
	switch name {
	case TypeNull, TypeBool, TypeInt, TypeFloat, TypeNumber, TypeText, TypeTime, TypeData,
		TypeDecimal, TypeDate, TypeInterval, TypeUUID, TypeBytes, TypeJSON:
		return true
	}
	return false
}
