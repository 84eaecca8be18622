package printable

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Marshal is json.Marshal without escapes for HTML, which are not needed here, and with the escapes
// that a terminal needs.
func Marshal(v any) []byte {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("printable: %v", err)) // callers pass only plain structs
	}
	return JSON([]byte(strings.TrimSuffix(b.String(), "\n")))
}

// MarshalIndent is Marshal on several lines, like json.MarshalIndent.
func MarshalIndent(v any, prefix, indent string) []byte {
	var b bytes.Buffer
	_ = json.Indent(&b, Marshal(v), prefix, indent) // what Marshal writes is JSON
	return b.Bytes()
}
