package exosql_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
)

// A record keeps a bounded part of one statement, and names a constant that is left out by the digest that it has in the
// record of the message.
func TestRecordedQuery(t *testing.T) {
	large := value.Text(strings.Repeat("x", 100_000))
	many := slices.Repeat([]value.Value{value.Text(strings.Repeat("y", 1000))}, 1000)
	cut := func(v value.Value) string {
		d, err := v.Digest()
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf(`{"digest":"%s","bytes":%d}`, d, v.Bytes())
	}
	long := "SELECT " + strings.Repeat("1 + ", 20_000) + "1"
	for name, c := range map[string]struct {
		q    exosql.Query
		want string
	}{
		"small":      {exosql.Query{SQL: "SELECT ?", Args: []value.Value{value.Text("a"), value.Int(1)}}, `"sql":"SELECT ?","args":["a",1],`},
		"no values":  {exosql.Query{SQL: "SELECT 1"}, `"args":[],`},
		"large":      {exosql.Query{SQL: "SELECT ?", Args: []value.Value{value.Int(1), large, value.Text("a")}}, `"args":[1,` + cut(large) + `,"a"],`},
		"many":       {exosql.Query{SQL: "SELECT ?", Args: many}, `"args":` + cut(value.List(many...)) + `,`},
		"long":       {exosql.Query{SQL: long, Args: []value.Value{value.Int(1)}}, `"sql":` + cut(value.Text(long)) + `,"args":[1],`},
		"large many": {exosql.Query{SQL: "SELECT ?", Args: slices.Repeat([]value.Value{large}, 4000)}, `"args":` + cut(value.List(slices.Repeat([]value.Value{large}, 4000)...)) + `,`},
	} {
		b, err := c.q.AppendJSON(nil)
		if err != nil || !json.Valid(b) || !strings.Contains(string(b), c.want) || len(b) > 400_000 {
			t.Errorf("%s: %v, %d bytes: %.300s", name, err, len(b), b)
		}
	}
}
