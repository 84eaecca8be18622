package kit

import (
	"testing"

	"github.com/exoagent/exoagent/exosql"
)

func IDs[T any](t *testing.T, r exosql.Relation[T], id func(T) int64) []int64 {
	t.Helper()
	rows, err := r.All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out := []int64{}
	for _, row := range rows {
		out = append(out, id(row))
	}
	return out
}
