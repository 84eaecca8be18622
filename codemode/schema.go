package codemode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/internal/scalar"
)

const inputSchema = `{"type":"object","properties":{"code":{"type":"string","description":"The JavaScript program: (api) => ..., async (api) => { ... return value }, or statements that end with return."}},"required":["code"],"additionalProperties":false}`

const outputSchema = `{"type":"object","properties":{` +
	`"result":{"description":"What the program returned."},` +
	`"console":{"type":"string","description":"What the program logged."},` +
	`"notice":{"type":"string","description":"What was cut because the result was too large, and how to ask for less."},` +
	`"effects":{"type":"string","description":"What became of the changes that the program asked for, also where it failed."},` +
	`"error":{"type":"object","description":"Why there is no result.","properties":{` +
	`"kind":{"type":"string","enum":["denied","revoked","invalid","limit","conflict","cancelled","syntax","program","internal","crashed","breach","pending"]},` +
	`"message":{"type":"string"},"line":{"type":"integer"},"column":{"type":"integer"},` +
	`"source":{"type":"string","description":"The line of the program."}},` +
	`"required":["kind","message"],"additionalProperties":false}},"additionalProperties":false}`

const rightInput = `the input must be {"code": "..."}, one JavaScript program as a string`

// decodeInput returns the program from {"code": "..."} and accepts nothing else. encoding/json
// would also accept "Code", two codes, and text after the object, so that readers could find
// different programs in one input.
func decodeInput(input []byte, maxSource int) (string, error) {
	bad := func(format string, args ...any) (string, error) {
		return "", &fail.Error{Kind: fail.Invalid, Msg: fmt.Sprintf(format, args...) + "; " + rightInput}
	}
	// Each byte of a program takes at most six bytes in JSON.
	if most := 6*maxSource + 1024; len(input) > most {
		return "", fail.Errorf(fail.Limit, "", "the input has %d bytes; a program may have %d: write a shorter one", len(input), maxSource)
	}
	d := json.NewDecoder(bytes.NewReader(input))
	switch tok, err := d.Token(); {
	case errors.Is(err, io.EOF):
		return bad("the input is empty")
	case err != nil:
		return bad("the input is not JSON")
	case tok != json.Delim('{'):
		return bad("the input is no object")
	}
	code, seen := "", false
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return bad("the input is not JSON")
		}
		var v any
		if err := d.Decode(&v); err != nil {
			return bad("the input is not JSON")
		}
		s, isText := v.(string)
		switch {
		case key != "code":
			return bad("the input has a field %q, which is not known", scalar.Shorten(fmt.Sprint(key), 60))
		case seen:
			return bad(`the input has "code" twice`)
		case !isText:
			return bad(`"code" is %s`, jsonKind(v))
		}
		code, seen = s, true
	}
	if _, err := d.Token(); err != nil {
		return bad("the input is not JSON")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return bad("there is text after the input's object")
	}
	switch {
	case !seen:
		return bad(`the input has no "code"`)
	case strings.TrimSpace(code) == "":
		return bad("the program is empty")
	}
	return code, nil
}

func jsonKind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case float64:
		return "a number"
	case []any:
		return "an array"
	}
	return "an object"
}
