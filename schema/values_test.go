package schema

import (
	"strings"
	"testing"
)

// A check becomes a list of values only where it is one; everything else must not,
// since a value that the check admits would be missing.
func TestListed(t *testing.T) {
	for expr, want := range map[string]string{
		`status IN ('a', 'b')`:                 "status: a b",
		`"Status" in ('a')`:                    "Status: a",
		"`s` IN ('it''s', '')":                 "s: it's ",
		`[s t] IN ('a,b', '(')`:                "s t: a,b (",
		`((status IN (('a'), 'b')))`:           "status: a b",
		`status IN ('a', 'a')`:                 "status: a",
		`status = ANY (ARRAY['a'::text, 'b'])`: "status: a b",
		`((status)::text = ANY ((ARRAY['a'::character varying, 'b::text'::character varying])::text[]))`: "status: a b::text",
		`(status)::bpchar = ANY (ARRAY['a'::character(3)]::bpchar[])`:                                    "status: a",
		`VALUE IN ('x')`:               "VALUE: x",
		`((status)::text = 'a'::text)`: "status: a",
		`status = 'a' OR status = 'b'`: "",
		`status = 'a' || 'b'`:          "",
		`status = 'a' COLLATE nocase`:  "",
		`status = other`:               "",

		`NOT status IN ('a', 'b')`:               "",
		`status NOT IN ('a')`:                    "",
		`status <> ALL (ARRAY['a'])`:             "",
		`status = ALL (ARRAY['a'])`:              "",
		`lower(status) IN ('a')`:                 "",
		`status IN ('a') OR note IS NULL`:        "",
		`status IN ('a') OR status = 'c'`:        "",
		`status IN ('a', NULL)`:                  "",
		`status IN ('a', other)`:                 "",
		`status IN ("a")`:                        "",
		`status IN ('a' || 'b')`:                 "",
		`status IN (lower('A'))`:                 "",
		`status IN (SELECT 'a')`:                 "",
		`status COLLATE nocase IN ('a')`:         "",
		`status || 'x' IN ('ax')`:                "",
		`status IN ('a',)`:                       "",
		`status IN ()`:                           "",
		`status IN (1, 2)`:                       "",
		`status IN (E'a\n')`:                     "",
		`status IN ('a') NOT VALID`:              "",
		`(status::citext) IN ('a')`:              "",
		`(status, 1) IN (('a', 'b'))`:            "",
		`'status' IN ('a')`:                      "",
		`1 IN ('a')`:                             "",
		`length(status) > 0`:                     "",
		`status`:                                 "",
		``:                                       "",
		`status = ANY (ARRAY['a'] || 'b'::text)`: "",
	} {
		column, values := listed(expr)
		got := ""
		if values != nil {
			got = column + ": " + strings.Join(values, " ")
		}
		if got != want {
			t.Errorf("%s\n\tgot  %q\n\twant %q", expr, got, want)
		}
	}
}

// TestListedNotValid: a check that rows may break lists nothing. The twin is valid.
func TestListedNotValid(t *testing.T) {
	for _, notValid := range []bool{false, true} {
		table := &Table{Columns: []Column{{Name: "state", Type: "text", Kind: Text}}, Checks: []Check{{Expr: "state IN ('a')", NotValid: notValid}}}
		if got := (&Database{Engine: Postgres}).Listed(table)["state"]; (got == nil) != notValid {
			t.Errorf("not valid: %t: %q", notValid, got)
		}
	}
}
