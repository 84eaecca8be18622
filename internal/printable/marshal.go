package printable

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Marshal is json.Marshal without escapes for HTML, which nobody here reads, and
// with those that a terminal needs.
func Marshal(v any) []byte {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("printable: %v", err)) // only ever given plain structs
	}
	return JSON([]byte(strings.TrimSuffix(b.String(), "\n")))
}
