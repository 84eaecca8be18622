package textrows

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestCSV: cells are texts under the names of the first line, and what has no one meaning is refused with its line.
func TestCSV(t *testing.T) {
	for text, want := range map[string]string{
		"":                        `null`,
		"a,b\n":                   `null`,
		"a,b\n1,x\n":              `[{"a":"1","b":"x"}]`,
		"a,b\r\n1,\"x\ny,z\"\r\n": `[{"a":"1","b":"x\ny,z"}]`,
		"a,\"b\r\nc\"\r\n1,\"x\r\n\"\"\r\ny\"\r\n2,3\r\n": `[{"a":"1","b\r\nc":"x\r\n\"\r\ny"},{"a":"2","b\r\nc":"3"}]`,
		"a,b\n1,\"x\r\n\r\ny\"\n":                         `[{"a":"1","b":"x\r\n\r\ny"}]`,
		"a,b\n\n1,2\n\n":                                  `[{"a":"1","b":"2"}]`,
		"\n\r\na\n\r\n1\n\n":                              `[{"a":""},{"a":"1"},{"a":""}]`,
		"a\n\"\n\nx\"\n\"\"\"\"\n\n":                      `[{"a":"\n\nx"},{"a":"\""},{"a":""}]`,
		"a\n\n\"x\n":                                      "line 3: extraneous",
		",b\n1,2":                                         `[{"b":"2","column1":"1"}]`,
		"a\n\n1\n":                                        `[{"a":""},{"a":"1"}]`,
		"a,b\n007,=1+1\n":                                 `[{"a":"007","b":"=1+1"}]`,
		"a,b\n1\n":                                        "line 2: wrong number of fields",
		"a\n\"x\n":                                        "line 2: extraneous or missing \" in quoted-field",
		"a,a\n1,2\n":                                      "is the name of two columns",
		"__proto__\n1\n":                                  "can't have the name",
		"a\n" + strings.Repeat("1\n", maxValues+1): "more than 100000 values",
	} {
		rows, err := CSV(text, ',')
		b, _ := json.Marshal(rows)
		if err != nil {
			b = []byte(err.Error())
		}
		if !strings.Contains(string(b), want) {
			t.Errorf("%.60q: %.200s, want %s", text, b, want)
		}
	}
	if rows, err := CSV("a;b\n1,5;2", ';'); err != nil || fmt.Sprint(rows) != "[map[a:1,5 b:2]]" {
		t.Error(rows, err)
	}
}

// TestLines: a line is one object whose numbers stay what they are.
func TestLines(t *testing.T) {
	for text, want := range map[string]string{
		"":                                                 `null`,
		"{\"a\":1}\n\n {\"a\":[1.5,null,true]}":            `[{"a":1},{"a":[1.5,null,true]}]`,
		"{\"a\":9007199254740991}":                         `[{"a":9007199254740991}]`,
		"{\"a\":1e3,\"b\":-0.5}":                           `[{"a":1000,"b":-0.5}]`,
		"{\"a\":9007199254740993}":                         "line 1: the number 9007199254740993 can't be kept exactly",
		"{\"a\":{\"b\":[123456789012345678901]}}":          "can't be kept exactly",
		"{\"a\":1e999}":                                    "can't be kept exactly",
		"{\"a\":1}\n{\"b\":1,\"a\":{\"c\":1,\"c\":2}}":     "line 2: an object has the name \"c\" twice",
		"{\"a\":1,\"\\u0061\":2}":                          "the name \"a\" twice",
		"{\"a\":\"\\ud800\"}":                              "line 1: a text has \\ud800, which is half a character",
		"{\"a\":\"\\udc00\\ud800\"}":                       "a text has \\udc00",
		"{\"a\":\"\\ud83dx\\ude00\"}":                      "a text has \\ud83d",
		"{\"\\ud83d\\n\":1}":                               "a text has \\ud83d",
		"{\"a\":\"\\ud83d\\ude00\\\\ud800\ufffd\\ufffd\"}": "[{\"a\":\"\U0001f600\\\\ud800\ufffd\ufffd\"}]",
		"{\"a\":{},\"b\":[],\"c\":\"\"}":                   `[{"a":{},"b":[],"c":""}]`,
		"{\"a\":[1,]}":                                     "line 1 is not one JSON object",
		"{}\n[1]\n":                                        "line 2 is not one JSON object",
		"null":                                             "line 1 is not one JSON object",
		"{} {}":                                            "line 1 is not one JSON object",
		"{\"a\":1":                                         "line 1 is not one JSON object",
		"{\"__proto__\":1}":                                "can't be a name",
		"{\"a\":{\"__proto__\":1}}":                        "can't be a name",
		"{\"a\":\"\\u0000\"}":                              "character NUL",
		"{\"a\":" + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "}": "nested too deeply",
		"{\"a\":[" + strings.Repeat("0,", maxValues) + "0]}":                "more than 100000 values",
	} {
		rows, err := Lines(text)
		b, _ := json.Marshal(rows)
		if err != nil {
			b = []byte(err.Error())
		}
		if !strings.Contains(string(b), want) {
			t.Errorf("%.60q: %.200s, want %s", text, b, want)
		}
	}
}

// TestNumbers: a number is exactly what is written, or refused.
func TestNumbers(t *testing.T) {
	for text, ok := range map[string]bool{
		"9007199254740991.0": true, "9007199254740992.0": false, "9007199254740993.0": false, "9007199254740993e0": false, "90071992547409930e-1": false, "1e300": false, "1e16": false, "1e15": true, "-9007199254740993.0": false,
		"12345678901234567.5": false, "123456789012.5": true, "4503599627370495.5": true, "4503599627370497.25": false, "0.1": true, "0.10000000000000001": true, "0.30000000000000004": true, "0.1000000000000000000000001": false, "3.14159265358979323846": false,
		"1e-400": false, "0.0": true, "-0": true, "0e999": true, "0.000e-9999999999999999999999": true, "5e-324": true, "1e-324": false, "1.5000": true, "100.500E+1": true, "-2.50e-3": true, "1e99999999999999999999999": false,
	} {
		rows, err := Lines(`{"a":` + text + `}`)
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "line 1: the number "+text) {
			t.Errorf("%s: %v, %v", text, rows, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?(e-?[0-9]{1,2})?`).Draw(t, "number")
		x, err := number(text)
		want, ok := new(big.Rat).SetString(text)
		if err != nil || !ok {
			return
		}
		got, _ := new(big.Rat).SetString(fmt.Sprint(x))
		digits, _ := decimal(text)
		if len(digits) <= 15 && got.Cmp(want) != 0 {
			t.Fatalf("%s is %v", text, x)
		}
		if f, is := x.(float64); is && want.IsInt() && got.Cmp(want) != 0 {
			t.Fatalf("%s is %v", text, f)
		}
	})
}

// TestRoundTrip: what is written as CSV by the usual rules is read as it was.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.StringOf(rapid.SampledFrom([]rune("ab,\"\n\r;é ")))
		rows := rapid.SliceOfN(rapid.SliceOfN(cell, 2, 2), 0, 5).Draw(t, "rows")
		var b strings.Builder
		b.WriteString("x,y\n")
		for _, r := range rows {
			for i, c := range r {
				b.WriteString(map[int]string{1: ","}[i] + `"` + strings.ReplaceAll(c, `"`, `""`) + `"`)
			}
			b.WriteString("\n")
		}
		got, err := CSV(b.String(), ',')
		if err != nil || len(got) != len(rows) {
			t.Fatal(got, err)
		}
		for i, r := range rows {
			if got[i]["x"] != r[0] || got[i]["y"] != r[1] {
				t.Fatalf("%q is %q", r, got[i])
			}
		}
	})
}

// FuzzRows: no text makes a panic, and each row that is read can be a value of a program.
func FuzzRows(f *testing.F) {
	f.Add("a,b\n1,2\n")
	f.Add("{\"a\":[1,{\"b\":null}]}\n")
	f.Fuzz(func(t *testing.T, text string) {
		if !IsText(text) {
			return
		}
		for _, read := range []func(string) ([]map[string]any, error){Lines, func(s string) ([]map[string]any, error) { return CSV(s, ',') }} {
			rows, err := read(text)
			if _, bad := json.Marshal(rows); err == nil && bad != nil {
				t.Errorf("%q: %v", rows, bad)
			}
			for _, row := range rows {
				for name, x := range row {
					if s, ok := x.(string); name == "__proto__" || ok && !IsText(s) {
						t.Errorf("%q: %q", name, x)
					}
				}
			}
		}
	})
}
