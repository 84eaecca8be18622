package printable

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Marshal is json.Marshal with escapes for characters that a terminal would obey, and without the escapes for HTML.
func Marshal(v any) []byte {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("printable: %v", err)) // callers pass only plain structs, which have no error
	}
	return JSON([]byte(strings.TrimSuffix(b.String(), "\n")))
}

// MarshalIndent is Marshal in several lines, like json.MarshalIndent.
func MarshalIndent(v any, prefix, indent string) []byte {
	var b bytes.Buffer
	_ = json.Indent(&b, Marshal(v), prefix, indent) // Marshal writes valid JSON, so there is no error
	return b.Bytes()
}
