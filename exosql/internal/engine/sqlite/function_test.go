package sqlite

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/engine"
)

// What a program is shown of an array is found in it.
func TestArrayFunctions(t *testing.T) {
	db := sql.OpenDB(connector{"file::memory:"})
	defer db.Close()
	for call, want := range map[string]any{
		"exo_has(1, '[false, true]')": int64(1), "exo_has(0, '[true, 1]')": int64(0), "exo_has(0, '[0]')": int64(1), "exo_has(1, '[false, null]')": nil,
		`exo_has('a', '["b", null, "a"]')`: int64(1), `exo_has('a', '["b", null]')`: nil, `exo_has('a', '[["a"]]')`: int64(0), "exo_has('1', '[1]')": int64(0),
		"exo_has(NULL, '[null]')": nil, "exo_has('a', NULL)": nil, "exo_has('a', '{}')": nil, "exo_has('a', '[')": nil, "exo_has(x'61', '[\"a\"]')": int64(0),
		"exo_has_number('1.50', '[2, 1.5]')": int64(1), `exo_has_number(0.001, '["0.001"]')`: int64(1), `exo_has_number(1, '[true, "x", null]')`: nil, "exo_has_number('x', '[1]')": int64(0),
		"exo_has_number(9007199254740993, '[9007199254740992]')": int64(0), "exo_has_number('1e3', '[1000.0]')": int64(1),
		"exo_count('[1, [2, 3]]')": int64(2), "exo_count('[]')": int64(0), "exo_count('[1]]')": nil, "exo_count('null')": nil, "exo_count('{}')": nil, "exo_count(1)": nil,
	} {
		var got any
		if err := db.QueryRow("SELECT " + call).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %v, want %v (%v)", call, got, want, err)
		}
	}
}

// An aggregate that holds what it takes fails when that is too much, for the rows that it is given.
func TestMedianFails(t *testing.T) {
	db := sql.OpenDB(connector{"file::memory:"})
	defer db.Close()
	many := func(n int) error {
		var got any
		return db.QueryRow("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT exo_median('1' || substr(hex(zeroblob(900)), 1, 1800) || i) FROM n", n).Scan(&got)
	}
	if err := many(1000); err != nil {
		t.Error(err)
	}
	if err := many(45_000); err == nil || !strings.Contains(err.Error(), errMany.Error()) {
		t.Errorf("too many values: %v", err)
	}
}

// A document ends where its text does.
func TestArrayText(t *testing.T) {
	for s, kind := range map[string]string{"[1]": value.TypeList, " [1] ": value.TypeList, "[1]]": "", "[1]}": "", "[1] 2": "", "[1": "", "": "", "null": value.TypeNull} {
		if v := engine.DecodeJSON([]byte(s)); v.Type() != kind {
			t.Errorf("%q is %v", s, v)
		}
	}
}
