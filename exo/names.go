package exo

import "github.com/exoagent/exoagent/internal/scalar"

func checkName(n string) *Error {
	if why := scalar.BadName(n); why != "" {
		return Errorf(Invalid, "", "%s", why)
	}
	return nil
}

func checkIdent(op, what, n string) error {
	if err := checkName(n); err != nil {
		return Errorf(Invalid, op, "%s: %s", what, err.Msg)
	}
	if !scalar.Simple(n) {
		return Errorf(Invalid, op, "%s must be a simple name of letters and digits", what)
	}
	return nil
}
