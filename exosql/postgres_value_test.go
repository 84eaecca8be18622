package exosql_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// What each type of PostgreSQL reads as; "" is an error for the host.
func TestPostgresDecode(t *testing.T) {
	db := tu.Postgres.OpenWith(t, &exosql.OpenOptions{Setup: tu.Postgres.Exec("CREATE TYPE mood AS ENUM ('sad', 'glad')")})
	for _, c := range []struct{ expr, kind, want string }{
		{"true", "bool", "true"}, {"false", "bool", "false"}, {"1", "bool", ""}, {"'t'::text", "bool", ""},
		{"(-32768)::int2", "int", "-32768"}, {"2147483647::int4", "int", "2147483647"}, {"(-2147483648)::int4", "int", "-2147483648"},
		{"9223372036854775807", "int", "9223372036854775807"}, {"(-9223372036854775808)::int8", "int", "-9223372036854775808"},
		{"1.0", "int", ""}, {"1::float8", "int", ""}, {"1::oid", "int", ""}, {"'1'::text", "int", ""}, {"NULL::int", "int", ""},
		{"0.1::float8", "float", "0.1"}, {"0.5::float4", "float", "0.5"}, {"0.1::float4", "float", "0.1"}, {"'NaN'::float8", "float", ""}, {"'-inf'::float8", "float", ""}, {"'inf'::float4", "float", ""},
		{"1.5::numeric", "float", ""}, {"1", "float", ""}, {"5e-324::float8", "float", "5e-324"},
		{"'a€😀'::text", "text", `"a€😀"`}, {"'ab'::varchar(9)", "text", `"ab"`}, {"'ab'::char(4)", "text", `"ab  "`}, {"'ab'::name", "text", `"ab"`}, {"'sad'::mood", "text", ""},
		{"'sad'::mood::text", "text", `"sad"`}, {"1", "text", ""}, {"''::text", "text", `""`}, {"'\\x00'::bytea", "text", ""},
		{"timestamptz '2026-01-02 03:04:05.678999+02'", "time", "2026-01-02T01:04:05.678Z"}, {"timestamp '2026-01-02 03:04:05'", "time", "2026-01-02T03:04:05.000Z"},
		{"timestamptz '1969-12-31 23:59:59.9999Z'", "time", "1969-12-31T23:59:59.999Z"}, {"timestamptz '0001-01-01 00:00Z'", "time", "0001-01-01T00:00:00.000Z"},
		{"timestamptz '9999-12-31 23:59:59.999Z'", "time", "9999-12-31T23:59:59.999Z"}, {"timestamptz '10000-01-01 00:00Z'", "time", ""}, {"timestamptz '0001-12-31 00:00:00.25Z BC'", "time", ""},
		{"timestamptz '294276-12-31 00:00Z'", "time", ""}, {"timestamptz 'infinity'", "time", ""}, {"timestamp '-infinity'", "time", ""}, {"timestamp '0044-03-15 10:00:00 BC'", "time", ""}, {"date '2026-01-02'", "time", ""},
		{"0::numeric", "decimal", `"0"`}, {"'-0.00'::numeric", "decimal", `"0"`}, {"'1.2300'::numeric", "decimal", `"1.23"`}, {"1e20::numeric", "decimal", `"100000000000000000000"`},
		{"1e-20::numeric", "decimal", `"0.00000000000000000001"`}, {"'-12345.6789'::numeric", "decimal", `"-12345.6789"`}, {"10000::numeric", "decimal", `"10000"`}, {"0.0001::numeric", "decimal", `"0.0001"`},
		{"100000000.00000001", "decimal", `"100000000.00000001"`}, {"'NaN'::numeric", "decimal", ""}, {"'Infinity'::numeric", "decimal", ""}, {"1", "decimal", ""},
		{"date '2026-01-31'", "date", `"2026-01-31"`}, {"date '0001-01-01'", "date", `"0001-01-01"`}, {"date '9999-12-31'", "date", `"9999-12-31"`}, {"date '10000-01-01'", "date", `"10000-01-01"`},
		{"date '0001-12-31 BC'", "date", `"0001-12-31 BC"`}, {"date 'infinity'", "date", ""}, {"date '-infinity'", "date", ""}, {"date '5874897-12-31'", "date", `"5874897-12-31"`}, {"timestamp '2026-01-02'", "date", ""},
		{"interval '1 year 2 mons 3 days 04:05:06.789'", "interval", `"P1Y2M3DT4H5M6.789S"`}, {"interval '0'", "interval", `"PT0S"`}, {"interval '-1 month +1 day'", "interval", `"P-1M1D"`},
		{"interval '-00:00:00.5'", "interval", `"PT-0.5S"`}, {"interval '100:00:00'", "interval", `"PT100H"`}, {"interval '10 minutes'", "interval", `"PT10M"`}, {"interval '20 seconds'", "interval", `"PT20S"`},
		{"'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'::uuid", "uuid", `"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"`}, {"'a'::text", "uuid", ""},
		{"'\\x00ff10'::bytea", "bytes", `"AP8Q"`}, {"''::bytea", "bytes", `""`},
		{`'{"b": [1, -2.5, null, true, "x"], "a": {}}'::json`, "json", `{"b":[1,-2.5,null,true,"x"],"a":{}}`}, {`'{"b": 1, "a": 2}'::jsonb`, "json", `{"a":2,"b":1}`},
		{"'9223372036854775807'::jsonb", "json", "9223372036854775807"}, {"'9223372036854775808'::jsonb", "json", "9.223372036854776e+18"}, {"'1e400'::json", "json", `"1e400"`}, {"'-0'::json", "json", "0"},
		{"'1.0'::json", "json", "1"}, {"'null'::jsonb", "json", "null"}, {`'"\u00e9\ud83d\ude00"'::json`, "json", `"é😀"`}, {`'"\ud83d"'::json`, "json", ""}, {`'"\ude00\ud83d"'::json`, "json", ""},
		{`'"\\ud83d"'::json`, "json", `"\\ud83d"`}, {`'"a\u0000b"'::json`, "json", ""}, {`'{"\u0000": 1}'::json`, "json", ""}, {`'{"a": 1, "a": 2}'::json`, "json", `{"a":2}`}, {"'[]'::json", "json", "[]"}, {"'[[[]]]'::jsonb", "json", "[[[]]]"},
		{"(repeat('[', 300) || repeat(']', 300))::json", "json", ""}, {"'1'::text", "json", ""},
		{"ARRAY[1, NULL, 3]", "list of int", "[1,null,3]"}, {"'{}'::int8[]", "list of int", "[]"}, {"ARRAY['a', '{', '\"']", "list of text", `["a","{","\""]`}, {"ARRAY[ARRAY[1], ARRAY[2]]", "list of int", ""},
		{"'[5:6]={7,8}'::int4[]", "list of int", "[7,8]"}, {"ARRAY[1.50, 2]", "list of decimal", `["1.5","2"]`}, {"ARRAY[true]", "list of bool", "[true]"}, {"ARRAY['NaN'::float8]", "list of float", ""}, {"ARRAY[1]", "list of text", ""},
		{"ARRAY[date '2026-01-02']", "list of date", `["2026-01-02"]`}, {"ARRAY['{\"a\": 1}'::jsonb, 'null']", "list of json", `[{"a":1},null]`}, {"ARRAY['\\x01'::bytea]", "list of bytes", `["AQ=="]`}, {"1", "list of int", ""},
		{"ARRAY[interval '1 day']", "list of interval", `["P1D"]`}, {"ARRAY['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid]", "list of uuid", `["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]`},
		{"ARRAY[timestamptz '2026-01-02Z']", "list of time", `["2026-01-02T00:00:00.000Z"]`}, {"ARRAY['a'::varchar, 'b']", "list of text", `["a","b"]`},
	} {
		kind, of := c.kind, ""
		if item, ok := strings.CutPrefix(kind, "list of "); ok {
			kind, of = value.TypeList, item
		}
		v, err := exosql.AskOne(t.Context(), db, "SELECT "+c.expr, kind, of)
		switch {
		case c.want == "" && (err == nil || !strings.Contains(err.Error(), "is declared")):
			t.Errorf("%s as %s: %v %v, want an error", c.expr, c.kind, v, err)
		case c.want != "" && (err != nil || v.String() != c.want):
			t.Errorf("%s as %s: %v %v, want %s", c.expr, c.kind, v, err, c.want)
		}
	}
}

// The texts that we make are those that the server makes, for values of any size.
func TestPostgresDecodeAgrees(t *testing.T) {
	db := tu.Postgres.OpenWith(t, nil)
	ask := func(t *rapid.T, expr, kind string, arg string) string {
		v, err := exosql.AskOne(t.Context(), db, "SELECT "+expr, kind, "", value.Text(arg))
		if err != nil {
			t.Fatalf("%s of %q: %v", expr, arg, err)
		}
		return v.Text()
	}
	rapid.Check(t, func(t *rapid.T) {
		switch rapid.IntRange(0, 3).Draw(t, "type") {
		case 0:
			s := rapid.StringMatching(`-?[0-9]{1,40}(\.[0-9]{1,40})?(e-?[0-9]{1,2})?`).Draw(t, "number")
			want := ask(t, "(CAST($1 AS numeric))::text", "text", s)
			if strings.Contains(want, ".") {
				want = strings.TrimRight(strings.TrimRight(want, "0"), ".")
			}
			if want == "-0" {
				want = "0"
			}
			if got := ask(t, "CAST($1 AS numeric)", "decimal", s); got != want {
				t.Errorf("%s: %s, want %s", s, got, want)
			}
		case 1:
			us := rapid.Int64Range(-1e17, 1e17).Draw(t, "us") // PostgreSQL 14 reads no field that is larger than an int
			s := fmt.Sprintf("%d months %d days %d minutes %d microseconds", rapid.Int32().Draw(t, "m"), rapid.Int32().Draw(t, "d"), us/6e7, us%6e7)
			if got, want := ask(t, "CAST($1 AS interval)", "interval", s), ask(t, "CAST($1 AS interval)::text", "text", s); got != want {
				t.Errorf("%s: %s, want %s", s, got, want)
			}
		case 2:
			s := fmt.Sprintf("%d", rapid.IntRange(-730119, 2932896-10957).Draw(t, "days"))
			if got, want := ask(t, "date '2000-01-01' + CAST($1 AS int)", "date", s), ask(t, "(date '2000-01-01' + CAST($1 AS int))::text", "text", s); got != want {
				t.Errorf("%s: %s, want %s", s, got, want)
			}
		case 3:
			b := rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "bytes")
			s := fmt.Sprintf("%x", b)
			if got, want := ask(t, "CAST($1 AS uuid)", "uuid", s), ask(t, "CAST($1 AS uuid)::text", "text", s); got != want {
				t.Errorf("%s: %s, want %s", s, got, want)
			}
			if got := ask(t, "decode($1, 'hex')", "bytes", s); got != base64.StdEncoding.EncodeToString(b) {
				t.Errorf("%s: %s", s, got)
			}
		}
	})
}
