package printable

import (
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
