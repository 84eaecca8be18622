package mcpclient_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exo/mcpclient"
	"github.com/exoagent/exoagent/exo/value"
)

func decode(t rapid.TB, text string) (x any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &x); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return x
}

// TestSchemas: what becomes of the forms of schemas that servers have.
func TestSchemas(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"string"}`:                                "text",
		`{"type":"integer"}`:                               "a whole number",
		`{"type":"number"}`:                                "a number",
		`{"type":"boolean"}`:                               "true or false",
		`{"type":["string","null"]}`:                       "text or null",
		`{"type":"null"}`:                                  "null",
		`{"anyOf":[{"type":"integer"},{"type":"null"}]}`:   "a whole number or null",
		`{"oneOf":[{"type":"integer"},{"type":"string"}]}`: "plain data or null",
		`{"allOf":[{"type":"string"}]}`:                    "text",
		`{"type":"array","items":{"type":"string"}}`:       "a list of text",
		`{"type":"array"}`:                                 "a list of plain data or null",
		`{"enum":["a","b"]}`:                               "one of 'a', 'b'",
		`{"type":"string","enum":["a",null]}`:              "one of 'a' or null",
		`{"const":"a"}`:                                    "one of 'a'",
		`{"enum":[1,2]}`:                                   "plain data or null",
		`{"type":["string","integer"]}`:                    "plain data or null",
		`{}`:                                               "plain data or null",
		`true`:                                             "plain data or null",
		`{"type":"object"}`:                                "plain data",
		`{"type":"object","additionalProperties":{"type":"string"}}`:        "plain data",
		`{"type":"object","properties":{"a":{"type":"string"}}}`:            "{`a`}",
		`{"properties":{"a":{"type":"string"}}}`:                            "{`a`}",
		`{"$ref":"#/$defs/d"}`:                                              "a whole number",
		`{"type":"object","properties":{},"additionalProperties":false}`:    "{}",
		`{"type":"object","properties":{"file-path":{"type":"string"}}}`:    "{`file-path`}",
		`{"type":"string","format":"date-time","pattern":"(a+)+$"}`:         "text",
		`{"type":"array","items":[{"type":"string"},{"type":"integer"}]}`:   "a list of plain data or null",
		`{"anyOf":[{"type":"null"}]}`:                                       "null",
		`{"type":"object","properties":{"a":{"$ref":"#/properties/root"}}}`: "an error",
		`{"type":"object","properties":{"a":{"$ref":"#"}}}`:                 "an error",
		`{"$ref":"https://example.com/schema.json"}`:                        "an error",
		`{"type":"money"}`: "an error",
		`{"type":7}`:       "an error",
		`false`:            "an error",
		`"text"`:           "an error",
		`{"type":"object","properties":{"__proto__":{"type":"string"}}}`: "an error",
		`{"type":"object","properties":{"then":{"type":"string"}}}`:      "an error",
		`{"type":"object","properties":{"a":7}}`:                         "an error",
	} {
		got, err := mcpclient.TypeOf(decode(t, `{"type":"object","properties":{"root":`+schema+`},"$defs":{"d":{"type":"integer"}}}`), "the argument")
		s := "an error"
		if err == nil {
			s = got.Fields[0].Type.String()
		}
		if strings.ReplaceAll(s, "`", "") != strings.ReplaceAll(want, "`", "") {
			t.Errorf("%s: %s (%v), want %s", schema, s, err, want)
		}
	}
	// References that double at each step, and depth.
	bomb := `"d0":{"type":"string"}`
	for n := range 40 {
		bomb += fmt.Sprintf(`,"d%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%[2]d"}}}`, n+1, n)
	}
	wide := `"w0":{"type":"string"}`
	for n := range 6 {
		var ps []string
		for k := range 10 {
			ps = append(ps, fmt.Sprintf(`"p%d":{"$ref":"#/$defs/w%d"}`, k, n))
		}
		wide += fmt.Sprintf(`,"w%d":{"type":"object","properties":{%s}}`, n+1, strings.Join(ps, ","))
	}
	for _, schema := range []string{`{"$ref":"#/$defs/w6","$defs":{` + wide + `}}`, `{"$ref":"#/$defs/d40","$defs":{` + bomb + `}}`, `{"$ref":"#/$defs/d9","$defs":{` + bomb + `}}`, strings.Repeat(`{"type":"array","items":`, 900) + `{}` + strings.Repeat(`}`, 900)} {
		if _, err := mcpclient.TypeOf(decode(t, schema), "the argument"); err == nil {
			t.Error("a bomb of references has a type")
		}
	}
}

// TestSchemaNamesTool: a schema that can't be a type is an error that names the tool, and other tools don't matter.
func TestSchemaNamesTool(t *testing.T) {
	for _, tool := range []string{
		`{"name":"odd","inputSchema":{"type":"array"}}`, `{"name":"odd","inputSchema":{"type":"object","properties":{"a":{"type":"money"}}}}`,
		`{"name":"odd","inputSchema":{"type":"object"},"outputSchema":{"type":"string"}}`, `{"name":"odd","inputSchema":null}`,
	} {
		s := declared(t, false, "tool "+tool)
		pinned(t, s)
		s.Reads = append(s.Reads, "odd")
		_, err := mcpclient.Open(t.Context(), s)
		var pin *mcpclient.PinError
		if errors.As(err, &pin) {
			s.Pin = pin.Digest
			_, err = mcpclient.Open(t.Context(), s)
		}
		if err == nil || !strings.Contains(err.Error(), `"odd"`) {
			t.Errorf("%s: %v", tool, err)
		}
	}
}

// schemas and data that a server may send.
func schemas(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		kinds := []string{"string", "integer", "number", "boolean", "null", "any", "enum"}
		if depth > 0 {
			kinds = append(kinds, "array", "object", "object", "anyOf", "nullable")
		}
		switch k := rapid.SampledFrom(kinds).Draw(t, "kind"); k {
		case "any":
			return map[string]any{}
		case "enum":
			return map[string]any{"enum": []any{"a", "b"}}
		case "array":
			return map[string]any{"type": "array", "items": schemas(depth-1).Draw(t, "items")}
		case "anyOf":
			return map[string]any{"anyOf": []any{schemas(depth-1).Draw(t, "one"), schemas(depth-1).Draw(t, "two")}}
		case "nullable":
			return map[string]any{"anyOf": []any{schemas(depth-1).Draw(t, "one"), map[string]any{"type": "null"}}}
		case "object":
			return object(t, depth)
		default:
			return map[string]any{"type": k}
		}
	})
}

func object(t *rapid.T, depth int) any {
	properties, required := map[string]any{}, []any{}
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d-e"}), 1, 4, rapid.ID).Draw(t, "names") {
		properties[name] = schemas(depth-1).Draw(t, name)
		if rapid.Bool().Draw(t, "required") {
			required = append(required, name)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

// data draws what fits a schema, but for a few places.
func data(t *rapid.T, schema any, wild int) any {
	s, _ := schema.(map[string]any)
	if rapid.IntRange(0, wild).Draw(t, "wild") == 0 {
		return rapid.SampledFrom([]any{nil, true, 1.0, 1.5, 1e300, "a", "a\x00", []any{}, map[string]any{}, []any{nil}, map[string]any{"__proto__": 1.0}, map[string]any{"a": "a"}}).Draw(t, "any")
	}
	if list, ok := s["anyOf"].([]any); ok {
		return data(t, rapid.SampledFrom(list).Draw(t, "choice"), wild)
	}
	if s["enum"] != nil {
		return "b"
	}
	switch s["type"] {
	case "string":
		return rapid.String().Draw(t, "text")
	case "integer":
		return float64(rapid.Int32().Draw(t, "int"))
	case "number":
		return rapid.Float64Range(-1e6, 1e6).Draw(t, "number")
	case "boolean":
		return rapid.Bool().Draw(t, "bool")
	case "array":
		var l []any
		for range rapid.IntRange(0, 3).Draw(t, "n") {
			l = append(l, data(t, s["items"], wild))
		}
		return l
	case "object":
		m := map[string]any{}
		for name, p := range s["properties"].(map[string]any) {
			m[name] = data(t, p, wild)
		}
		return m
	}
	return nil
}

// TestRandomReplies: whatever a schema and an answer are, the value has the type that programs were told, or the answer is refused. What fits is not refused.
func TestRandomReplies(t *testing.T) {
	var taken, refused int
	rapid.Check(t, func(t *rapid.T) {
		schema := object(t, 3)
		typ, err := mcpclient.TypeOf(schema, "the answer")
		if err != nil {
			t.Fatalf("%v: %v", schema, err)
		}
		x := data(t, schema, rapid.SampledFrom([]int{3, 30, 1 << 30}).Draw(t, "wild"))
		v, err := mcpclient.Read(typ, x, 1000)
		if err != nil {
			refused++
			if !errors.Is(err, mcpclient.ErrMismatch) && !errors.Is(err, mcpclient.ErrTooLarge) || !v.IsZero() {
				t.Fatalf("%v of %v: %v", v, x, err)
			}
			return
		}
		taken++
		if v.Type() != value.TypeRecord || !typ.Fits(v) {
			t.Fatalf("%v is not %s", v, typ)
		}
	})
	if taken == 0 || refused == 0 {
		t.Errorf("%d answers were taken, %d refused", taken, refused)
	}
}
