package front

// This file lists the global names that programs find.

import "maps"

// realmNames is everything that a program finds in its global scope besides
// what was granted. The checker refuses programs that name anything else, and a
// realm holds only those of them that its program names: a new global of the
// engine is neither nameable nor there (TestRealmNames, TestGlobalsThatAreThere).
var realmNames = map[string]bool{
	"Object": true, "Array": true, "String": true, "Number": true, "Boolean": true, "Symbol": true, "Math": true, "JSON": true,
	"Date": true, "Map": true, "Set": true, "WeakMap": true, "WeakSet": true, "Promise": true, "RegExp": true, "Iterator": true,
	"Error": true, "TypeError": true, "RangeError": true, "SyntaxError": true, "ReferenceError": true, "URIError": true, "EvalError": true, "AggregateError": true,
	"parseInt": true, "parseFloat": true, "isNaN": true, "isFinite": true, "undefined": true, "NaN": true, "Infinity": true,
	"encodeURIComponent": true, "decodeURIComponent": true, "encodeURI": true, "decodeURI": true,
	"console": true, "structuredClone": true, "Intl": true, "Decimal": true,
}

// IsGlobal reports whether programs find a global of this name.
func IsGlobal(name string) bool { return realmNames[name] }

// Globals are the names of all of them.
func Globals() map[string]bool { return maps.Clone(realmNames) }
