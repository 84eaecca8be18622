package writes_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestWritesExactNumbers: a whole number of which JavaScript knows the first digits only is refused where it would be stored, as it is where it is
// compared; as a text it is exact.
func TestWritesExactNumbers(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := kit.OpenWholes(t, e, nil)
		const hint = "beyond 2^53, where JavaScript's numbers are not exact: write it as text, in quotes"
		for _, program := range []string{
			`wholes.where({ label: "one" }).update({ nums: [1, N] })`, `wholes.where({ label: "one" }).update(w => ({ nums: [N], label: w.label }))`, `wholes.where({ label: "one" }).update(() => ({ nums: [N] }))`,
			`wholes.insert({ label: "new", nums: [N] })`, `wholes.insertMany([{ label: "new" }, { label: "new", nums: [null, N] }])`, `wholes.where(w => w.id === N).count()`, `wholes.where({ id: N }).count()`,
		} {
			for _, n := range []string{"9007199254740993", "-9007199254740992", "2 ** 53", "2 ** 62", "Number('9007199254740993')"} {
				r := w.Tool.Run(t.Context(), "return "+strings.ReplaceAll(program, "N", n))
				if r.Err == nil || !strings.Contains(r.Err.Error(), hint) {
					t.Errorf("%s of %s: %s %v", program, n, r.JSON, r.Err)
				}
			}
			for _, n := range []string{"9007199254740991", `"9007199254740993"`, `"-9223372036854775808"`} {
				if r := w.Tool.Run(t.Context(), "return "+strings.ReplaceAll(program, "N", n)); r.Err != nil {
					t.Errorf("%s of %s: %v", program, n, r.Err)
				}
			}
		}
		if got := w.Look(`await wholes.where({ label: "one" }).update({ nums: ["9007199254740993", "-9223372036854775808"], doc: 2 ** 60 }); const r = await wholes.where({ label: "one" }).first(); return [r.nums, r.doc, await wholes.ifUnchanged({ label: "one", nums: r.nums }).update({ nums: null })]`); !strings.HasPrefix(got, `[["9007199254740993","-9223372036854775808"],`) || !strings.HasSuffix(got, ",1]") {
			t.Error(got)
		}
	})
}
