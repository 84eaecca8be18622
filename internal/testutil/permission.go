package testutil

import (
	"reflect"
	"strings"

	"github.com/exoagent/exoagent/exosql"
)

// Permission makes a permission from its form in a grant file. exosql's own functions take only constants of the host's source. It panics for
// an unknown form.
func Permission(text string) exosql.Permission {
	word, rest, _ := strings.Cut(text, " ")
	where := ""
	if at := strings.IndexByte(word, '('); at >= 0 {
		word = text[:at]
		if rest, where, _ = strings.Cut(text[at+1:], ") where "); where == "" {
			rest = strings.TrimSuffix(rest, ")")
		}
	}
	table, cols, _ := strings.Cut(strings.TrimSuffix(rest, ")"), "(")
	make := func(f any, args ...string) exosql.Permission {
		v := reflect.ValueOf(f)
		in := make([]reflect.Value, len(args))
		for i, a := range args {
			t := v.Type().In(min(i, v.Type().NumIn()-1))
			if t.Kind() == reflect.Slice {
				t = t.Elem()
			}
			in[i] = reflect.ValueOf(a).Convert(t)
		}
		return v.Call(in)[0].Interface().(exosql.Permission)
	}
	var p exosql.Permission
	switch word {
	case "trigger":
		p = make(exosql.AllowTrigger, rest)
	case "untrusted":
		kind, name, _ := strings.Cut(rest, " ")
		p = make(map[string]any{"trigger": exosql.AllowUntrustedTrigger, "rule": exosql.AllowUntrustedRule}[kind], name)
	case "rule":
		p = make(exosql.AllowRule, rest)
	case "cascade":
		p = make(exosql.AllowCascade, table, cols)
	case "waiting":
		p = make(exosql.AllowWaiting, table, cols)
	case "ON":
		p = make(exosql.AllowConflict, strings.TrimPrefix(rest, "CONFLICT "))
	case "default":
		p = make(exosql.AllowDefault, rest)
	case "unique":
		p = make(exosql.AllowUnique, rest)
	case "exclude":
		p = make(exosql.AllowExclusion, rest)
	case "rows":
		p = make(exosql.AllowRows, rest)
	case "reveals":
		p = make(exosql.AllowRevealing, rest)
	}
	if where != "" {
		v := reflect.ValueOf(p).MethodByName("Where")
		p = v.Call([]reflect.Value{reflect.ValueOf(where).Convert(v.Type().In(0))})[0].Interface().(exosql.Permission)
	}
	if p.String() != text {
		panic("no permission: " + text)
	}
	return p
}
