package dynamic

import (
	"errors"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/schema"
)

// wrong makes the error of a declaration. at is its table, column or link.
func wrong(at, format string, args ...any) error {
	return fail.Errorf(fail.Invalid, schema.Printable(at), format, args...)
}

// undeclared makes the error for a nil or zero value of this package's types. maker is the function that makes one.
func undeclared(typ, maker string) error {
	return wrong("dynamic."+typ, "the %s is nil or zero: make one with %s", typ, maker)
}

// wrap returns an error of package decl with the place at before it, and without the prefix "exosql: ".
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
