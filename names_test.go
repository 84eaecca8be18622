package exoagent_test

import (
	"go/types"
	"testing"
)

// hostPackages are what an ordinary host imports together.
var hostPackages = []string{"exo", "exosql", "exosql/dynamic", "codemode", "codemode/agent", "codemode/repl", "exoeval", "exoeval/worker", "exo/record", "exo/policy", "exo/service"}

// oneMeaning are names that another of these packages has too, since they mean the same there.
var oneMeaning = map[string]string{
	"exo/service.Method":       "it makes what message.Method describes",
	"exoeval.Job":              "codemode.Job is what the host of a tool says of one: the tool says the rest",
	"exosql/dynamic.Table":     dynamically,
	"exosql/dynamic.Link":      dynamically,
	"exosql/dynamic.Facet":     dynamically,
	"exosql/dynamic.Scope":     dynamically,
	"exosql/dynamic.Predicate": dynamically,
	"exosql/dynamic.Relation":  dynamically,
}

const dynamically = "exosql/dynamic declares at run time what exosql declares in Go"

// TestNames: in the import block of a host each type has a name of its own, and what the
// words Result, Limits, Options, Kind, Event and Outcome mean is said once. Functions may
// share a verb: record.Open and exosql.Open, New.
func TestNames(t *testing.T) {
	words := map[string]bool{"Result": true, "Limits": true, "Options": true, "Kind": true, "Event": true, "Outcome": true}
	all, first := packages(t), map[string]types.Object{}
	seen := 0
	for _, path := range hostPackages {
		pkg := all[module+"/"+path]
		if pkg == nil {
			t.Fatalf("there is no package %s", path)
		}
		for _, name := range pkg.Scope().Names() {
			o := pkg.Scope().Lookup(name)
			if !o.Exported() || oneMeaning[path+"."+name] != "" {
				continue
			}
			seen++
			was := first[name]
			if was == nil {
				first[name] = o
				continue
			}
			_, a := was.(*types.TypeName)
			_, b := o.(*types.TypeName)
			if a && b && types.Identical(was.Type(), o.Type()) {
				continue // an alias
			}
			if a || b || words[name] {
				t.Errorf("%s is %v and %v: give one of them a name of its own", name, was, o)
			}
		}
	}
	if seen < 250 {
		t.Errorf("%d names were looked at", seen)
	}
}
