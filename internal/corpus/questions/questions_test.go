package questions

import (
	"strings"
	"testing"
)

const good = `How many?
as: 2
-- value --
SELECT 1
-- right: a number --
return 1
-- wrong: a name --
return one
-- error --
syntax 1:8
did you mean 1?
-- mended --
return 1
`

// TestParse: a file that says less than it should is refused.
func TestParse(t *testing.T) {
	q, err := parse(good)
	if err != nil || q.As != 2 || q.Form != "value" || q.Asked != "How many?" || len(q.Right) != 1 || len(q.Wrong) != 1 || q.Wrong[0].Fails != "syntax 1:8\ndid you mean 1?" {
		t.Fatalf("%+v, %v", q, err)
	}
	for what, bad := range map[string]string{
		"no sections":          "How many?\n",
		"no question":          strings.TrimPrefix(good, "How many?\nas: 2\n"),
		"no number":            strings.Replace(good, "as: 2", "as: two", 1),
		"no SQL":               strings.Replace(good, "-- value --\nSELECT 1\n", "", 1),
		"no error":             strings.Replace(good, "-- error --\nsyntax 1:8\ndid you mean 1?\n", "", 1),
		"not mended":           strings.Replace(good, "-- mended --\nreturn 1\n", "", 1),
		"mended before it":     strings.Replace(good, "-- wrong: a name --\nreturn one\n", "", 1),
		"an unknown section":   good + "-- hint --\nx\n",
		"an unknown order":     strings.Replace(good, "-- value --", "-- value, by name --", 1),
		"an empty program":     strings.Replace(good, "return one\n", "\n", 1),
		"two answers":          good + "-- rows --\nSELECT 2\n",
		"an empty line before": "\n" + good,
	} {
		if q, err := parse(bad); err == nil {
			t.Errorf("%s: %+v", what, q)
		}
	}
}

// TestNames: an error that does not say what to write is found out.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		message, wrong, mended string
		want                   bool
	}{
		{"did you mean `dueAt`?", "t.due_at", "t.dueAt", true},
		{"no such column", "t.due_at", "t.dueAt", false},
		{"todo has no member `due_at`", "t.due_at", "t.dueAt", false},
		{"call it, x.isNull()", "x.isNull", "x.isNull()", true},
		{"the callback must not be async", "async t => t", "t => t", true},
		{"the callback is wrong", "async t => t", "t => t", false},
		{"to compare use ===", "a = 1", "a === 1", true},
		{"got the text 'x'", "a === 'x'", "a === 1", false},
		{"put .desc() into the callback", "q.orderBy(t => t.x).desc()", "q.orderBy(t => t.x.desc())", true},
	} {
		if got := names(c.message, c.wrong, c.mended); got != c.want {
			t.Errorf("%q, %q, %q: %v", c.message, c.wrong, c.mended, got)
		}
	}
}

// TestSame: only what is the same is.
func TestSame(t *testing.T) {
	for _, c := range []struct {
		want, got any
		anyOrder  bool
		same      bool
	}{
		{int64(1), true, false, true}, {int64(0), true, false, false}, {int64(2), true, false, false}, {int64(3), 3.0, false, true},
		{0.1 + 0.2, 0.3, false, true}, {0.3, 0.31, false, false}, {nil, nil, false, true}, {nil, 0.0, false, false}, {"1", 1.0, false, false},
		{[]any{int64(1), int64(2)}, []any{2.0, 1.0}, true, true}, {[]any{int64(1), int64(2)}, []any{2.0, 1.0}, false, false}, {[]any{int64(1)}, []any{1.0, 1.0}, true, false},
		{map[string]any{"a": "x"}, map[string]any{"a": "x"}, false, true}, {map[string]any{"a": "x"}, map[string]any{"a": "x", "b": nil}, false, false}, {map[string]any{"a": nil}, map[string]any{"b": nil}, false, false},
	} {
		if got := same(c.want, c.got, c.anyOrder); got != c.same {
			t.Errorf("%v, %v: %v", c.want, c.got, got)
		}
	}
}
