package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/engine/sqlite"
	"github.com/exoagent/exoagent/schema"
)

// linearFunctions are functions of SQLite that a virtual column may call although our statements
// never do. Their time and memory grow at most linearly with their arguments.
var linearFunctions = map[string]bool{"abs": true, "concat": true, "concat_ws": true, "date": true, "datetime": true, "time": true, "unixepoch": true,
	"hex": true, "iif": true, "if": true, "json": true, "json_array_length": true, "json_extract": true, "json_type": true, "json_valid": true, "->": true, "->>": true,
	"lower": true, "upper": true, "ltrim": true, "rtrim": true, "octet_length": true, "quote": true, "sign": true, "typeof": true, "unicode": true}

// functions refuses virtual columns that call functions other than the allowed ones. SQLite
// resolves a virtual column's expression when it reads the schema, and does not ask the authorizer.
// So the author of the file chose what each read calls.
func (c *Checker) functions(t *decl.Table, live *schema.Table) {
	if c.Live.Engine != schema.SQLite {
		return
	}
	for _, col := range t.Cols {
		x := c.FindColumn(live.Columns, col.Name)
		if x == nil {
			continue
		}
		f := Finding{Kind: UnlistedFunction, Table: t.Name, Column: col.Name, Warning: !c.uses[t].granted,
			Fix: "a definition with … STORED, which is computed when a row is written, or a declaration without the column"}
		calls, err := live.VirtualCalls(x)
		calls = slices.DeleteFunc(calls, func(name string) bool { return sqlite.Functions[name] || linearFunctions[name] })
		switch {
		case err != nil:
			f.Problem = fmt.Sprintf("is computed whenever it is read, and its expression can't be checked: %s", err)
		case len(calls) > 0:
			f.Problem = fmt.Sprintf("is computed whenever it is read, and calls %s, which SQLite runs without its access check", strings.Join(calls, ", "))
		default:
			continue
		}
		c.Add(f)
	}
}
