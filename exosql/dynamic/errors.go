package dynamic

import (
	"errors"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/schema"
)

// wrong is an error in a declaration. at is the table, column or link that it is about.
func wrong(at, format string, args ...any) error {
	return fail.Errorf(fail.Invalid, schema.Printable(at), format, args...)
}

// undeclared refuses a nil or zero value of this package's types.
func undeclared(typ, maker string) error {
	return wrong("dynamic."+typ, "it is nil or zero; %s makes one", maker)
}

// wrap gives an error of the core the place that it is about, and says its text once.
func wrap(at string, err error) error {
	msg := err.Error()
	if e, ok := errors.AsType[*fail.Error](err); ok {
		if msg = e.Message(); msg == "" && e.Err != nil {
			msg = e.Err.Error()
		}
	}
	return wrong(at, "%s", strings.TrimPrefix(msg, "exosql: "))
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	slices.Sort(names)
	return schema.Printable(strings.Join(names, ", "))
}
