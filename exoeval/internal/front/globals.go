package front

// This file lists the global names that programs find.

import "maps"

// realmNames has the global names that programs find, without those of the grants. The checker refuses any other name, and a realm has only
// the names that its program uses. So a new global of the engine is out of reach (TestRealmNames, TestGlobalsThatAreThere).
var realmNames = map[string]bool{
	"Object": true, "Array": true, "String": true, "Number": true, "Boolean": true, "Symbol": true, "Math": true, "JSON": true,
	"Date": true, "Map": true, "Set": true, "WeakMap": true, "WeakSet": true, "Promise": true, "RegExp": true, "Iterator": true,
	"Error": true, "TypeError": true, "RangeError": true, "SyntaxError": true, "ReferenceError": true, "URIError": true, "EvalError": true, "AggregateError": true,
	"parseInt": true, "parseFloat": true, "isNaN": true, "isFinite": true, "undefined": true, "NaN": true, "Infinity": true,
	"encodeURIComponent": true, "decodeURIComponent": true, "encodeURI": true, "decodeURI": true,
	"console": true, "structuredClone": true, "Intl": true, "Decimal": true,
}

// IsGlobal reports whether programs have a global of this name.
func IsGlobal(name string) bool { return realmNames[name] }

// Globals returns the names of all globals.
func Globals() map[string]bool { return maps.Clone(realmNames) }
