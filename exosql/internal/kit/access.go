package kit

import (
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
)

func AccessPaths(t *testing.T, o exo.Object) []exosql.AccessPath {
	t.Helper()
	paths, err := exosql.AccessPaths(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return paths
}
